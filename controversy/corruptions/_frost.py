import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register

_OCTAVES = 5
_EDGE = 0.4
"""Width of the rim over which ice goes from clear to opaque, in units of coverage."""


@register
class Frost(Corruption):
    """Ice that grows over the image from crystals and borders until it covers all.

    The ice is generated: ridges (1 - |noise|) of band-passed noise over five octaves make its filaments, and
    where it is thickest it grows first.
    """

    name = "frost"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """When each pixel freezes and how bright its ice is, both in [0, 1]: ``[n, 2, h, w]``."""
        noise = per_image(
            seeds, lambda generator: torch.randn(_OCTAVES + 1, height, width, generator=generator)
        )
        crystals = _filaments(noise[:, :_OCTAVES])
        patches = _band(noise[:, _OCTAVES], 0.5)
        thickness = 1.5 * crystals + patches + 1.5 * _nearness_to_border(height, width)
        order = thickness.flatten(1).argsort(1, descending=True).argsort(1)
        freezes = (order / (height * width)).reshape(thickness.shape)
        brightness = torch.sigmoid(1.2 * crystals + 0.6)
        return torch.stack([freezes, brightness], 1)

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        freezes, brightness = drawn.to(images).split(1, dim=1)
        opacity = ((strength * (1 + _EDGE) - freezes) / _EDGE).clamp(0, 1)
        tint = images.new_tensor([0.86, 0.94, 1.0])[:, None, None]
        return images.lerp(brightness * tint, opacity)


def _filaments(noise: Tensor) -> Tensor:
    """Ridged noise ``[n, h, w]``, standardised, from white noise ``[n, octaves, h, w]``."""
    ridges = torch.stack(
        [0.6**octave * (1 - _band(noise[:, octave], 2.0 ** (octave + 1)).abs()) for octave in range(_OCTAVES)]
    ).sum(0)
    return _standardised(ridges)


def _band(noise: Tensor, cycles: float) -> Tensor:
    """White noise ``[n, h, w]`` kept about ``cycles`` cycles an image, standardised."""
    height, width = noise.shape[-2:]
    fy = torch.fft.fftfreq(height)[:, None] * height
    fx = torch.fft.rfftfreq(width)[None, :] * width
    frequency = torch.sqrt(fy.square() + fx.square())
    passed = torch.exp(-torch.log2(frequency.clamp_min(0.25) / cycles).square())
    return _standardised(torch.fft.irfft2(torch.fft.rfft2(noise) * passed, s=(height, width)))


def _standardised(fields: Tensor) -> Tensor:
    centred = fields - fields.mean((1, 2), keepdim=True)
    return centred / centred.std((1, 2), keepdim=True).clamp_min(1e-6)


def _nearness_to_border(height: int, width: int) -> Tensor:
    y, x = (torch.linspace(-1, 1, side).abs() for side in (height, width))
    return torch.maximum(y[:, None], x[None, :]).pow(3)
