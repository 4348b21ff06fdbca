// What is always there: how far one is, and whether answers get through.

const at = (id) => document.getElementById(id);

export function showProgress({ label, done, of }) {
  at("progress").hidden = false;
  at("progress-text").textContent = label;
  Object.assign(at("progress-bar"), { max: of, value: done });
}

export function hideProgress() {
  at("progress").hidden = true;
}

/** @param trouble why something does not get through; null when it does */
export function showTrouble(trouble) {
  const text = trouble ? "No connection. Answers are kept and sent later." : "";
  if (at("status").textContent !== text) at("status").textContent = text;
}
