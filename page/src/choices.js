// One question answered once, by button or key.

// The second click of a double click, meant for what was there before, comes within this time.
const DOUBLE_CLICK_MS = 350;
let lastAnswer = -Infinity;

/** A key as people see it on their keyboard. */
const label = (key) => (key.length === 1 ? key.toUpperCase() : key);

export class Choices {
  /**
   * @param element the group that the buttons go into
   * @param options [{value, text, key}]
   */
  constructor(element, options) {
    this.element = element;
    this.options = options;
    this.buttons = options.map(({ text, key }) => button(text, key));
    element.replaceChildren(...this.buttons);
    this.buttons.forEach((own) => (own.disabled = true));
  }

  /** Waits for the answer: {value, input: "key"|"button", time: ms since navigation start}. */
  answered() {
    return new Promise((resolve) => {
      const enable = () => this.buttons.forEach((own) => (own.disabled = false));
      const timer = setTimeout(enable, Math.max(0, lastAnswer + DOUBLE_CLICK_MS - performance.now()));
      const done = (option, input, event) => {
        clearTimeout(timer);
        document.removeEventListener("keydown", onKey);
        this.#close(option);
        lastAnswer = performance.now();
        resolve({ value: option.value, input, time: event.timeStamp });
      };
      const onKey = (event) => {
        if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
        const option = this.options.find(({ key }) => key?.toLowerCase() === event.key.toLowerCase());
        if (option) done(option, "key", event);
      };
      document.addEventListener("keydown", onKey);
      this.buttons.forEach((own, i) => (own.onclick = (event) => done(this.options[i], "button", event)));
    });
  }

  #close(chosen) {
    this.buttons.forEach((own, i) => {
      own.onclick = null;
      own.disabled = true;
      own.classList.toggle("chosen", this.options[i] === chosen);
    });
  }
}

function button(text, key) {
  const own = Object.assign(document.createElement("button"), { type: "button" });
  own.append(Object.assign(document.createElement("span"), { textContent: text }));
  if (key) {
    own.append(Object.assign(document.createElement("kbd"), { textContent: label(key), ariaHidden: "true" }));
    own.setAttribute("aria-keyshortcuts", label(key));
  }
  return own;
}
