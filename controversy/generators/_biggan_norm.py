"""BigGAN's batch norm at one truncation, as one multiplication and one addition.

The released `BigGANBatchNorm` keeps 51 rows of statistics, for truncations 0, 0.02, ... 1. Off that
grid it interpolates with the two weights swapped; and since 0.14 / 0.02 is not 7 in floating point, it
takes itself to be off the grid at 0.14, 0.28, 0.56, 0.58 and 0.94 too, and lands on the neighbouring
row. `statistics_at` takes the row that was meant, unless asked to do as released.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn


def statistics_at(rows: Tensor, truncation: float, *, as_released: bool = False) -> Tensor:
    """The statistics of one truncation.

    Args:
        rows: ``[n_rows, channels]``, row ``i`` for truncation ``i / (n_rows - 1)``.
        truncation: In (0, 1].
        as_released: Interpolate as the released package does, weights swapped.

    Returns:
        ``[channels]``.
    """
    if as_released:
        fraction, whole = math.modf(truncation / (1.0 / (len(rows) - 1)))
        if fraction == 0.0:
            return rows[int(whole)]
        return rows[int(whole)] * fraction + rows[int(whole) + 1] * (1 - fraction)
    position = truncation * (len(rows) - 1)
    nearest = round(position)
    if abs(position - nearest) < 1e-6:
        return rows[nearest]
    below = math.floor(position)
    return torch.lerp(rows[below], rows[below + 1], position - below)


class FixedTruncationNorm(nn.Module):
    """What a `BigGANBatchNorm` computes at one truncation.

    ``(x - mean) / sqrt(var + eps) * weight + bias``, rearranged to ``x * a + b`` with ``a`` and ``b``
    a channel (and, where conditional, an image), so that the image-sized tensor is passed over once.

    Args:
        norm: A `BigGANBatchNorm` without spectral norm.
        truncation: In (0, 1].
        as_released: See `statistics_at`.
    """

    def __init__(self, norm: Any, truncation: float, *, as_released: bool = False) -> None:
        super().__init__()
        mean = statistics_at(norm.running_means, truncation, as_released=as_released)
        var = statistics_at(norm.running_vars, truncation, as_released=as_released)
        self.register_buffer("mean", mean.clone())
        self.register_buffer("inverse_std", torch.rsqrt(var + norm.eps))
        self.conditional = bool(norm.conditional)
        if self.conditional:
            self.scale, self.offset = norm.scale, norm.offset
        else:
            self.weight, self.bias = norm.weight, norm.bias

    def forward(self, x: Tensor, truncation: float, condition_vector: Tensor | None = None) -> Tensor:
        """``[n, channels, h, w]`` -> the same; ``truncation`` is there for the released blocks' call."""
        if self.conditional:
            multiplier = (1 + self.scale(condition_vector)) * self.inverse_std
            addend = self.offset(condition_vector) - self.mean * multiplier
            return torch.addcmul(addend[:, :, None, None], x, multiplier[:, :, None, None])
        multiplier = self.weight * self.inverse_std
        addend = self.bias - self.mean * multiplier
        return torch.addcmul(addend[:, None, None], x, multiplier[:, None, None])


def fix_truncation(module: nn.Module, truncation: float, *, as_released: bool = False) -> None:
    """Replaces every `BigGANBatchNorm` inside ``module`` by its `FixedTruncationNorm`."""
    from pytorch_pretrained_biggan.model import BigGANBatchNorm

    for name, child in list(module.named_children()):
        if isinstance(child, BigGANBatchNorm):
            setattr(module, name, FixedTruncationNorm(child, truncation, as_released=as_released))
        else:
            fix_truncation(child, truncation, as_released=as_released)
