"""Anyone's classifier: a torch module, and what it wants done to an image."""

from pathlib import Path
from typing import Literal

from torch import nn

from controversy.classes import IMAGENET
from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Fit, Preprocessing
from controversy.weights import combined_digest, load_strictly, read_weights, strip_prefixes


def wrap_module(
    network: nn.Module,
    *,
    name: str,
    size: int,
    n_classes: int = 1000,
    class_set: str = IMAGENET,
    weights: str | Path | None = None,
    interpolation: Literal["bilinear", "bicubic"] = "bilinear",
    mean: tuple[float, ...] = (0.0,),
    std: tuple[float, ...] = (1.0,),
    channels: Literal["rgb", "grey"] = "rgb",
    resize: int | Literal["squash"] | None = None,
    fit: Fit = "whole",
) -> Classifier:
    """A classifier of a module and its declared preprocessing.

    Args:
        network: Preprocessed images -> logits.
        name: What users, metadata and logits are to call it.
        size: Side of its input in pixels.
        n_classes: Number of its logits.
        class_set: What they mean; see `controversy.classes.class_table`.
        weights: A file to load into ``network``, every key checked; None where it has its weights.
        interpolation: See `Preprocessing`, also for what follows.
        mean: Likewise.
        std: Likewise.
        channels: Likewise.
        resize: Likewise.
        fit: Likewise.

    Raises:
        ControversyError: The file is missing, damaged or does not fit, or an option is outside its values.
    """
    digest = None
    if weights is not None:
        path = Path(weights).expanduser()
        state = read_weights(path, nested=("state_dict", "model"))
        load_strictly(network, strip_prefixes(state, ("module.",)), path)
        digest = combined_digest([path])
    return Classifier(
        network,
        name=name,
        n_classes=n_classes,
        class_set=class_set,
        preprocessing=Preprocessing(
            size,
            interpolation=interpolation,
            mean=tuple(mean),
            std=tuple(std),
            channels=channels,
            resize=resize,
            fit=fit,
        ),
        weights_sha256=digest,
    )
