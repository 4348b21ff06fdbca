import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.corruptions._base import Corruption, per_image, register, shorter_side
from controversy.corruptions._transfer import filter_by, gaussian_transfer


@register
class GlassBlur(Corruption):
    """Frosted glass: every pixel shows a point up to d away, d = strength^2 of the shorter side.

    The shuffled image is softened by a Gaussian of up to 0.7 pixel, as in ImageNet-C (Hendrycks & Dietterich
    2019).
    """

    name = "glass_blur"

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """Displacements in units of d: ``[n, 2, h, w]`` in [-1, 1], horizontal first."""
        return per_image(seeds, lambda generator: 2 * torch.rand(2, height, width, generator=generator) - 1)

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        n, _, height, width = images.shape
        distance = strength.square() * shorter_side(images)
        identity = torch.eye(2, 3, device=images.device).expand(n, 2, 3)
        grid = F.affine_grid(identity, [n, 1, height, width], align_corners=False)
        half = images.new_tensor([width, height]) / 2  # grid_sample counts from -1 to 1
        grid = grid + (distance * drawn).permute(0, 2, 3, 1) / half
        shuffled = F.grid_sample(images, grid, padding_mode="reflection", align_corners=False)
        return filter_by(shuffled, gaussian_transfer(distance.clamp(max=0.7)))
