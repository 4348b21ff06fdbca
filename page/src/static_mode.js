// The study from plain files: answers stay in this browser until the end, when they are handed over.
import { Refused, Unavailable } from "./errors.js";
import { findJatos, JatosResults, turn } from "./jatos.js";
import { digest, participantIn, randomId } from "./participant.js";
import { persist } from "./retry.js";
import { csv, environmentRow, judgmentRow } from "./rows.js";

/** Chooses a list, or continues with it; see `openStudy` in study.js for what it returns. */
export async function openStaticStudy({ participant, memory, query, onTrouble }) {
  const [jatos, { study, lists, salt }] = await Promise.all([findJatos(), persist(readStudy, { onTrouble })]);
  const given = participant ?? participantIn(new URLSearchParams(jatos?.urlQueryParameters ?? {}));
  const pseudonym = given && digest(salt + given);
  const key = `controversy.static.${digest(salt).slice(0, 16)}.${pseudonym ?? "nobody"}`;
  const kept = memory.read(key) ?? {
    participant: pseudonym ?? randomId(),
    list: await chooseList(lists.length, query, jatos),
    answers: [],
    environment: null,
  };
  const trials = lists[kept.list];
  const rows = () => [
    ...(kept.environment ? [environmentRow(kept.environment, kept)] : []),
    ...kept.answers.map((answer, index) => judgmentRow(answer, { ...kept, index })),
  ];
  const results = jatos && new JatosResults(jatos, () => JSON.stringify(rows()));
  const keep = () => {
    memory.write(key, kept);
    results?.save();
  };
  memory.write(key, kept);
  const answered = new Set(kept.answers.map((answer) => answer.trial_id));
  return {
    study,
    trials,
    isAnswered: (trialId) => answered.has(trialId),
    imageAddress: (name) => `images/${name}`,
    submit(answer) {
      if (answered.has(answer.trial_id)) return;
      answered.add(answer.trial_id);
      kept.answers.push(answer);
      keep();
    },
    waiting: () => 0,
    describe(environment) {
      kept.environment = environment;
      keep();
    },
    async finish() {
      if (!jatos) return { code: null, leave: null, files: files(rows(), kept.participant) };
      await persist(() => results.save().catch(comeAgain), { onTrouble });
      return { code: null, leave: () => jatos.endStudy(), files: [] };
    },
  };
}

async function readStudy() {
  const response = await fetch("study.json").catch(comeAgain);
  if (!response.ok) throw new Refused(response.status, "study.json is missing beside the page");
  return response.json();
}

function comeAgain(problem) {
  throw new Unavailable(problem.message ?? String(problem));
}

async function chooseList(n, query, jatos) {
  const asked = new URLSearchParams(query).get("list");
  if (asked !== null) {
    if (/^\d+$/.test(asked) && Number(asked) < n) return Number(asked);
    throw new Refused(404, `there is no list ${asked}: they are 0 to ${n - 1}`);
  }
  return jatos ? (await turn(jatos)) % n : Math.floor(Math.random() * n);
}

function files(rows, participant) {
  const name = `answers-${participant.slice(0, 12)}`;
  return [
    { label: "JSON", name: `${name}.json`, type: "application/json", text: JSON.stringify(rows, null, 1) },
    { label: "CSV", name: `${name}.csv`, type: "text/csv", text: csv(rows) },
  ];
}
