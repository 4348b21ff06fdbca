from torch import Tensor

from controversy.corruptions._base import Corruption, register, shorter_side
from controversy.corruptions._transfer import filter_by, gaussian_transfer


@register
class GaussianBlur(Corruption):
    """Convolution with a Gaussian; its standard deviation is strength^2 / 3 of the shorter side."""

    name = "gaussian_blur"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return filter_by(images, gaussian_transfer(strength.square() * shorter_side(images) / 3))
