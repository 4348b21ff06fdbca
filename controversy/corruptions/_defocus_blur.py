import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, register, shorter_side
from controversy.corruptions._transfer import filter_by, gaussian_transfer


@register
class DefocusBlur(Corruption):
    """A lens out of focus: convolution with a disc, of radius strength^2 of the shorter side.

    The disc's rim is softened by a Gaussian of half a pixel, lest its ripples in frequency alias.
    """

    name = "defocus_blur"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        radius = strength.square() * shorter_side(images)
        soften = gaussian_transfer(radius.clamp(max=0.5))

        def disc(fy: Tensor, fx: Tensor) -> Tensor:
            x = 2 * torch.pi * radius * torch.sqrt(fy.square() + fx.square())
            airy = torch.where(
                x > 1e-3, 2 * torch.special.bessel_j1(x) / x.clamp_min(1e-3), 1 - x.square() / 8
            )
            return airy * soften(fy, fx)

        return filter_by(images, disc)
