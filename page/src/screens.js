// What the page says itself, around the texts of the study.
import { escaped } from "./panel.js";

export const loading = `<h1>One moment</h1><p>The study is loading.</p>`;

export const declined = `<h1>Thank you</h1><p>You chose not to take part. You can close this page.</p>`;

export const images = ({ loaded, of }) =>
  `<h1>One moment</h1><p>The pictures are loading: ${loaded} of ${of}.</p>
  <progress max="${of}" value="${loaded}" aria-label="Pictures loaded"></progress>`;

export const ready = ({ of }) =>
  `<h1>Practice is over</h1><p>Now it begins: ${of} pictures. Keep the window at its size, please.</p>`;

export const pause = ({ done, of }) =>
  `<h1>Time for a break</h1><p>${done} of ${of} pictures are done. Go on when you are rested.</p>`;

export const welcomeBack = ({ done, of }) =>
  `<h1>Welcome back</h1><p>You have done ${done} of ${of} pictures. You go on where you stopped.</p>`;

export const sending = (waiting) =>
  `<h1>Almost done</h1><p>${waiting === 1 ? "1 answer is" : `${waiting} answers are`} still being sent. Please keep this page open.</p>
  <progress aria-label="Sending"></progress>`;

export const code = (text) => `<p>Your completion code:</p><p class="code">${escaped(text)}</p>`;

export const leaving = `<p>Please press the button, so that your participation is registered.</p>`;

export const files = `<p>This browser saves a file with your answers. Please send it to the researchers.</p>`;

export const missing = (n) =>
  `<h1>Something is missing</h1><p>${n === 1 ? "One answer" : `${n} answers`} did not arrive. Please give ${n === 1 ? "it" : "them"} again.</p>`;

/** Why the study cannot be shown, in words for participants. */
export function refusal(problem) {
  const reasons = {
    403: ["This study is closed", "It does not take part any more people. Thank you for your interest."],
    409: ["All places are taken", "This study has enough participants at the moment. Thank you for your interest."],
  };
  const [title, text] = reasons[problem.status] ?? [
    "This did not work",
    `The study cannot be shown. Please load the page again, or tell the researchers: ${escaped(problem.message)}`,
  ];
  return `<h1>${title}</h1><p>${text}</p>`;
}
