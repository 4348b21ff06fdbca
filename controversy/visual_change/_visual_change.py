"""How much of an image is no longer to be seen: visual change, from images in [0, 1]."""

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.errors import ControversyError
from controversy.visual_change._pixel import PixelVIF
from controversy.visual_change._pyramid import SMALLEST_SIDE
from controversy.visual_change._vif import SteerableVIF

Method = Literal["steerable", "steerable_matlab", "pixel"]
METHODS: dict[str, Callable[[], Any]] = {
    "steerable": lambda: SteerableVIF(sigma_n_sq=0.1, pooling="mean"),
    "steerable_matlab": lambda: SteerableVIF(sigma_n_sq=0.4, pooling="sum"),
    "pixel": PixelVIF,
}


def luma(images: Tensor) -> Tensor:
    """BT.601 luma ``[n, h, w]`` in 0-255 of images ``[n, 3, h, w]`` in [0, 1]."""
    weights = images.new_tensor([0.299, 0.587, 0.114])
    return 255 * torch.einsum("nchw,c->nhw", images, weights)


class VisualChange:
    """Visual change of an image x' against its original x: dv = clip(1 - VIF(x, x'), 0, 1).

    0: everything that was visible still is (raised contrast counts as 0 too); 1: nothing is. Measured at
    the images' own resolution. Images too small for a pyramid of four octaves (a side under 72, as digits)
    are first enlarged by the smallest whole factor that suffices, bilinearly, which `description` says.

    Example::

        measure = VisualChange()
        original = measure.reference(images)        # once
        change = measure(original, distorted)       # [n] in [0, 1], as often as wanted

    Args:
        method: "steerable" (VIF as in the VCR study), "steerable_matlab" (the original release's
            convention) or "pixel" (VIFp: fast, other values).

    Raises:
        ControversyError: ``method`` is none of these, or its library is missing.
    """

    def __init__(self, method: Method = "steerable") -> None:
        if method not in METHODS:
            raise ControversyError(f"no visual change method {method!r}. Choose one of {', '.join(METHODS)}.")
        self.method = method
        self._vif: Any = METHODS[method]()

    def __repr__(self) -> str:
        return f"VisualChange({self._vif!r})"

    def description(self, height: int, width: int) -> str:
        """What made the numbers, in a line to record: method, constants and enlargement."""
        factor = _enlargement(height, width)
        return f"1 - {self._vif!r}" + (f", enlarged x{factor} bilinearly" if factor > 1 else "")

    def reference(self, images: Tensor) -> Any:
        """Prepares originals ``[n, 3, h, w]`` in [0, 1]; ``.select(rows)`` of it picks and repeats."""
        return self._vif.reference(_visible(images))

    def __call__(self, reference: Any, images: Tensor) -> Tensor:
        """Visual change ``[n]`` in [0, 1] of ``images`` ``[n, 3, h, w]`` against their originals."""
        return (1 - self._vif(reference, _visible(images))).clamp(0, 1)


def _enlargement(height: int, width: int) -> int:
    return max(1, -(-SMALLEST_SIDE // min(height, width)))


def _visible(images: Tensor) -> Tensor:
    grey = luma(images)
    factor = _enlargement(*grey.shape[1:])
    if factor == 1:
        return grey
    return F.interpolate(grey[:, None], scale_factor=factor, mode="bilinear", align_corners=False)[:, 0]
