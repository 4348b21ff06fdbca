import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register

_STRONGEST = 12.0


@register
class UniformNoise(Corruption):
    """Independent noise, uniform in [-a, a], on every pixel and channel, clipped: a = 12 strength^3."""

    name = "uniform_noise"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        return per_image(seeds, lambda generator: 2 * torch.rand(3, height, width, generator=generator) - 1)

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return images + _STRONGEST * strength**3 * drawn
