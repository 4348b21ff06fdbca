import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../src/api.js";
import { Refused, Unavailable } from "../src/errors.js";
import { openServerStudy } from "../src/server_mode.js";
import { memory, response } from "./fakes.js";

const answering = (...answers) => {
  const calls = [];
  const fetch = async (path, options) => {
    calls.push({ path, ...options });
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  return { api: new Api(fetch), calls };
};

test("the session's token travels in a header and never in an address", async () => {
  const { api, calls } = answering(response(200, { stored: true, new: true }));
  api.token = "secret";
  await api.answer({ trial_id: "a" });
  assert.equal(calls[0].headers.Authorization, "Bearer secret");
  assert.equal(calls[0].path, "api/trials");
  assert.deepEqual(JSON.parse(calls[0].body), { trial_id: "a" });
});

test("lost connections, floods, faults and pages of strangers are tried again later", async () => {
  const later = [
    new TypeError("Failed to fetch"),
    response(429, { error: "too fast" }, { "Retry-After": "3" }),
    response(503, { error: "no space" }),
    response(500, undefined),
    new Response("<html>Log in to the hotel's network</html>", { status: 200 }),
  ];
  const { api } = answering(...later);
  const waits = [];
  for (const _ of later) {
    await assert.rejects(api.complete(), (problem) => {
      waits.push(problem.retryAfterMs);
      return problem instanceof Unavailable;
    });
  }
  assert.deepEqual(waits, [0, 3000, 0, 0, 0]);
});

test("a refusal carries the server's status, reason and details", async () => {
  const { api } = answering(response(409, { error: "2 answers are missing", missing: ["a", "b"] }));
  await assert.rejects(api.complete(), (problem) => {
    assert.ok(problem instanceof Refused);
    assert.deepEqual([problem.status, problem.message, problem.details.missing], [409, "2 answers are missing", ["a", "b"]]);
    return true;
  });
});

const session = (token, answered = []) => response(200, { session: token, study: {}, trials: [], answered });
const open = (api, kept, participant = null) =>
  openServerStudy({ participant, memory: kept, onTrouble() {}, onQueue() {}, api });

test("a browser that was here continues its session by its token", async () => {
  const kept = memory();
  await open(answering(session("first")).api, kept);
  const { api, calls } = answering(session("first", ["a"]));
  const source = await open(api, kept);
  assert.deepEqual([calls[0].method, calls[0].headers.Authorization], ["GET", "Bearer first"]);
  assert.ok(source.isAnswered("a") && !source.isAnswered("b"));
});

test("another participant in the same browser has a session of their own", async () => {
  const kept = memory();
  await open(answering(session("of anna")).api, kept, "anna");
  const { api, calls } = answering(session("of berta"));
  await open(api, kept, "berta");
  assert.deepEqual([calls[0].method, JSON.parse(calls[0].body)], ["POST", { participant: "berta" }]);
  assert.ok(!kept.keys("").some((key) => key.includes("anna") || key.includes("berta")));
});

test("a token that the server no longer knows is replaced, and answers of its study forgotten", async () => {
  const kept = memory();
  const stuck = answering(session("old"), new TypeError("offline"));
  (await open(stuck.api, kept)).submit({ trial_id: "a", answered_at: "2026-01-01" });
  assert.equal(kept.keys("controversy.answer.").length, 1);
  const { api } = answering(response(401, { error: "unknown session" }), session("new"));
  const source = await open(api, kept);
  assert.equal(api.token, "new");
  assert.equal(kept.keys("controversy.answer.").length, 0);
  assert.ok(!source.isAnswered("a"));
});
