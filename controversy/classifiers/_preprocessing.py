"""What a classifier does to an image before its network sees it: differentiable, and recorded."""

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from controversy.errors import ControversyError

Fit = Literal["whole", "crop"]


class Preprocessing(nn.Module):
    """Resize, crop, channel and value conventions of one network.

    A photograph is evaluated by a protocol, such as "shorter side to 256, centre 224". A generated image is
    square and all of it was optimised, so by default (``fit="whole"``) all of it is shown: it is resized to
    the network's input by the protocol's interpolation, and nothing is cut off.

    Args:
        size: Side of the square image that the network takes, in pixels.
        interpolation: "bilinear" or "bicubic", antialiased as Pillow does it.
        mean: Subtracted, a value a channel, in units of [0, 1].
        std: Divided by, a value a channel.
        channels: "rgb", or "grey" for networks of one channel: the mean of the three.
        resize: Of the protocol: what the shorter side is resized to before the centre is cut out;
            "squash" to resize both sides to ``size``; None to cut only.
        fit: "whole" (of an image that is not square, the largest central square) or "crop", the protocol.
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
        resize: int | Literal["squash"] | None = None,
        fit: Fit = "whole",
    ) -> None:
        super().__init__()
        self.size, self.interpolation, self.channels = size, interpolation, channels
        self.resize, self.fit = resize, fit
        self._mean, self._std = mean, std
        self._validate()
        self.normalises = any(m != 0 for m in mean) or any(s != 1 for s in std)
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Images ``[n, 3, h, w]`` in [0, 1] -> the network's input ``[n, c, size, size]``.

        Raises:
            ControversyError: ``fit`` is "crop" with no resize, and the images are smaller than the cut.
        """
        x = images.mean(dim=1, keepdim=True) if self.channels == "grey" else images
        if self.fit == "crop" and self.resize == "squash":
            x = self._to(x, self.size, self.size)
        else:
            side = self.size if self.fit == "whole" else self.resize
            if isinstance(side, int):
                x = self._to(x, *_shorter_side(x.shape[-2], x.shape[-1], side))
            x = self._centre(x)
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
            "resize": self.resize,
            "fit": self.fit,
        }

    def _validate(self) -> None:
        for option, value, allowed in (
            ("interpolation", self.interpolation, ("bilinear", "bicubic")),
            ("channels", self.channels, ("rgb", "grey")),
            ("fit", self.fit, ("whole", "crop")),
        ):
            if value not in allowed:
                raise ControversyError(f"{option} is {value!r}, but has to be one of {', '.join(allowed)}")
        if self.size < 1:
            raise ControversyError(f"size is {self.size}, but has to be 1 pixel or more")
        if isinstance(self.resize, int) and self.resize < self.size:
            raise ControversyError(
                f"resize is {self.resize}, less than the {self.size} pixels that are cut out of it"
            )
        if any(value <= 0 for value in self._std):
            raise ControversyError(f"std is {self._std}, but has to be positive")

    def _to(self, x: Tensor, height: int, width: int) -> Tensor:
        if x.shape[-2:] == (height, width):
            return x
        if self.interpolation == "bilinear":
            return _resize(x, height, width, "bilinear")
        # Bicubic overshoots at edges. Pillow, through which networks saw images, clips after each of its
        # two passes, columns first.
        x = _resize(x, x.shape[-2], width, "bicubic").clamp(0, 1)
        return _resize(x, height, width, "bicubic").clamp(0, 1)

    def _centre(self, x: Tensor) -> Tensor:
        height, width = x.shape[-2:]
        if (height, width) == (self.size, self.size):
            return x
        if min(height, width) < self.size:
            raise ControversyError(f"cannot cut {self.size} pixels out of {height} x {width}: use fit=whole")
        top, left = round((height - self.size) / 2), round((width - self.size) / 2)
        return x[..., top : top + self.size, left : left + self.size]


def _resize(x: Tensor, height: int, width: int, mode: str) -> Tensor:
    return F.interpolate(x, (height, width), mode=mode, antialias=True, align_corners=False)


def _shorter_side(height: int, width: int, side: int) -> tuple[int, int]:
    """Height and width after the shorter of them becomes ``side``, rounded as torchvision rounds."""
    if height <= width:
        return side, int(side * width / height)
    return int(side * height / width), side
