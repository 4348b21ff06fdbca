// The task, as a jsPsych plugin: fixation, image, mask, two alternatives, confidence.
import { ParameterType } from "jspsych";
import { Choices } from "./choices.js";
import { Stage } from "./stage.js";
import { lasting, nextFrame } from "./timing.js";

const KEYS_OF_LEVELS = "123456789";

const info = {
  name: "two-alternative",
  version: "1.0.0",
  parameters: {
    trial_id: { type: ParameterType.STRING },
    image: { type: ParameterType.OBJECT },
    left: { type: ParameterType.STRING },
    right: { type: ParameterType.STRING },
    study: { type: ParameterType.OBJECT },
    frame_ms: { type: ParameterType.FLOAT },
  },
  data: {
    trial_id: { type: ParameterType.STRING },
    response: { type: ParameterType.STRING },
    confidence: { type: ParameterType.INT },
    rt_ms: { type: ParameterType.FLOAT },
    onset_ms: { type: ParameterType.FLOAT },
    shown_ms: { type: ParameterType.FLOAT },
    input: { type: ParameterType.STRING },
    answered_at: { type: ParameterType.STRING },
  },
};

export class TwoAlternativePlugin {
  static info = info;

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  async trial(display, trial, onLoad) {
    const { study } = trial;
    const screen = build(display, study.question);
    const stage = new Stage(screen.stage, {
      image: trial.image,
      imageSize: study.image_size,
      scale: study.image_scale,
      mask: study.mask,
      seed: trial.trial_id,
    });
    const sides = ["left", "right"].map((side) => ({ value: side, text: trial[side], key: study.keys[side] }));
    const choices = new Choices(screen.answers, sides);
    onLoad();
    const { onset, shown, choice } = await present(stage, choices, study, trial.frame_ms);
    const confidence = study.confidence ? await askConfidence(screen, study.confidence.labels) : null;
    stage.close();
    this.jsPsych.finishTrial({
      trial_id: trial.trial_id,
      response: choice.value,
      confidence,
      rt_ms: tenth(Math.max(0, choice.time - onset)),
      onset_ms: tenth(onset),
      shown_ms: tenth(shown),
      input: choice.input,
      answered_at: new Date().toISOString(),
    });
  }
}

/** Shows everything in its frames; an answer counts from the image's onset on, and shortens no set time. */
async function present(stage, choices, study, frameMs) {
  let now = await nextFrame();
  const hold = async (start, ms) => (now = await lasting(start, ms, { now, frameMs }));
  if (study.fixation_ms > 0) {
    stage.show("cross");
    await hold(now, study.fixation_ms);
  }
  stage.show("image");
  const answer = choices.answered();
  const drawn = now;
  const onset = (now = await nextFrame());
  if (study.image_ms === null) {
    await answer;
    now = await nextFrame();
  } else await hold(drawn, study.image_ms);
  const replaced = now;
  stage.show(study.mask ? "mask" : "nothing");
  const shown = (now = await nextFrame()) - onset;
  if (study.mask && study.mask_ms !== null) {
    await hold(replaced, study.mask_ms);
    stage.show("nothing");
  }
  const choice = await answer;
  stage.show("nothing");
  return { onset, shown, choice };
}

async function askConfidence(screen, labels) {
  const levels = labels.map((text, i) => ({ value: i + 1, text, key: KEYS_OF_LEVELS[i] }));
  screen.question.textContent = "How sure are you?";
  screen.answers.className = labels.length > 5 ? "answers scale long" : "answers scale";
  screen.answers.setAttribute("aria-label", "How sure are you?");
  const { value } = await new Choices(screen.answers, levels).answered();
  return value;
}

function build(display, text) {
  const element = (name, className, parent, properties = {}) =>
    parent.appendChild(Object.assign(document.createElement(name), { className, ...properties }));
  display.replaceChildren();
  const trial = element("section", "trial", display);
  const stage = element("div", "stage", trial);
  const question = element("h1", "question", trial, { textContent: text });
  const answers = element("div", "answers", trial);
  answers.setAttribute("role", "group");
  answers.setAttribute("aria-label", text);
  return { stage, question, answers };
}

const tenth = (ms) => Math.round(ms * 10) / 10;
