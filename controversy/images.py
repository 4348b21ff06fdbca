"""The image contract: float tensors ``[n, 3, h, w]`` in [0, 1], and their 8-bit form on disk."""

from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from controversy.errors import ControversyError
from controversy.files import whole_file


def to_uint8(images: Tensor) -> Tensor:
    """Rounds images in [0, 1] to the nearest of 256 levels: uint8 of the same shape."""
    return images.detach().float().clamp(0, 1).mul(255).round().to(torch.uint8)


def from_uint8(images: Tensor) -> Tensor:
    """The float32 image in [0, 1] that 8-bit values stand for."""
    return images.float() / 255


def write_png(path: Path, image: Tensor) -> None:
    """Writes one uint8 image ``[3, h, w]`` as an 8-bit RGB PNG, whole or not at all."""
    pixels = image.permute(1, 2, 0).contiguous().cpu().numpy()
    with whole_file(path) as temporary:
        Image.fromarray(pixels, mode=None).save(temporary, format="PNG")


def read_png(path: Path) -> Tensor:
    """Reads an 8-bit PNG as uint8 ``[3, h, w]``.

    Raises:
        ControversyError: The file is missing, or its bytes are no whole PNG.
    """
    try:
        with Image.open(path, formats=["PNG"]) as image:
            pixels = np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError) as problem:
        raise ControversyError(
            f"cannot read the image {path}: {problem}. Restore it or make the set again."
        ) from problem
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1)
