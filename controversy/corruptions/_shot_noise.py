import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register

_FEWEST_PHOTONS = 0.005
_MOST_PHOTONS = 1e7  # noise of 0.03 %: none that eight bits could show


@register
class ShotNoise(Corruption):
    """Photon noise: Poisson(k x) / k with k photons for white, from endless ones down to k = 0.005.

    1 / k = 200 strength^6. Black stays black: nothing arrives there.
    """

    name = "shot_noise"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """The seeds themselves: counts at different intensities share no draws."""
        return seeds

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        photons = (strength**-6 * _FEWEST_PHOTONS).clamp(max=_MOST_PHOTONS)
        # On the CPU, whose generator is the same on every machine.
        expected = iter((images * photons).cpu())
        counts = per_image(drawn, lambda generator: torch.poisson(next(expected), generator=generator))
        return counts.to(images) / photons
