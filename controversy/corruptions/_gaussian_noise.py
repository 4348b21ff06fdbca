import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register

_STRONGEST = 8.0


@register
class GaussianNoise(Corruption):
    """Independent Gaussian noise on every pixel and channel, clipped: x + sigma n, sigma = 8 strength^3."""

    name = "gaussian_noise"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        return per_image(seeds, lambda generator: torch.randn(3, height, width, generator=generator))

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return images + _STRONGEST * strength**3 * drawn
