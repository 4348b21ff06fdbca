"""torchvision's ImageNet models, ``torchvision:NAME`` or ``torchvision:NAME.WEIGHTS``."""

from pathlib import Path
from typing import Any

from controversy.classifiers._base import Classifier
from controversy.classifiers._imagenet import did_you_mean, imagenet_classifier, library_entry
from controversy.classifiers._preprocessing import Fit
from controversy.classifiers._registry import CLASSIFIERS
from controversy.errors import ControversyError
from controversy.registry import Entry
from controversy.weights import (
    Download,
    first_present,
    hub_checkpoint,
    load_strictly,
    read_weights,
    weights_root,
)

FAMILY = "torchvision"


def _weights(word: str) -> Any:
    """The weights of a name such as ``resnet50`` (torchvision's default) or ``resnet50.IMAGENET1K_V1``.

    Raises:
        ControversyError: torchvision has no such classification model, or no such weights of it.
    """
    import torchvision.models as tv

    name, _, wanted = word.partition(".")
    known = tv.list_models(module=tv)
    if name not in known:
        hint = did_you_mean(FAMILY, name, known, f"There are: {', '.join(known)}.")
        raise ControversyError(f"torchvision has no classifier {name!r}. {hint}")
    listed = tv.get_model_weights(name)
    if wanted and wanted not in listed.__members__:
        raise ControversyError(
            f"torchvision has no weights {wanted!r} of {name}; there are: {', '.join(listed.__members__)}"
        )
    return listed[wanted] if wanted else listed.DEFAULT


def _own_file(weights: Any) -> Path:
    return weights_root() / FAMILY / weights.url.rsplit("/", 1)[-1]


def _file(word: str) -> Path:
    own = _own_file(_weights(word))
    return first_present(own, hub_checkpoint(own.name))


def _downloads(word: str) -> tuple[Download, ...]:
    weights = _weights(word)
    own = _own_file(weights)
    # Names end in the beginning of the file's SHA-256.
    return (Download(weights.url, own, sha256=own.stem.rpartition("-")[2]),)


def protocol(transforms: Any) -> dict[str, Any]:
    """The evaluation that belongs to weights, as options of `Preprocessing`."""
    return {
        "size": transforms.crop_size[0],
        "resize": transforms.resize_size[0],
        "interpolation": transforms.interpolation.value,
        "mean": tuple(transforms.mean),
        "std": tuple(transforms.std),
    }


def _load(word: str, *, fit: Fit = "whole") -> Classifier:
    import torchvision.models as tv

    weights, path = _weights(word), _file(word)
    state = read_weights(path)
    name = word.partition(".")[0]
    # Inception and GoogLeNet have branches for training, in their files too.
    network = tv.get_model(
        name, weights=None, **({"init_weights": False} if name in {"googlenet", "inception_v3"} else {})
    )
    load_strictly(network, state, path)
    return imagenet_classifier(network, f"{FAMILY}:{word}", protocol(weights.transforms()), fit, [path])


def _find(word: str) -> Entry[Classifier]:
    _weights(word)
    return library_entry(FAMILY, word, _load, _file, _downloads)


CLASSIFIERS.add_family(FAMILY, _find)
