"""Pixels as latents."""

from torch import Tensor

from controversy.generators._base import Latents
from controversy.generators._parametrization import ImageParametrization


class PixelGenerator(ImageParametrization):
    """Sigmoid of one number a pixel and channel: the naive parametrisation of activation maximisation.

    Latent ``pixels [n, 3, image_size, image_size]``. Gradient ascent on it finds the high-frequency patterns
    that classifiers react to and people do not see; a baseline, not a way to good stimuli.

    Args: as `ImageParametrization`.
    """

    latent = "pixels"

    def forward(self, latents: Latents) -> Tensor:
        """Latents -> images ``[n, 3, h, w]`` in [0, 1]."""
        return latents["pixels"].sigmoid()
