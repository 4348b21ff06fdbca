"""Is a loaded classifier the one that was published? Photographs tell.

Strict loading catches a wrong file. It cannot catch preprocessing that does not belong to the weights, or
classes in another order: both give plausible numbers, and ruin a study without a trace.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import comb
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from controversy.classes import IMAGENET, class_index, class_table
from controversy.classifiers._base import Classifier
from controversy.errors import ControversyError

PUBLISHED_FLOOR = 0.5
"""The ImageNet models of the zoo, of timm and of torchvision are published with accuracies above this."""

LIKELY = 0.01
"""An accuracy this improbable, were the published one true, is a failure."""

MARGIN = 0.2
"""By how many nats a photograph another convention has to be better, on average, to be the true one."""

_IMAGENET_STATISTICS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_SUFFIXES = {".jpg", ".jpeg", ".png"}


@dataclass(frozen=True)
class Photograph:
    """A labelled photograph: its file, and the index of its class."""

    path: Path
    label: int


@dataclass(frozen=True)
class Sanity:
    """What photographs said of a classifier.

    Attributes:
        n: Photographs.
        n_correct: Of them, classified correctly.
        probability: Of so few correct, were the accuracy `PUBLISHED_FLOOR`.
        log_likelihoods: Mean log-probability of the right class, in nats, for images as they are and as
            they would be under other conventions.
    """

    n: int
    n_correct: int
    probability: float
    log_likelihoods: dict[str, float]

    def problems(self) -> list[str]:
        """What is wrong; empty where nothing is."""
        found = []
        if self.probability < LIKELY:
            found.append(
                f"only {self.n_correct} of {self.n} photographs are classified correctly: weights that are "
                "not trained or only in part loaded, or classes in another order"
            )
        declared = self.log_likelihoods["as declared"]
        found += [
            f"it does better on images {convention} ({value:.2f} nats against {declared:.2f}): "
            "the declared preprocessing is not what these weights were trained with"
            for convention, value in self.log_likelihoods.items()
            if value > declared + MARGIN
        ]
        return found


def find_photographs(folder: Path | str | None = None) -> list[Photograph]:
    """Labelled photographs of ImageNet's classes.

    Args:
        folder: One sub-folder a class, named by its WordNet id or index. By default the 20 photographs
            that the package foolbox brings, where it is installed.

    Raises:
        ControversyError: There are none.
    """
    if folder is not None:
        found = list(_in_folders(Path(folder)))
    else:
        foolbox = find_spec("foolbox")
        places = list(foolbox.submodule_search_locations or []) if foolbox else []
        found = [
            Photograph(path, int(path.stem.rpartition("_")[2]))
            for place in places
            for path in sorted((Path(place) / "data").glob("imagenet_*.jpg"))
        ]
    if not found:
        raise ControversyError(
            f"no labelled photographs {f'in {folder}' if folder else 'here'}. Install foolbox, which brings "
            "20, or give photographs=DIR with a sub-folder a class, named by its WordNet id or index"
        )
    return found


def _in_folders(folder: Path) -> Iterator[Photograph]:
    table = class_table(IMAGENET)
    for inner in sorted(path for path in folder.glob("*") if path.is_dir()):
        label = class_index(inner.name, table)
        yield from (
            Photograph(path, label) for path in sorted(inner.iterdir()) if path.suffix.lower() in _SUFFIXES
        )


def read_photographs(photographs: Sequence[Photograph], side: int = 512) -> tuple[Tensor, Tensor]:
    """Their central squares at one size: images ``[n, 3, side, side]`` in [0, 1] and labels ``[n]``."""
    pixels = []
    for photograph in photographs:
        with Image.open(photograph.path) as image:
            square = min(image.size)
            left, top = (image.width - square) // 2, (image.height - square) // 2
            cut = image.convert("RGB").crop((left, top, left + square, top + square))
            pixels.append(np.asarray(cut.resize((side, side), Image.Resampling.BICUBIC)))
    images = torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2).float() / 255
    return images, torch.tensor([photograph.label for photograph in photographs])


@torch.inference_mode()
def examine(classifier: Classifier, images: Tensor, labels: Tensor, *, batch_size: int = 10) -> Sanity:
    """How a classifier does on labelled photographs, and how it would under other conventions.

    Args:
        classifier: On any device.
        images: ``[n, 3, h, w]`` in [0, 1].
        labels: ``[n]``.
        batch_size: Images at a time.

    Raises:
        ControversyError: The classifier's classes are not ImageNet's.
    """
    if classifier.class_set != IMAGENET:
        raise ControversyError(
            f"{classifier.name} knows {classifier.class_set}, and the photographs show {IMAGENET}"
        )
    device = next(classifier.parameters()).device
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in _IMAGENET_STATISTICS)
    conventions = {
        "as declared": images,
        "with red and blue swapped": images.flip(1),
        "normalised once more": (images - mean) / std,
        "with normalisation undone": images * std + mean,
        "of values to 255": images * 255,
    }
    likelihoods, n_correct = {}, 0
    for convention, changed in conventions.items():
        logits = torch.cat(
            [classifier(batch.to(device)).float().cpu() for batch in changed.split(batch_size)]
        )
        chosen = logits.log_softmax(1).gather(1, labels[:, None])
        likelihoods[convention] = float(chosen.mean())
        if convention == "as declared":
            n_correct = int((logits.argmax(1) == labels).sum())
    n = len(labels)
    return Sanity(n, n_correct, _at_most(n_correct, n), likelihoods)


def _at_most(n_correct: int, n: int) -> float:
    """The binomial probability of so many correct or fewer, at `PUBLISHED_FLOOR`."""
    p = PUBLISHED_FLOOR
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n_correct + 1))
