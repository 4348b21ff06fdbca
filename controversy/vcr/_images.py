"""The images of a study: what they are called, what is in them, and their pixels when asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from PIL import Image
from torch import Tensor

from controversy.errors import ControversyError
from controversy.generators import load_generator
from controversy.images import to_uint8

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"})
LabelOf = Callable[[str], int]
"""From how a user writes a class (an index, a WordNet id, a name) to its index."""


@dataclass(frozen=True)
class ImageSet:
    """Named, labelled images.

    Attributes:
        names: Unique, e.g. the path below the folder.
        labels: Index of the class of each.
        read: Row -> uint8 ``[3, h, w]``.
        sizes: (height, width) of each.
    """

    names: list[str]
    labels: list[int]
    read: Callable[[int], Tensor]
    sizes: list[tuple[int, int]]

    def __len__(self) -> int:
        return len(self.names)

    def batches(self, batch_size: int) -> Iterator[list[int]]:
        """Rows in batches of one size of image, in the set's order within each size."""
        for size in dict.fromkeys(self.sizes):
            rows = [row for row, other in enumerate(self.sizes) if other == size]
            yield from (rows[start : start + batch_size] for start in range(0, len(rows), batch_size))

    def load(self, rows: list[int]) -> Tensor:
        """uint8 ``[n, 3, h, w]`` of rows that have one size."""
        return torch.stack([self.read(row) for row in rows])


def images_in_memory(names: list[str], labels: list[int], images: Tensor) -> ImageSet:
    """An image set of uint8 images ``[n, 3, h, w]``."""
    height, width = images.shape[-2:]
    return ImageSet(names, labels, lambda row: images[row], [(height, width)] * len(images))


def digits(n: int, *, seed: int) -> ImageSet:
    """Handwritten digits from the embedded generator, classes in turn; each is labelled as it was asked for.

    Args:
        n: How many.
        seed: Of the generator's noise.
    """
    generator = load_generator("digits", conditioning="fixed")
    rng = torch.Generator().manual_seed(seed)
    each = -(-n // generator.n_classes)
    with torch.no_grad():
        images = torch.stack(
            [generator(generator.sample(each, rng, (label, label))) for label in range(generator.n_classes)],
            1,
        )
    labels = [row % generator.n_classes for row in range(n)]
    names = [f"digit_{row:05d}" for row in range(n)]
    return images_in_memory(names, labels, to_uint8(images.flatten(0, 1)[:n]))


def images_at(
    path: Path, label_of: LabelOf, *, size: int | None = None, at_most: int | None = None
) -> ImageSet:
    """Images on disk: a folder with a sub-folder a class, or a CSV ``file_name, label`` beside its files.

    Args:
        path: The folder or the CSV.
        label_of: Understands the sub-folders' names or the labels.
        size: Resize the shorter side to this and keep the central square; None keeps the original.
        at_most: Keep this many, evenly over the sorted list (so over the classes).

    Raises:
        ControversyError: Nothing is there, a label is unknown, or an image cannot be read.
    """
    files, words, base = _listed(path)
    if at_most is not None and at_most < len(files):
        kept = np.linspace(0, len(files) - 1, at_most).round().astype(int)
        files, words = [files[i] for i in kept], [words[i] for i in kept]
    labels = [label_of(word) for word in words]
    names = [file.relative_to(base).as_posix() if file.is_relative_to(base) else str(file) for file in files]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ControversyError(f"{path} lists {repeated} twice")
    sizes = [(size, size)] * len(files) if size else [_size(file) for file in files]
    return ImageSet(names, labels, lambda row: _pixels(files[row], size), sizes)


def _listed(path: Path) -> tuple[list[Path], list[str], Path]:
    if path.is_dir():
        files = sorted(file for file in path.glob("*/*") if file.suffix.lower() in SUFFIXES)
        if not files:
            raise ControversyError(
                f"{path} has no images in class sub-folders ({path.name}/<class>/<image>.png)"
            )
        return files, [file.parent.name for file in files], path
    try:
        table = pd.read_csv(path, dtype=str)
    except (OSError, ValueError) as problem:
        raise ControversyError(
            f"images has to be digits, a folder of class folders, or a CSV; {path}: {problem}"
        ) from problem
    missing = {"file_name", "label"} - set(table)
    if missing or not len(table):
        raise ControversyError(
            f"{path} needs the columns file_name and label, and a row; it has {', '.join(map(str, table))}"
        )
    return [path.parent / name for name in table["file_name"]], table["label"].tolist(), path.parent


def _size(file: Path) -> tuple[int, int]:
    with _opened(file) as image:
        return image.height, image.width


def _pixels(file: Path, size: int | None) -> Tensor:
    with _opened(file) as opened:
        try:
            image = opened.convert("RGB")
        except (OSError, SyntaxError) as problem:
            raise ControversyError(f"cannot read the image {file}: {problem}") from problem
    if size:
        scale = size / min(image.size)
        image = image.resize(
            (round(image.width * scale), round(image.height * scale)), Image.Resampling.BICUBIC
        )
        left, top = (image.width - size) // 2, (image.height - size) // 2
        image = image.crop((left, top, left + size, top + size))
    return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)


def _opened(file: Path) -> Image.Image:
    try:
        return Image.open(file)
    except (OSError, SyntaxError) as problem:
        raise ControversyError(f"cannot read the image {file}: {problem}") from problem
