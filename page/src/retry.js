// Trying again with growing pauses.
import { Unavailable } from "./errors.js";

const FIRST_MS = 500;

/** A pause that can be cut short, as when the browser says that it is online again. */
export class Pause {
  #wake = () => {};

  wait(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake() {
    this.#wake();
  }
}

/** Doubles with each attempt up to `maxMs`, by chance up to half less so that a crowd spreads out; never less
 * than what the server asked for. */
export function pauseMs(attempt, maxMs, retryAfterMs = 0, random = Math.random) {
  const longest = Math.min(maxMs, FIRST_MS * 2 ** Math.min(attempt, 20));
  return Math.max(retryAfterMs, longest * (1 - random() / 2));
}

/** Does `task` until it neither throws `Unavailable` nor anything else; the rest is thrown on. */
export async function persist(task, { maxMs = 30_000, pause = new Pause(), onTrouble = () => {} } = {}) {
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await task();
      if (attempt > 0) onTrouble(null);
      return result;
    } catch (problem) {
      if (!(problem instanceof Unavailable)) throw problem;
      onTrouble(problem);
      await pause.wait(pauseMs(attempt, maxMs, problem.retryAfterMs));
    }
  }
}
