// Time in frames of the screen. What is drawn in a frame is on screen one frame later, when it appears and when
// it goes alike; so a duration is right to the frame, and an onset is the time stamp of the frame that follows.

/** The time stamp of the next frame; what is drawn right after `await`ing it belongs to that frame. */
export const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/**
 * Waits for the frame in which a change makes what was drawn at `start` last `ms`.
 *
 * @param start time stamp of the frame in which it was drawn
 * @param ms how long it lasts, to the nearest frame
 * @param clock {now: the current frame's time stamp, frameMs, nextFrame}
 * @returns that frame's time stamp
 */
export async function lasting(start, ms, { now, frameMs, nextFrame: next = nextFrame }) {
  let frame = now;
  while (frame - start < ms - frameMs / 2) frame = await next();
  return frame;
}

/** The median time between frames, in ms; null where the page is hidden, so that there are no frames. */
export async function measureFrame({ frames = 40, timeoutMs = 3000, next = nextFrame } = {}) {
  const times = [];
  const measured = (async () => {
    while (times.length <= frames) times.push(await next());
    return true;
  })();
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  const done = await Promise.race([measured, late]);
  clearTimeout(timer);
  return done ? median(times.slice(1).map((time, i) => time - times[i])) : null;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
