// Who takes part, as far as the page may know: an id in its address, which is kept nowhere as it stands.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const NAMES = ["participant", "PROLIFIC_PID", "survey_code"];

/** The id in a query, as recruiting platforms put it there; null without one. */
export function participantIn(query) {
  const given = new URLSearchParams(query);
  const name = NAMES.find((name) => given.get(name)?.trim());
  return name ? given.get(name).trim() : null;
}

// Not crypto.subtle: browsers have it only on https and localhost.
export function digest(text) {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

export function randomId() {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
}
