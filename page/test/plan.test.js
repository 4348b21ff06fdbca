import assert from "node:assert/strict";
import { test } from "node:test";
import { plan } from "../src/plan.js";

const trials = [
  ...["p1", "p2"].map((trial_id) => ({ trial_id, practice: true })),
  ...["a", "b", "c", "d", "e"].map((trial_id) => ({ trial_id, practice: false })),
];
const told = ({ steps }) => steps.map((step) => step.trial?.trial_id ?? step.kind);
const after = (answered, breakEvery = null) => plan(trials, (id) => answered.includes(id), breakEvery);

test("practice comes first, then every trial in the list's order", () => {
  assert.deepEqual(told(after([])), ["p1", "p2", "ready", "a", "b", "c", "d", "e"]);
  assert.equal(after([]).started, false);
});

test("who returns goes on at the first unanswered trial, without practice, and keeps their count", () => {
  const again = after(["a", "b", "d"]);
  assert.deepEqual(told(again), ["c", "e"]);
  assert.equal(again.started, true);
  assert.deepEqual(again.steps.map(({ number, of }) => [number, of]), [[4, 5], [5, 5]]);
});

test("breaks come after every n trials, neither at the start nor at the end", () => {
  assert.deepEqual(told(after([], 2)).slice(3), ["a", "b", "break", "c", "d", "break", "e"]);
  assert.deepEqual(told(after(["a", "b"], 2)), ["c", "d", "break", "e"]);
  assert.deepEqual(told(after([], 5)).slice(3), ["a", "b", "c", "d", "e"]);
});

test("who has finished has nothing to do", () => {
  assert.deepEqual(told(after(["a", "b", "c", "d", "e"])), []);
});
