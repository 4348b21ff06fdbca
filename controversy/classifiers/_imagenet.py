"""What families of ImageNet classifiers share: the classes, and names that stand for a library's models."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from torch import nn

from controversy.classes import IMAGENET
from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Fit, Preprocessing
from controversy.registry import Entry
from controversy.weights import Download, combined_digest

N_CLASSES = 1000


def imagenet_classifier(
    network: nn.Module, name: str, protocol: Mapping[str, Any], fit: Fit, files: Sequence[Path]
) -> Classifier:
    """A network whose weights are loaded, as a classifier of ImageNet's classes.

    Args:
        network: Normalised image -> logits ``[n, 1000]``.
        name: What it is called in a set.
        protocol: Options of `Preprocessing`: how it was evaluated.
        fit: See `Preprocessing`.
        files: Where its weights came from.
    """
    return Classifier(
        network,
        name=name,
        n_classes=N_CLASSES,
        class_set=IMAGENET,
        preprocessing=Preprocessing(**protocol, fit=fit),
        weights_sha256=combined_digest(files),
    )


def library_entry(
    family: str,
    word: str,
    load: Callable[..., Classifier],
    file: Callable[[str], Path],
    downloads: Callable[[str], tuple[Download, ...]],
) -> Entry[Classifier]:
    """The entry of ``family:word``, a model that a library knows by ``word``."""
    return Entry(
        f"{family}:{word}",
        partial(load, word),
        lambda: (file(word),),
        family,
        f"{family}, ImageNet",
        partial(downloads, word),
    )


def did_you_mean(family: str, word: str, known: Sequence[str], otherwise: str) -> str:
    """Names near an unknown one, or another hint where none is near."""
    near = get_close_matches(word, known, n=3)
    return f"Did you mean {', '.join(f'{family}:{name}' for name in near)}?" if near else otherwise
