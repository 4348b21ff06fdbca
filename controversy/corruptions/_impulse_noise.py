import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register


@register
class ImpulseNoise(Corruption):
    """Salt and pepper: each channel of each pixel becomes 0 or 1 with probability strength^2."""

    name = "impulse_noise"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """For each value the probability from which it is replaced, and by what: ``[n, 2, 3, h, w]``."""
        return per_image(seeds, lambda generator: torch.rand(2, 3, height, width, generator=generator))

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        threshold, coin = drawn.unbind(1)
        return torch.where(threshold < strength**2, (coin < 0.5).to(images), images)
