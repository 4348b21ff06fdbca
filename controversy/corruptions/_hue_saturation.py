import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register
from controversy.corruptions._hsv import hsv_to_rgb, rgb_to_hsv


@register
class HueSaturation(Corruption):
    """Hue turned by up to 180 degrees and saturation scaled by up to 4 or down to 1/4, ways seeded.

    Grey images do not change, and luminance changes only where colours of unlike luminance trade places: its
    reach in visual change is short, and is reported.
    """

    name = "hue_saturation"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """Turns of hue and exponents of saturation, each -1 or 1: ``[n, 2]``."""
        return per_image(seeds, lambda generator: 2.0 * torch.randint(2, (2,), generator=generator) - 1)

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        turn, exponent = (strength * drawn.to(images)[:, :, None, None]).split(1, dim=1)
        hue, saturation, value = rgb_to_hsv(images).split(1, dim=1)
        return hsv_to_rgb(torch.cat([hue + 3 * turn, (saturation * 4**exponent).clamp(max=1), value], 1))
