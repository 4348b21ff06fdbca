from torch import Tensor

from controversy.corruptions._base import Corruption, register


@register
class Brightness(Corruption):
    """Over-exposure: x + strength, clipped; at 1 all is white."""

    name = "brightness"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return images + strength
