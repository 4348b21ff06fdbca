import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Unavailable } from "../src/errors.js";
import { pageStorage } from "../src/memory.js";
import { AnswerQueue } from "../src/queue.js";
import { answer, memory } from "./fakes.js";

const queue = (send, kept = memory(), onChange) =>
  new AnswerQueue({ send, memory: kept, prefix: "answer.", maxMs: 1, onChange });

test("an answer is in the browser's memory before it is sent, and leaves it when the server has it", async () => {
  const kept = memory();
  const seen = [];
  const q = queue(async (sent) => void seen.push(kept.read(`answer.${sent.trial_id}`)?.trial_id), kept);
  q.push(answer("a"));
  assert.equal(kept.read("answer.a").trial_id, "a");
  await q.drained();
  assert.deepEqual(seen, ["a"]);
  assert.deepEqual(kept.keys("answer."), []);
});

test("an answer that does not get through is tried until it does, and none overtakes it", async () => {
  const sent = [];
  let failures = 3;
  const told = [];
  const send = async (own) => {
    if (failures-- > 0) throw new Unavailable("no connection");
    sent.push(own.trial_id);
  };
  const q = queue(send, memory(), ({ waiting, trouble }) => told.push([waiting, trouble?.message ?? null]));
  q.push(answer("a"));
  q.push(answer("b"));
  await q.drained();
  assert.deepEqual(sent, ["a", "b"]);
  assert.deepEqual(told[0], [2, "no connection"]);
  assert.deepEqual(told.at(-1), [0, null]);
});

test("the first answer to a trial counts", async () => {
  const sent = [];
  const q = queue(async (own) => void sent.push(own.response));
  assert.equal(q.push({ ...answer("a"), response: "left" }), true);
  assert.equal(q.push({ ...answer("a"), response: "right" }), false);
  await q.drained();
  assert.equal(q.push({ ...answer("a"), response: "right" }), false);
  await q.drained();
  assert.deepEqual(sent, ["left"]);
});

test("answers that a closed page left are sent by the next, oldest first, and count as answered", async () => {
  const storage = pageStorage();
  const stuck = queue(() => new Promise(() => {}), memory(storage));
  stuck.push(answer("late", "2026-01-01T00:00:02Z"));
  stuck.push(answer("early", "2026-01-01T00:00:01Z"));
  const sent = [];
  const next = queue(async (own) => void sent.push(own.trial_id), memory(storage));
  assert.ok(next.has("late") && next.has("early") && !next.has("other"));
  await next.drained();
  assert.deepEqual(sent, ["early", "late"]);
});

test("an answer that the server refuses for good holds up no other", async (context) => {
  context.mock.method(console, "error", () => {});
  const sent = [];
  const q = queue(async (own) => {
    if (own.trial_id === "bad") throw new Refused(422, "confidence: has to be 1 to 4");
    sent.push(own.trial_id);
  });
  q.push(answer("bad"));
  q.push(answer("good"));
  await q.drained();
  assert.deepEqual(sent, ["good"]);
  assert.equal(q.refused.length, 1);
});

test("answers pushed at any moment are all sent once", async () => {
  const sent = [];
  const q = queue(async (own) => {
    sent.push(own.trial_id);
    // Within the last turns of the sending loop, where a push might be overlooked.
    if (sent.length < 50) Promise.resolve().then(() => q.push(answer(`t${sent.length}`)));
  });
  q.push(answer("t0"));
  await q.drained();
  while (q.size) await q.drained();
  assert.equal(sent.length, 50);
  assert.equal(new Set(sent).size, 50);
});

test("coming back online sends at once", async () => {
  let online = false;
  const q = new AnswerQueue({
    send: async () => {
      if (!online) throw new Unavailable("offline", { retryAfterMs: 3_600_000 });
    },
    memory: memory(),
    prefix: "answer.",
    maxMs: 3_600_000,
  });
  q.push(answer("a"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(q.size, 1);
  online = true;
  q.wake();
  await q.drained();
  assert.equal(q.size, 0);
});
