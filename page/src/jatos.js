// JATOS, where the page runs there: its library is asked for only there, and turns are taken by its batch counter.

const COUNTER = "controversy_started";

/** JATOS's library, ready; null where the page runs elsewhere. */
export async function findJatos() {
  if (!globalThis.jatos && !location.pathname.includes("/publix/")) return null;
  if (!globalThis.jatos) await load("jatos.js");
  await new Promise((resolve) => globalThis.jatos.onLoad(resolve));
  return globalThis.jatos;
}

function load(address) {
  const script = Object.assign(document.createElement("script"), { src: address });
  return new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${address} did not load`));
    document.head.append(script);
  });
}

/** How many started before in this batch. JATOS refuses a change made upon an old count, so no two get the same. */
export async function turn(jatos, tries = 20) {
  for (let i = 0; i < tries; i++) {
    const before = jatos.batchSession.get(COUNTER) ?? 0;
    try {
      await jatos.batchSession.set(COUNTER, before + 1);
      return before;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100 + 400 * Math.random()));
    }
  }
  return Number(jatos.workerId) || 0;
}

/** Hands all rows over after every answer, one hand-over at a time, the last one always with everything. */
export class JatosResults {
  #busy = Promise.resolve();
  #queued = false;

  constructor(jatos, text) {
    Object.assign(this, { jatos, text });
  }

  save() {
    if (this.#queued) return this.#busy;
    this.#queued = true;
    const send = () => {
      this.#queued = false;
      return this.jatos.submitResultData(this.text());
    };
    this.#busy = this.#busy.then(send, send);
    this.#busy.catch((problem) => console.warn(`JATOS took no data: ${problem}`));
    return this.#busy;
  }
}
