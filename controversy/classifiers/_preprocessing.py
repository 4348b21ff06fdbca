"""What a classifier does to an image before its network sees it: differentiable, and recorded."""

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Preprocessing(nn.Module):
    """Resize, channel and value conventions of one network.

    Args:
        size: Side of the square image that the network takes, in pixels. A square image of another
            size is resized (antialiased when it shrinks).
        interpolation: "bilinear" or "bicubic".
        mean: Subtracted, a value a channel, in units of [0, 1].
        std: Divided by, a value a channel.
        channels: "rgb", or "grey" for networks of one channel: the mean of the three.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        size: int,
        *,
        interpolation: Literal["bilinear", "bicubic"] = "bilinear",
        mean: tuple[float, ...] = (0.0,),
        std: tuple[float, ...] = (1.0,),
        channels: Literal["rgb", "grey"] = "rgb",
    ) -> None:
        super().__init__()
        self.size, self.interpolation, self.channels = size, interpolation, channels
        self._mean, self._std = mean, std
        self.normalises = any(m != 0 for m in mean) or any(s != 1 for s in std)
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Images ``[n, 3, h, w]`` in [0, 1] -> the network's input ``[n, c, size, size]``."""
        x = images.mean(dim=1, keepdim=True) if self.channels == "grey" else images
        if x.shape[-2:] != (self.size, self.size):
            x = F.interpolate(
                x, (self.size, self.size), mode=self.interpolation, antialias=True, align_corners=False
            )
            if self.interpolation == "bicubic":
                x = x.clamp(0, 1)
        return (x - self.mean) / self.std if self.normalises else x

    def description(self) -> dict[str, Any]:
        """What a manifest records."""
        return {
            "size": self.size,
            "interpolation": self.interpolation,
            "antialias": True,
            "mean": list(self._mean),
            "std": list(self._std),
            "channels": self.channels,
        }
