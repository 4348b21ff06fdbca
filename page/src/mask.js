// A mask made for an image: noise with its mean and contrast in each colour and with the 1/f spectrum of natural
// images, the same for the same seed.

/** A small generator (mulberry32) seeded by a text (FNV-1a); values in [0, 1). */
export function seeded(text) {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A field of noise, mean 0 and variance 1: lattices of 2, 4, 8 ... cells with equal energy each, which is 1/f. */
export function pinkNoise(width, height, random) {
  const field = new Float64Array(width * height);
  for (let cells = 2; cells <= Math.max(width, height); cells *= 2) addLattice(field, width, height, cells, random);
  return standardised(field);
}

function addLattice(field, width, height, cells, random) {
  const lattice = Float64Array.from({ length: (cells + 2) ** 2 }, () => random() - 0.5);
  for (let y = 0; y < height; y++) {
    const v = (y / height) * cells;
    for (let x = 0; x < width; x++) {
      const u = (x / width) * cells;
      const corner = Math.floor(v) * (cells + 2) + Math.floor(u);
      const [a, b] = [u % 1, v % 1];
      const above = lattice[corner] * (1 - a) + lattice[corner + 1] * a;
      const below = lattice[corner + cells + 2] * (1 - a) + lattice[corner + cells + 3] * a;
      field[y * width + x] += above * (1 - b) + below * b;
    }
  }
}

function standardised(field) {
  const [mean, deviation] = moments(field);
  return field.map((value) => (value - mean) / (deviation || 1));
}

function moments(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return [mean, Math.sqrt(variance)];
}

/**
 * @param pixels RGBA bytes of the image (`ImageData.data`)
 * @returns RGBA bytes of its mask; grey where the image is grey
 */
export function maskPixels(pixels, width, height, seed) {
  const random = seeded(seed);
  const channels = [0, 1, 2].map((c) => Float64Array.from({ length: width * height }, (_, i) => pixels[4 * i + c]));
  const grey = channels[0].every((value, i) => value === channels[1][i] && value === channels[2][i]);
  const shared = pinkNoise(width, height, random);
  const mask = new Uint8ClampedArray(pixels.length).fill(255);
  channels.forEach((channel, c) => {
    const noise = grey ? shared : pinkNoise(width, height, random);
    const [mean, deviation] = moments(channel);
    for (let i = 0; i < channel.length; i++) mask[4 * i + c] = mean + deviation * noise[i];
  });
  return mask;
}
