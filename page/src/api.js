// The experiment's server, over HTTP.
import { Refused, Unavailable } from "./errors.js";

const TIMEOUT_MS = 20_000;
const COME_AGAIN = new Set([408, 425, 429]);

export class Api {
  token = null;

  constructor(fetch = globalThis.fetch.bind(globalThis)) {
    this.fetch = fetch;
  }

  join(participant) {
    return this.#call("POST", "api/sessions", { participant });
  }

  resume() {
    return this.#call("GET", "api/sessions");
  }

  environment(description) {
    return this.#call("POST", "api/sessions/environment", description);
  }

  answer(answer) {
    return this.#call("POST", "api/trials", answer);
  }

  complete() {
    return this.#call("POST", "api/sessions/complete", {});
  }

  async #call(method, path, body) {
    const headers = { Accept: "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body) headers["Content-Type"] = "application/json";
    const options = { method, headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) };
    // keepalive: an answer on its way arrives although the page is left.
    if (body) Object.assign(options, { body: JSON.stringify(body), keepalive: true });
    return read(await this.#reach(path, options));
  }

  async #reach(path, options) {
    try {
      return await this.fetch(path, options);
    } catch (problem) {
      throw new Unavailable(`no connection (${problem.message})`);
    }
  }
}

async function read(response) {
  if (response.status === 204) return null;
  let content;
  try {
    content = await response.json();
  } catch {
    content = null;
  }
  if (response.ok && content) return content;
  const reason = content?.error ?? `status ${response.status}`;
  // An answer that is no JSON does not come from our server, but from a proxy or a hotel's login page.
  if (response.ok || response.status >= 500 || COME_AGAIN.has(response.status)) {
    const seconds = Number(response.headers.get("Retry-After"));
    throw new Unavailable(reason, { retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0 });
  }
  throw new Refused(response.status, reason, content ?? {});
}
