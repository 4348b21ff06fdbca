// The study as a server runs it: every answer goes there when it is given.
import { Api } from "./api.js";
import { Refused } from "./errors.js";
import { digest } from "./participant.js";
import { AnswerQueue } from "./queue.js";
import { persist } from "./retry.js";

/** Begins or continues a session; see `openStudy` in study.js for what it returns. */
export async function openServerStudy({ participant, memory, onTrouble, onQueue, api = new Api() }) {
  const key = `controversy.session.${participant ? digest(participant) : "nobody"}`;
  const { session, study, trials, answered } = await persist(() => enter(api, participant, key, memory), { onTrouble });
  api.token = session;
  memory.write(key, session);
  const maxMs = 1000 * (study.max_retry_s ?? 30);
  const queue = new AnswerQueue({
    send: (answer) => api.answer(answer),
    memory,
    prefix: answersOf(session),
    maxMs,
    onChange: onQueue,
  });
  globalThis.addEventListener?.("online", () => queue.wake());
  const stored = new Set(answered);
  return {
    study,
    trials,
    isAnswered: (trialId) => stored.has(trialId) || queue.has(trialId),
    imageAddress: (name) => `api/images/${name}`,
    submit: (answer) => queue.push(answer),
    waiting: () => queue.size,
    describe: (environment) => persist(() => api.environment(environment), { maxMs }).catch(report),
    async finish() {
      await queue.drained();
      const { completion } = await persist(() => api.complete(), { maxMs, onTrouble });
      return { code: completion?.code ?? null, leave: leaveTo(completion?.url ?? null), files: [] };
    },
  };
}

async function enter(api, participant, key, memory) {
  const kept = memory.read(key);
  if (kept) {
    api.token = kept;
    try {
      return await api.resume();
    } catch (problem) {
      if (!(problem instanceof Refused && [401, 403, 404].includes(problem.status))) throw problem;
      // Of another study that ran at this address; its answers have nowhere to go.
      memory.keys(answersOf(kept)).forEach((answer) => memory.forget(answer));
      memory.forget(key);
      api.token = null;
    }
  }
  return api.join(participant);
}

const answersOf = (session) => `controversy.answer.${digest(session).slice(0, 16)}.`;

function leaveTo(url) {
  return url === null ? null : () => globalThis.location.assign(url);
}

function report(problem) {
  console.error(`the screen was not recorded: ${problem.message}`);
}
