import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register
from controversy.corruptions._hsv import hsv_to_rgb, rgb_to_hsv

_STRONGEST = 4.0


@register
class ColorJitter(Corruption):
    """Brightness, contrast, saturation and hue changed together, in seeded proportions.

    Brightness and saturation are multiplied by 2^(4 strength u), contrast about the mean by
    2^(-4 strength |u|) (raised contrast destroys nothing), hue is turned by 180 degrees times
    strength u; each u uniform in [-1, 1].
    """

    name = "color_jitter"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """The four u: ``[n, 4]``."""
        return per_image(seeds, lambda generator: 2 * torch.rand(4, generator=generator) - 1)

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        brightness, contrast, saturation, turn = (strength * drawn.to(images)[:, :, None, None]).split(
            1, dim=1
        )
        images = (images * 2 ** (_STRONGEST * brightness)).clamp(0, 1)
        mean = images.mean((1, 2, 3), keepdim=True)
        images = mean + (images - mean) * 2 ** (-_STRONGEST * contrast.abs())
        hue, saturated, value = rgb_to_hsv(images.clamp(0, 1)).split(1, dim=1)
        saturated = (saturated * 2 ** (_STRONGEST * saturation)).clamp(max=1)
        return hsv_to_rgb(torch.cat([hue + 3 * turn, saturated, value], 1))
