"""A sheet of test digits, small enough to ship with the tests."""

from pathlib import Path

import torch
from PIL import Image
from torch import Tensor

PER_CLASS = 30


def write_sheet(images: Tensor, labels: Tensor, path: Path) -> None:
    """Writes the first digits of each class: class ``c`` in row ``c``, 28 pixels a digit, 8-bit grey.

    Args:
        images: ``[n, 1, 32, 32]`` in [0, 1].
        labels: ``[n]``.
        path: Of the PNG.
    """
    rows = [images[labels == digit][:PER_CLASS, 0, 2:-2, 2:-2] for digit in range(10)]
    sheet = torch.stack(rows).permute(0, 2, 1, 3).reshape(10 * 28, PER_CLASS * 28)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray((sheet * 255).round().to(torch.uint8).numpy()).save(path)
