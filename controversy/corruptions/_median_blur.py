import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.corruptions._base import Corruption, register, shorter_side

_LEVELS = 32
_AT_ONCE = 4
"""Images at a time: every level passes over all of them, which is far faster where they fit the cache."""


@register
class MedianBlur(Corruption):
    """The median of a square window, its half-width strength^2 / 2 of the shorter side.

    Continuous in its size, by threshold decomposition: the share of the window below each of 33 grey levels
    is a box filter, whose border pixels count by the part covered, and the median is where that share crosses
    one half. Levels are soft (linear over two steps), which makes the crossing exact for one pixel; the cost
    does not depend on the window.
    """

    name = "median_blur"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        radius = strength.flatten().square() * shorter_side(images) / 2
        parts = zip(images.split(_AT_ONCE), radius.split(_AT_ONCE), strict=True)
        return torch.cat([self._blur(image, window) for image, window in parts])

    def _blur(self, images: Tensor, radius: Tensor) -> Tensor:
        below = self._share_below(images, 0.0, radius)
        median = (below < 0.5).to(images)  # 1 where no level is crossed, 0 where the lowest already is
        for step in range(1, _LEVELS + 1):
            share = self._share_below(images, step / _LEVELS, radius)
            crossed = (below < 0.5) & (share >= 0.5)
            level = (step - 1 + (0.5 - below) / (share - below).clamp_min(1e-6)) / _LEVELS
            median = torch.where(crossed, level, median)
            below = share
        return median

    @staticmethod
    def _share_below(images: Tensor, level: float, radius: Tensor) -> Tensor:
        indicator = ((level - images) * (_LEVELS / 2) + 0.5).clamp(0, 1)
        rows = _box_along_last(indicator, radius)
        return _box_along_last(rows.mT, radius).mT


def _box_along_last(values: Tensor, radius: Tensor) -> Tensor:
    """Mean over [i - r, i + r] along the last axis, edges reflected, with a real r ``[n]`` an image."""
    width = values.shape[-1]
    margin = int(radius.max()) + 1
    padded = F.pad(values, (margin, margin, 0, 0), mode="reflect")
    summed = F.pad(padded.cumsum(-1), (1, 0))

    def integral(offset: Tensor) -> Tensor:
        whole = offset.floor()
        at = torch.arange(width, device=values.device) + whole.long()[:, None]
        at = at[:, None, None, :].expand(*values.shape[:-1], width)
        lower, upper = summed.gather(-1, at), summed.gather(-1, (at + 1).clamp(max=summed.shape[-1] - 1))
        return lower + (offset - whole)[:, None, None, None] * (upper - lower)

    return (integral(margin + 1 + radius) - integral(margin - radius)) / (2 * radius + 1)[:, None, None, None]
