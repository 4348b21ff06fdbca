import assert from "node:assert/strict";
import { test } from "node:test";
import { digest, participantIn } from "../src/participant.js";
import { csv, environmentRow, judgmentRow } from "../src/rows.js";

test("a judgment's row has jsPsych's rt in milliseconds and the answer's fields", () => {
  const row = judgmentRow({ trial_id: "t", response: "left", confidence: 2, rt_ms: 812.3 }, { participant: "x", list: 3, index: 7 });
  assert.deepEqual(row, {
    trial_type: "two-alternative", trial_index: 7, participant: "x", list: 3, rt: 812.3, trial_id: "t", response: "left", confidence: 2,
  });
});

test("the screen's row is flat", () => {
  const row = environmentRow({ screen: { width: 1, height: 2 }, refresh_rate_hz: null, touch: false }, { participant: "x", list: 0 });
  assert.deepEqual(row, {
    trial_type: "environment", participant: "x", list: 0, screen_width: 1, screen_height: 2, refresh_rate_hz: null, touch: false,
  });
});

test("CSV quotes what RFC 4180 asks for and leaves missing values empty", () => {
  assert.equal(csv([{ a: 'say "x", y', b: null }, { b: 2, c: "two\nlines" }]), 'a,b,c\r\n"say ""x"", y",,\r\n,2,"two\nlines"\r\n');
});

test("the id is found under the names that platforms use", () => {
  assert.equal(participantIn("?PROLIFIC_PID=abc&STUDY_ID=s"), "abc");
  assert.equal(participantIn("?survey_code=77"), "77");
  assert.equal(participantIn("?participant=%20x%20&PROLIFIC_PID=y"), "x");
  assert.equal(participantIn("?participant=&list=2"), null);
});

test("the digest is SHA-256 (FIPS 180-2, appendix B.1)", () => {
  assert.equal(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
