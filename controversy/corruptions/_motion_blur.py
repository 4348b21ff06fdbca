import torch
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register, shorter_side
from controversy.corruptions._transfer import filter_by, gaussian_transfer


@register
class MotionBlur(Corruption):
    """Motion during the exposure: a line of 3 strength^2 shorter sides, its direction seeded.

    Structure along the direction stays, so even the strongest leaves stripes to see.
    """

    name = "motion_blur"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """Directions in [0, pi)."""
        return per_image(seeds, lambda generator: torch.pi * torch.rand(1, generator=generator))

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        length = 3 * strength.square() * shorter_side(images)
        angle = drawn.reshape(-1, 1, 1, 1)
        soften = gaussian_transfer(length.clamp(max=0.5))
        return filter_by(
            images,
            lambda fy, fx: torch.sinc(length * (fx * angle.cos() + fy * angle.sin())) * soften(fy, fx),
        )
