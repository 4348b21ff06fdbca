// Where a study comes from: a server, or files beside the page.
import { openServerStudy } from "./server_mode.js";
import { openStaticStudy } from "./static_mode.js";

/**
 * @returns {Promise<object>} what the rest of the page knows of either:
 *   study, trials       what is shown
 *   isAnswered(trialId) whether a trial has its answer already
 *   imageAddress(name)  where an image is
 *   submit(answer)      keeps an answer; returns at once
 *   waiting()           answers that are not yet where they belong
 *   describe(screen)    keeps what the screen is like
 *   finish()            resolves when everything is where it belongs, with {code, leave: function|null, files}
 */
export function openStudy(mode, options) {
  return mode === "static" ? openStaticStudy(options) : openServerStudy(options);
}
