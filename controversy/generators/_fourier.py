"""Spectra as latents: Olah, Mordvintsev & Schubert (2017), "Feature visualization"."""

from typing import Any

import torch
from torch import Tensor

from controversy.errors import ControversyError
from controversy.generators._base import Latents
from controversy.generators._jitter import roll, shifts
from controversy.generators._parametrization import ImageParametrization

# Square root of the covariance of ImageNet's colours, as the authors' Lucid has it: column k is the direction
# in RGB of the k-th decorrelated channel (light-dark, then blue-yellow, then green-purple).
_COLOUR_ROOT = ((0.26, 0.09, 0.02), (0.27, 0.00, -0.05), (0.27, -0.09, 0.03))
_CONTRAST = 0.25  # theirs too: puts a step of Adam of 0.05 into a comfortable range


class FourierGenerator(ImageParametrization):
    """Sigmoid of an image given by its spectrum, in colours that are uncorrelated in photographs.

    Latent ``spectrum [n, 3, image_size, image_size // 2 + 1, 2]``: real and imaginary part of each frequency
    of each decorrelated colour channel, in units of the amplitude 1/f that photographs have there. So a step
    of equal size in every coordinate moves the image the way photographs vary: low frequencies most, and
    light more than colour.

    Args:
        name: What users and manifests call it.
        decay: The amplitude is 1/f to this power: 1 for photographs, 0 for white noise.
        decorrelate_colours: Use the colour channels above, else red, green and blue.
        jitter: Each image is moved by up to so many pixels, cyclically, by a shift that follows from its
            latents and ``jitter_seed``: another one at each step of synthesis, the same one whenever the
            same latents are seen. Images that survive it do not hang on single pixels.
        jitter_seed: Another seed gives other shifts.
        **options: Of `ImageParametrization`.

    Raises:
        ControversyError: An option is outside its values.
    """

    latent = "spectrum"
    amplitude: Tensor
    colours: Tensor

    def __init__(
        self,
        *,
        name: str,
        decay: float = 1.0,
        decorrelate_colours: bool = True,
        jitter: int = 0,
        jitter_seed: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(name=name, **options)
        if not 0 <= jitter <= self.image_size // 2:
            raise ControversyError(
                f"jitter is {jitter}, but has to be from 0 to half the image size of {self.image_size}"
            )
        self.decay, self.decorrelate_colours = decay, decorrelate_colours
        self.jitter, self.jitter_seed = jitter, jitter_seed
        self.register_buffer("amplitude", _amplitude(self.image_size, decay), persistent=False)
        colours = torch.tensor(_COLOUR_ROOT)
        colours = colours / colours.norm(dim=0).max() if decorrelate_colours else torch.eye(3)
        self.register_buffer("colours", colours, persistent=False)

    @property
    def latent_shape(self) -> tuple[int, ...]:
        """Shape of one image's spectrum."""
        return (3, self.image_size, self.image_size // 2 + 1, 2)

    def forward(self, latents: Latents) -> Tensor:
        """Latents -> images ``[n, 3, h, w]`` in [0, 1]."""
        spectrum = latents["spectrum"].float()
        scaled = torch.view_as_complex(spectrum.contiguous()) * self.amplitude
        side = self.image_size
        channels = _CONTRAST * torch.fft.irfft2(scaled, s=(side, side), norm="ortho")
        # A product and a sum, since autocast would round a matrix product to bfloat16.
        images = (channels.unsqueeze(1) * self.colours[:, :, None, None]).sum(2).sigmoid()
        if self.jitter:
            images = roll(images, shifts(spectrum, self.jitter, self.jitter_seed))
        return images

    def description(self) -> dict[str, Any]:
        """What a manifest records."""
        return {
            **super().description(),
            "decay": self.decay,
            "decorrelate_colours": self.decorrelate_colours,
            "jitter": self.jitter,
            "jitter_seed": self.jitter_seed,
        }


def _amplitude(side: int, decay: float) -> Tensor:
    """1/f to the power ``decay`` at each frequency, in cycles a pixel: ``[side, side // 2 + 1]``.

    The mean, of frequency 0, gets the amplitude of the lowest frequency.
    """
    frequency = torch.hypot(torch.fft.fftfreq(side)[:, None], torch.fft.rfftfreq(side)[None, :])
    return frequency.clamp(min=1 / side) ** -decay
