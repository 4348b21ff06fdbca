import assert from "node:assert/strict";
import { test } from "node:test";
import { maskPixels, pinkNoise, seeded } from "../src/mask.js";

const side = 64;

function picture(colour) {
  const random = seeded("picture");
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let i = 0; i < side * side; i++) {
    const value = random();
    for (const c of [0, 1, 2]) pixels[4 * i + c] = 100 + 40 * value + 20 * c * colour * random();
  }
  return pixels;
}

const channel = (pixels, c) => pixels.filter((_, i) => i % 4 === c);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values) => Math.sqrt(mean([...values].map((value) => (value - mean(values)) ** 2)));

test("the same seed makes the same mask, another seed another", () => {
  const [a, b, c] = ["s", "s", "t"].map((seed) => maskPixels(picture(1), side, side, seed));
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
});

test("a mask has the image's mean and contrast in each colour", () => {
  const image = picture(1);
  const mask = maskPixels(image, side, side, "s");
  for (const c of [0, 1, 2]) {
    assert.ok(Math.abs(mean(channel(mask, c)) - mean(channel(image, c))) < 0.5);
    assert.ok(Math.abs(deviation(channel(mask, c)) - deviation(channel(image, c))) < 0.5);
  }
  assert.ok(channel(mask, 3).every((alpha) => alpha === 255));
});

test("the mask of a grey image is grey", () => {
  const mask = maskPixels(picture(0), side, side, "s");
  assert.deepEqual(channel(mask, 0), channel(mask, 1));
  assert.deepEqual(channel(mask, 0), channel(mask, 2));
});

test("the noise falls off with frequency about as 1/f: each octave of differences has about the same energy", () => {
  const n = 256;
  const field = pinkNoise(n, n, seeded("noise"));
  // For 1/f amplitude in two dimensions the variance of differences grows only slowly (logarithmically) with
  // distance; for white noise it would not grow at all, for 1/f^2 fourfold with each doubling.
  const difference = (d) => {
    const values = [];
    for (let y = 0; y < n; y += 3) for (let x = 0; x + d < n; x += 3) values.push((field[y * n + x + d] - field[y * n + x]) ** 2);
    return mean(values);
  };
  const growth = [4, 8, 16, 32].map((d) => difference(2 * d) / difference(d));
  growth.forEach((ratio) => assert.ok(ratio > 1.03 && ratio < 2, String(growth)));
});

test("random numbers are spread evenly", () => {
  const random = seeded("numbers");
  const values = Array.from({ length: 10_000 }, random);
  // Mean 1/2 and standard deviation 1/sqrt(12), within five standard errors.
  assert.ok(Math.abs(mean(values) - 0.5) < 5 / Math.sqrt(12 * 10_000));
  assert.ok(values.every((value) => value >= 0 && value < 1));
});
