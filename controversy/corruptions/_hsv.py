"""Hue, saturation and value.

The one library with a batched conversion, kornia, would be installed for these few lines alone.
"""

import torch
from torch import Tensor


def rgb_to_hsv(images: Tensor) -> Tensor:
    """``[n, 3, h, w]`` red, green, blue in [0, 1] -> hue in [0, 6), saturation and value in [0, 1]."""
    value, brightest = images.max(1)
    chroma = value - images.min(1).values
    red, green, blue = images.unbind(1)
    safe = chroma.clamp_min(1e-12)
    sectors = torch.stack([(green - blue) / safe, 2 + (blue - red) / safe, 4 + (red - green) / safe], 1)
    hue = sectors.gather(1, brightest.unsqueeze(1)).squeeze(1).remainder(6)
    return torch.stack([hue, chroma / value.clamp_min(1e-12), value], 1)


def hsv_to_rgb(images: Tensor) -> Tensor:
    """The inverse of `rgb_to_hsv`: channel c is v - v s max(0, min(k, 4 - k, 1)), k = (o_c + hue) mod 6."""
    hue, saturation, value = images.split(1, dim=1)
    k = (images.new_tensor([5, 3, 1])[:, None, None] + hue).remainder(6)
    return value - value * saturation * torch.minimum(k, 4 - k).clamp(0, 1)
