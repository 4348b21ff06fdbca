// Where the image, the fixation cross and the mask are drawn: one canvas, pixel for pixel of the screen.
import { maskPixels } from "./mask.js";
import { fit } from "./scale.js";

export class Stage {
  #shown = "nothing";

  /** @param element what the canvas lies in; its size is the room that there is */
  constructor(element, { image, imageSize, scale, seed, mask }) {
    Object.assign(this, { element, image, imageSize, scale });
    this.cross = Object.assign(document.createElement("div"), { className: "cross" });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "the picture");
    element.append(this.cross, this.canvas);
    this.mask = mask ? maskOf(image, seed) : null;
    this.show("nothing");
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(element);
    this.#draw();
  }

  /** @param what "nothing", "cross", "image" or "mask" */
  show(what) {
    const before = this.#shown;
    this.#shown = what;
    this.cross.hidden = what !== "cross";
    this.canvas.classList.toggle("invisible", what !== "image" && what !== "mask");
    if ((what === "mask") !== (before === "mask")) this.#draw();
  }

  close() {
    this.observer.disconnect();
  }

  #draw() {
    const ratio = devicePixelRatio;
    const room = [this.element.clientWidth, this.element.clientHeight];
    if (!room[0] || !room[1]) return;
    const { factor, width, height } = fit(this.imageSize, room, ratio, this.scale);
    const { canvas } = this;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#align(ratio, room);
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = factor < 1;
    context.drawImage(this.#shown === "mask" ? this.mask : this.image, 0, 0, width, height);
  }

  // Browsers lay out in 64ths of a CSS pixel, which at most pixel ratios is between screen pixels, where a canvas
  // would be resampled. A transform has no such grid: the canvas lies at the page's corner, as large in CSS pixels as
  // it has pixels, and is brought to its size and place by one.
  #align(ratio, room) {
    const { left, top } = this.element.getBoundingClientRect();
    const place = (start, side, own) => Math.round((start + side / 2) * ratio - own / 2) / ratio;
    const x = place(left + scrollX, room[0], this.canvas.width);
    const y = place(top + scrollY, room[1], this.canvas.height);
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${1 / ratio})`;
  }
}

function maskOf(image, seed) {
  const { width, height } = image;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  context.putImageData(new ImageData(maskPixels(data, width, height, seed), width, height), 0, 0);
  return canvas;
}
