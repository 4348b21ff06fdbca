// What is recorded of the screen: nothing that tells one person from another.
import { measureFrame } from "./timing.js";

export async function describeScreen() {
  const frameMs = await measureFrame();
  const environment = {
    screen: { width: screen.width, height: screen.height, pixel_ratio: devicePixelRatio },
    viewport: { width: Math.max(1, innerWidth), height: Math.max(1, innerHeight) },
    time_zone: (Intl.DateTimeFormat().resolvedOptions().timeZone ?? "").slice(0, 64),
    refresh_rate_hz: frameMs ? Math.min(1000, Math.max(1, Math.round(10_000 / frameMs) / 10)) : null,
    touch: matchMedia("(pointer: coarse)").matches,
  };
  return { environment, frameMs: frameMs ?? 1000 / 60 };
}
