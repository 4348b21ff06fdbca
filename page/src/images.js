// All images, decoded before the first is shown.
import { Refused, Unavailable } from "./errors.js";
import { persist } from "./retry.js";

const AT_ONCE = 4;

/**
 * @param names of the images
 * @param address name -> where it is
 * @param onProgress called with {loaded, of}
 * @returns a Map of name -> ImageBitmap
 */
export async function preload(names, address, { onProgress = () => {}, onTrouble = () => {} } = {}) {
  const todo = [...new Set(names)];
  const images = new Map();
  const of = todo.length;
  const worker = async () => {
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      images.set(name, await persist(() => load(address(name)), { onTrouble }));
      onProgress({ loaded: images.size, of });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return images;
}

async function load(address) {
  let response;
  try {
    response = await fetch(address);
    if (response.ok) return await createImageBitmap(await response.blob(), { colorSpaceConversion: "none" });
  } catch (problem) {
    throw new Unavailable(`an image did not arrive (${problem.message})`);
  }
  if (response.status >= 500 || response.status === 429) {
    const seconds = Number(response.headers.get("Retry-After")) || 0;
    throw new Unavailable(`an image did not arrive (status ${response.status})`, { retryAfterMs: seconds * 1000 });
  }
  throw new Refused(response.status, `an image is missing (status ${response.status})`);
}
