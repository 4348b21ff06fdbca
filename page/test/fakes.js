// Stand-ins for a browser's parts.
import { Memory, pageStorage } from "../src/memory.js";

export const memory = (storage = pageStorage()) => new Memory(storage);

/** A screen that shows a frame every `ms`, whenever somebody waits for one. */
export function frames(ms, { lose = [] } = {}) {
  let n = 0;
  return async () => {
    n += 1;
    while (lose.includes(n)) n += 1;
    return n * ms;
  };
}

export const answer = (trialId, at = "2026-01-01T00:00:00.000Z") => ({
  trial_id: trialId,
  response: "left",
  answered_at: at,
});

export const response = (status, body, headers = {}) =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
