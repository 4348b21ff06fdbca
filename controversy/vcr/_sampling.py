"""Strengths whose visual change is spread evenly over what a corruption can reach, image by image."""

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from controversy.corruptions import Corruption
from controversy.errors import ControversyError
from controversy.images import from_uint8, to_uint8
from controversy.visual_change import VisualChange


@dataclass(frozen=True)
class Sample:
    """Corrupted images, as they are shown to models and people, and what they are.

    Attributes:
        images: uint8 ``[n, k, 3, h, w]``.
        strength: ``[n, k]`` in [0, 1], rising along k.
        visual_change: ``[n, k]`` of the 8-bit images.
        reach: ``[n]``, the largest visual change that was found for an image.
    """

    images: Tensor
    strength: Tensor
    visual_change: Tensor
    reach: Tensor


class Sampler:
    """Finds strengths by inverting visual change: k of them an image, visual change even over [0, its reach].

    Visual change is first measured on a grid of strengths, then at the strengths that linear interpolation of
    its running maximum gives, and these, with all measured so far, give the final ones.

    Args:
        measure: Visual change.
        per_image: k.
        grid: Strengths measured first.
        refinements: How often to invert again.
        batch_size: Images corrupted and measured at a time.
    """

    def __init__(
        self,
        measure: VisualChange,
        per_image: int,
        *,
        grid: int = 8,
        refinements: int = 1,
        batch_size: int = 64,
    ) -> None:
        if per_image < 1 or grid < 2 or refinements < 0 or batch_size < 1:
            raise ControversyError(
                f"per_image={per_image}, grid={grid}, refinements={refinements}, batch_size={batch_size}: "
                "they have to be at least 1, 2, 0 and 1"
            )
        self.measure, self.per_image, self.grid = measure, per_image, grid
        self.refinements, self.batch_size = refinements, batch_size

    def __call__(
        self, images: Tensor, corruption: Corruption, seeds: Tensor, *, targets: Tensor | None = None
    ) -> Sample:
        """Corrupts images, each with its own seed.

        Args:
            images: ``[n, 3, h, w]`` in [0, 1].
            corruption: What to do to them.
            seeds: int64 ``[n]``.
            targets: Visual changes ``[k]`` to hit instead of an even spread; one beyond an image's reach
                gives the least strength that reaches as far as anything does.
        """
        reference = self.measure.reference(images)
        drawn = corruption.draw(seeds, *images.shape[-2:]).to(images.device)
        strength = torch.linspace(0, 1, self.grid + 1)[1:].expand(len(images), -1)
        known_strength, known_change = torch.zeros(len(images), 1), torch.zeros(len(images), 1)
        for _ in range(self.refinements + 1):
            change, _ = self._apply(images, reference, corruption, drawn, strength, keep=False)
            known_strength = torch.cat([known_strength, strength], 1)
            known_change = torch.cat([known_change, change], 1)
            strength = self._invert(known_strength, known_change, targets)
        change, corrupted = self._apply(images, reference, corruption, drawn, strength, keep=True)
        reach = torch.cat([known_change, change], 1).max(1).values
        return Sample(corrupted, strength, change, reach)

    def _invert(self, strength: Tensor, change: Tensor, targets: Tensor | None) -> Tensor:
        """Strengths ``[n, k]`` for the targets, by default (i + 1/2) / k of the reach."""
        strength, order = strength.sort(1)
        highest = change.gather(1, order).cummax(1).values
        reach = highest[:, -1:]
        if targets is None:
            targets = (torch.arange(self.per_image) + 0.5) / self.per_image * reach
        else:
            targets = torch.minimum(targets.to(reach), reach)
        after = torch.searchsorted(highest.contiguous(), targets).clamp(1, highest.shape[1] - 1)
        low, high = highest.gather(1, after - 1), highest.gather(1, after)
        part = ((targets - low) / (high - low).clamp_min(1e-9)).clamp(0, 1)
        return strength.gather(1, after - 1).lerp(strength.gather(1, after), part)

    def _apply(
        self,
        images: Tensor,
        reference: Any,
        corruption: Corruption,
        drawn: Tensor,
        strength: Tensor,
        *,
        keep: bool,
    ) -> tuple[Tensor, Tensor]:
        """Visual change ``[n, k]`` (and, kept, the 8-bit images) at ``strength`` ``[n, k]``."""
        n, k = strength.shape
        rows = torch.arange(n).repeat_interleave(k)
        changes, kept = [], []
        for start in range(0, n * k, self.batch_size):
            at = rows[start : start + self.batch_size].to(images.device)
            at_strength = strength.reshape(-1)[start : start + self.batch_size].to(images.device)
            eight_bits = to_uint8(corruption(images[at], at_strength, drawn[at]))
            changes.append(self.measure(reference.select(at), from_uint8(eight_bits)).cpu())
            if keep:
                kept.append(eight_bits)
        corrupted = torch.cat(kept).unflatten(0, (n, k)) if keep else images.new_empty(0)
        return torch.cat(changes).reshape(n, k).float(), corrupted


def image_seeds(run_seed: int, corruption: str, names: list[str]) -> Tensor:
    """int64 seeds ``[n]``: each depends on the run's seed, the corruption and the image's name alone."""
    # 53 bits: a seed that a spreadsheet or a JSON reader has touched is still the same.
    keys = (f"{run_seed}/{corruption}/{name}".encode() for name in names)
    digests = (hashlib.blake2b(key, digest_size=8).digest() for key in keys)
    return torch.tensor([int.from_bytes(digest, "little") >> 11 for digest in digests], dtype=torch.int64)
