// A screen of text with buttons.

// A double click on one screen's button must not press the next one's.
const CLOSED_MS = 350;

/**
 * @param root what it fills
 * @param html trusted: ours, or the server's sanitised text
 * @param buttons texts; the first is the usual way on
 * @param focus whether the first button has the keyboard from the start, so that Enter or Space goes on
 * @returns {Promise<number>} which button
 */
export function panel(root, html, buttons, { focus = true } = {}) {
  const section = showPanel(root, html);
  const row = Object.assign(document.createElement("div"), { className: "ways" });
  section.append(row);
  return new Promise((resolve) => {
    const own = buttons.map((text, i) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
      button.className = i === 0 ? "main" : "";
      button.disabled = true;
      button.onclick = () => resolve(i);
      return row.appendChild(button);
    });
    setTimeout(() => {
      own.forEach((button) => (button.disabled = false));
      // Without scrolling: the text is read from its beginning.
      (focus ? own[0] : section).focus({ preventScroll: true });
    }, CLOSED_MS);
  });
}

/** A screen of text without buttons. */
export function showPanel(root, html) {
  const section = Object.assign(document.createElement("section"), { className: "panel", innerHTML: html });
  section.tabIndex = -1;
  root.replaceChildren(section);
  globalThis.scrollTo(0, 0);
  return section;
}

/** Text as HTML that shows it. */
export function escaped(text) {
  return Object.assign(document.createElement("span"), { textContent: text }).innerHTML;
}
