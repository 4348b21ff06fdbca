// The plan as jsPsych runs it.
import { panel } from "./panel.js";
import * as screens from "./screens.js";
import { TwoAlternativePlugin } from "./trial.js";

/** A screen of text between trials. */
class PanelPlugin {
  static info = { name: "panel", version: "1.0.0", parameters: {}, data: {} };

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  async trial(display, { html }, onLoad) {
    const pressed = panel(display, html, ["Go on"]);
    onLoad();
    await pressed;
    this.jsPsych.finishTrial();
  }
}

export function timelineOf(steps, { study, images, frameMs, submit, showProgress }) {
  return steps.map((step) => {
    if (step.kind !== "trial") {
      const html = step.kind === "break" ? screens.pause(step) : screens.ready(step);
      return { type: PanelPlugin, html };
    }
    const { trial, number, of } = step;
    const label = `${trial.practice ? "Practice" : "Picture"} ${number} of ${of}`;
    return {
      type: TwoAlternativePlugin,
      trial_id: trial.trial_id,
      image: images.get(trial.image),
      left: trial.left,
      right: trial.right,
      study,
      frame_ms: frameMs,
      on_start: () => showProgress({ label, done: number - 1, of }),
      on_finish: (data) => trial.practice || submit(answerOf(data)),
    };
  });
}

const FIELDS = "trial_id response confidence rt_ms onset_ms shown_ms input answered_at".split(" ");

const answerOf = (data) => Object.fromEntries(FIELDS.map((name) => [name, data[name]]));
