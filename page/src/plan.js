// What a participant still has to do, in order.

/**
 * @param trials of the list, as the server gives them
 * @param isAnswered tells whether a trial has its answer
 * @param breakEvery trials between breaks; null for none
 * @returns {started, steps}: whether this is a return, and steps {kind: "trial"|"break"|"ready", ...}
 */
export function plan(trials, isAnswered, breakEvery) {
  const practice = trials.filter((trial) => trial.practice);
  const scored = trials.filter((trial) => !trial.practice);
  const left = scored.filter((trial) => !isAnswered(trial.trial_id));
  const done = scored.length - left.length;
  const started = done > 0;
  const steps = [];
  if (!started && practice.length && left.length) {
    practice.forEach((trial, i) => steps.push({ kind: "trial", trial, number: i + 1, of: practice.length }));
    steps.push({ kind: "ready", of: scored.length });
  }
  left.forEach((trial, i) => {
    const before = done + i;
    if (i > 0 && breakEvery && before % breakEvery === 0) {
      steps.push({ kind: "break", done: before, of: scored.length });
    }
    steps.push({ kind: "trial", trial, number: before + 1, of: scored.length });
  });
  return { started, steps, done, of: scored.length };
}
