// The page from its beginning to its end.
import { initJsPsych } from "jspsych";
import { describeScreen } from "./environment.js";
import { Refused } from "./errors.js";
import { preload } from "./images.js";
import { Memory } from "./memory.js";
import { hideProgress, showProgress, showTrouble } from "./notices.js";
import { panel, showPanel } from "./panel.js";
import { participantIn } from "./participant.js";
import { plan } from "./plan.js";
import { saveFile } from "./save.js";
import * as screens from "./screens.js";
import { openStudy } from "./study.js";
import { timelineOf } from "./timeline.js";

const LEAVE_AFTER_MS = 15_000;
const root = document.getElementById("experiment");

async function main() {
  showPanel(root, screens.loading);
  const onTrouble = showTrouble;
  const source = await openStudy(document.querySelector('meta[name="controversy-mode"]').content, {
    participant: participantIn(location.search),
    query: location.search,
    memory: new Memory(),
    onTrouble,
    onQueue: ({ waiting, trouble }) => showTrouble(waiting ? trouble : null),
  });
  document.title = source.study.title;
  addEventListener("beforeunload", (event) => source.waiting() && event.preventDefault());
  const todo = plan(source.trials, source.isAnswered, source.study.break_every);
  if (todo.steps.length && !(await take(source, todo, onTrouble))) return showPanel(root, screens.declined);
  return end(source);
}

/** Everything up to the last answer; false where somebody does not agree. */
async function take(source, todo, onTrouble) {
  let progress = { loaded: 0, of: 1 };
  let onProgress = () => {};
  const names = todo.steps.filter(({ kind }) => kind === "trial").map(({ trial }) => trial.image);
  const loading = preload(names, source.imageAddress, {
    onProgress: (now) => onProgress((progress = now)),
    onTrouble,
  });
  // Whoever awaits it below hears of a failure; until then it is no unhandled one.
  loading.catch(() => {});
  if (!(await introduce(source.study, todo))) return false;
  const measuring = describeScreen();
  const shown = setTimeout(() => {
    onProgress = (now) => showPanel(root, screens.images(now));
    onProgress(progress);
  }, 300);
  const [images, { environment, frameMs }] = await Promise.all([loading, measuring]);
  clearTimeout(shown);
  source.describe(environment);
  await run(source, todo, images, frameMs);
  return true;
}

async function introduce(study, todo) {
  if (todo.started) {
    await panel(root, screens.welcomeBack(todo), ["Go on"]);
    return true;
  }
  const answer = await panel(root, study.consent_html, ["I agree to take part", "I do not agree"], { focus: false });
  if (answer !== 0) return false;
  await panel(root, study.instructions_html, ["Begin"]);
  return true;
}

async function run(source, todo, images, frameMs) {
  root.replaceChildren();
  const jsPsych = initJsPsych({ display_element: root });
  const timeline = timelineOf(todo.steps, { study: source.study, images, frameMs, submit: source.submit, showProgress });
  await jsPsych.run(timeline);
  hideProgress();
}

/** Waits until everything has arrived, and says goodbye. */
async function end(source) {
  const ticking = setInterval(() => showPanel(root, screens.sending(source.waiting())), 1000);
  if (source.waiting()) showPanel(root, screens.sending(source.waiting()));
  let done;
  try {
    done = await source.finish();
  } catch (problem) {
    if (!(problem instanceof Refused && problem.details.missing)) throw problem;
    clearInterval(ticking);
    await panel(root, screens.missing(problem.details.missing.length), ["Go on"]);
    return location.reload();
  } finally {
    clearInterval(ticking);
  }
  showTrouble(null);
  return goodbye(source.study.thanks_html, done);
}

async function goodbye(thanks, { code, leave, files }) {
  const html = [thanks, files.length && screens.files, code && screens.code(code), leave && screens.leaving];
  const text = html.filter(Boolean).join("");
  files.slice(0, 1).forEach(saveFile);
  if (leave) {
    setTimeout(leave, LEAVE_AFTER_MS);
    await panel(root, text, ["Finish"]);
    return leave();
  }
  if (!files.length) return showPanel(root, text).focus();
  for (;;) saveFile(files[await panel(root, text, files.map(({ label }) => `Save as ${label}`))]);
}

main().catch((problem) => {
  console.error(problem);
  hideProgress();
  showPanel(root, screens.refusal(problem));
});
