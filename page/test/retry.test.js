import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Unavailable } from "../src/errors.js";
import { pauseMs, persist } from "../src/retry.js";

test("pauses double up to their limit, are spread by chance, and never shorter than the server asks", () => {
  const longest = [0, 1, 2, 3, 10].map((attempt) => pauseMs(attempt, 5000, 0, () => 0));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 5000]);
  assert.equal(pauseMs(10, 5000, 0, () => 1), 2500);
  assert.equal(pauseMs(0, 5000, 7000, () => 1), 7000);
});

test("what is unavailable is tried again; what is refused is not", async () => {
  let calls = 0;
  const result = await persist(async () => {
    calls += 1;
    if (calls < 4) throw new Unavailable("busy");
    return "there";
  }, { maxMs: 1 });
  assert.deepEqual([result, calls], ["there", 4]);
  await assert.rejects(
    persist(async () => {
      throw new Refused(403, "closed");
    }),
    { status: 403 },
  );
});

test("trouble is told while it lasts, and its end", async () => {
  const told = [];
  let calls = 0;
  await persist(
    async () => {
      if (calls++ < 2) throw new Unavailable("busy");
    },
    { maxMs: 1, onTrouble: (problem) => told.push(problem?.message ?? null) },
  );
  assert.deepEqual(told, ["busy", "busy", null]);
});
