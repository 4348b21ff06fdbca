// How large an image is drawn: whole screen pixels for each of its pixels.

/** The longest side of an image in CSS pixels, so that it is about as large on every screen. */
export const LONGEST_SIDE = 480;

/**
 * @param image [width, height] in its own pixels
 * @param box [width, height] that there is room for, in CSS pixels
 * @param ratio screen pixels in a CSS pixel (devicePixelRatio)
 * @param wanted CSS pixels for each of its pixels; null: as many as fit
 * @returns {factor, width, height}: screen pixels for each of its pixels, and the size in screen pixels. Where even
 *   one for one does not fit, `factor` is below 1 and no longer whole.
 */
export function fit(image, box, ratio, wanted = null) {
  const room = Math.min(...box.map((side, i) => (side * ratio) / image[i]));
  const usual = (LONGEST_SIDE * ratio) / Math.max(...image);
  const most = Math.floor(room);
  const chosen = wanted === null ? Math.floor(usual) : Math.round(wanted * ratio);
  const factor = most < 1 ? room : Math.max(1, Math.min(chosen, most));
  return { factor, width: Math.round(image[0] * factor), height: Math.round(image[1] * factor) };
}
