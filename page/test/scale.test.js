import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../src/scale.js";

test("each pixel of the image becomes a whole square of screen pixels, at any pixel ratio", () => {
  for (const ratio of [1, 1.25, 1.5, 2, 2.625, 3]) {
    for (const room of [[300, 200], [358, 420], [1248, 560]]) {
      const { factor, width, height } = fit([28, 28], room, ratio);
      assert.ok(Number.isInteger(factor) && width === 28 * factor && height === 28 * factor);
      assert.ok(width <= room[0] * ratio && height <= room[1] * ratio);
      const larger = (28 * (factor + 1)) / ratio;
      assert.ok(larger > Math.min(...room, 480), "the largest that fits");
    }
  }
});

test("a wanted scale is in CSS pixels, so images are as large on a dense screen", () => {
  assert.equal(fit([28, 28], [900, 900], 1, 8).width, 224);
  assert.equal(fit([28, 28], [900, 900], 2, 8).width, 448);
  assert.equal(fit([28, 28], [100, 900], 1, 8).factor, 3);
});

test("an image that has no room shrinks, whole and in proportion", () => {
  const { factor, width, height } = fit([512, 256], [358, 400], 1);
  assert.ok(factor < 1);
  assert.deepEqual([width, height], [358, 179]);
});
