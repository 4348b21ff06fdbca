"""The logits of saved images: PNGs re-read, float32, batches of one fixed size."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from controversy.errors import ControversyError
from controversy.images import from_uint8, read_png
from controversy.stimuli._rows import Kind, chunks

if TYPE_CHECKING:
    from controversy.classifiers import Classifier

BATCH_SIZE = 32
Progress = Callable[[int, int], None]
"""Called with how many images are scored, and of how many."""


def score_images(
    paths: Sequence[Path],
    classifiers: Mapping[str, "Classifier"],
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> Iterator[tuple[slice, dict[str, np.ndarray]]]:
    """The logits of each classifier for saved images, a batch at a time.

    A network's rounding depends on the batch's size, so the last batch is filled up: the logits of an
    image then do not depend on how many others are in its set.

    Args:
        paths: PNGs of one size.
        classifiers: By name, each on the device it is to run on.
        batch_size: Images scored at a time.
        progress: Called after each batch.

    Yields:
        Which of the paths, and float32 ``[k, n_classes]`` by name; nothing where there is no classifier.

    Raises:
        ControversyError: A PNG is damaged or of another size, a classifier is not in float32, or its
            logits are not finite or not of its n_classes.
    """
    if batch_size < 1:
        raise ControversyError(f"batch_size must be at least 1, got {batch_size}")
    for name, classifier in classifiers.items():
        _check_float32(name, classifier)
    return _scored(paths, classifiers, batch_size, progress)


def logit_kinds(classifiers: Mapping[str, "Classifier"]) -> dict[str, Kind]:
    """What `score_images` gives for one image, by name."""
    return {name: (np.dtype(np.float32), (model.n_classes,)) for name, model in classifiers.items()}


def _scored(
    paths: Sequence[Path],
    classifiers: Mapping[str, "Classifier"],
    batch_size: int,
    progress: Progress | None,
) -> Iterator[tuple[slice, dict[str, np.ndarray]]]:
    for rows in chunks(len(paths), batch_size) if classifiers else ():
        batch = paths[rows]
        images = from_uint8(read_images(batch))
        filled = torch.cat([images, images[-1:].expand(batch_size - len(batch), -1, -1, -1)])
        logits = {}
        for name, classifier in classifiers.items():
            logits[name] = _forward(name, classifier, filled)[: len(batch)]
            _check_finite(name, logits[name], batch)
        yield rows, logits
        if progress is not None:
            progress(rows.stop, len(paths))


def read_images(paths: Sequence[Path]) -> Tensor:
    """PNGs of one size as uint8 ``[n, 3, h, w]``.

    Raises:
        ControversyError: One is damaged or of another size than the first.
    """
    images = [read_png(path) for path in paths]
    for path, image in zip(paths, images, strict=True):
        if image.shape != images[0].shape:
            raise ControversyError(
                f"{path} is {image.shape[2]} x {image.shape[1]} pixels, but {paths[0]} is "
                f"{images[0].shape[2]} x {images[0].shape[1]}: the images of a set have one size"
            )
    return torch.stack(images)


def _forward(name: str, classifier: "Classifier", images: Tensor) -> np.ndarray:
    device = next(classifier.parameters(), torch.empty(0)).device
    with torch.inference_mode(), _plain_float32(device.type):
        logits = classifier(images.to(device)).cpu().numpy()
    expected = (len(images), classifier.n_classes)
    if logits.shape != expected:
        raise ControversyError(f"classifier {name} gave logits {list(logits.shape)}, not {list(expected)}")
    return logits


@contextmanager
def _plain_float32(device_type: str) -> Iterator[None]:
    """No half precision, no TF32: on every device the logits of one and the same function."""
    previous = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with (
            torch.autocast(device_type, enabled=False),
            torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False),
        ):
            yield
    finally:
        torch.set_float32_matmul_precision(previous)


def _check_float32(name: str, classifier: "Classifier") -> None:
    kinds = {p.dtype for p in classifier.parameters()} - {torch.float32}
    if kinds:
        raise ControversyError(
            f"saved images are scored in float32, but classifier {name} holds {', '.join(map(str, kinds))}: "
            "call .float() on it first"
        )


def _check_finite(name: str, logits: np.ndarray, paths: Sequence[Path]) -> None:
    bad = np.flatnonzero(~np.isfinite(logits).all(axis=1))
    if len(bad):
        raise ControversyError(
            f"classifier {name} gave logits that are not finite for {paths[bad[0]]}"
            + (f" and {len(bad) - 1} more" if len(bad) > 1 else "")
            + ": check its weights"
        )
