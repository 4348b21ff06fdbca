import assert from "node:assert/strict";
import { test } from "node:test";
import { lasting, measureFrame } from "../src/timing.js";
import { frames } from "./fakes.js";

for (const [hz, ms, expected] of [
  [60, 1000, 60],
  [60, 100, 6],
  [144, 100, 14],
  [60, 16, 1],
  [60, 20, 1],
  [60, 26, 2],
  [60, 0, 0],
]) {
  test(`${ms} ms at ${hz} Hz are ${expected} frames`, async () => {
    const frameMs = 1000 / hz;
    const next = frames(frameMs);
    const start = await next();
    const end = await lasting(start, ms, { now: start, frameMs, nextFrame: next });
    assert.equal(Math.round((end - start) / frameMs), expected);
  });
}

test("a frame that the browser lost does not lengthen the time by more than that frame", async () => {
  const frameMs = 1000 / 60;
  const next = frames(frameMs, { lose: [3, 4, 5] });
  const start = await next();
  const end = await lasting(start, 100, { now: start, frameMs, nextFrame: next });
  assert.equal(Math.round((end - start) / frameMs), 6);
});

test("the refresh rate is the median, so single lost frames do not matter", async () => {
  const frameMs = await measureFrame({ next: frames(1000 / 75, { lose: [7, 8, 20] }) });
  assert.ok(Math.abs(frameMs - 1000 / 75) < 1e-9);
});

test("a hidden page has no frames and so no refresh rate", async () => {
  assert.equal(await measureFrame({ timeoutMs: 5, next: () => new Promise(() => {}) }), null);
});
