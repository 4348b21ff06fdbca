"""timm's ImageNet models, ``timm:NAME``; what each does to an image stands in its ``pretrained_cfg``."""

import math
import warnings
from pathlib import Path
from typing import Any

from controversy.classifiers._base import Classifier
from controversy.classifiers._checkpoints import in_timms_names
from controversy.classifiers._imagenet import N_CLASSES, did_you_mean, imagenet_classifier, library_entry
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
    strip_prefixes,
    weights_root,
)

FAMILY = "timm"
_FILE = "model.safetensors"


def _facts(word: str) -> Any:
    """The pretrained configuration of a name such as ``resnet18.a1_in1k``.

    Raises:
        ControversyError: timm has no such model, or none of ImageNet's 1,000 classes.
    """
    import timm

    architecture = word.split(".")[0]
    if not timm.is_model(architecture):
        hint = did_you_mean(FAMILY, architecture, timm.list_models(), "See timm.list_pretrained().")
        raise ControversyError(f"timm has no model {architecture!r}. {hint}")
    try:
        facts = timm.models.get_pretrained_cfg(word)
    except RuntimeError:  # so it says that the tag after the dot is unknown
        facts = None
    if facts is None or not facts.has_weights:
        tags = timm.list_pretrained(f"{architecture}.*")
        hint = f"with them: {', '.join(tags)}" if tags else "none of its kind has"
        raise ControversyError(f"timm has no pretrained weights called {word!r}; {hint}")
    if facts.num_classes != N_CLASSES:
        raise ControversyError(f"timm:{word} has {facts.num_classes} classes, not ImageNet's {N_CLASSES}")
    return facts


def _own_file(facts: Any) -> Path:
    """Named in full: a name without a tag stands for whatever timm's default is."""
    return weights_root() / FAMILY / f"{facts.architecture}.{facts.tag}.safetensors"


def _file(word: str) -> Path:
    """In the folder of weights, or in the cache of the library that would have downloaded it."""
    facts = _facts(word)
    own = _own_file(facts)
    places = [own, own.with_suffix(".pth"), own.with_suffix(".bin")]
    if facts.hf_hub_id:
        from huggingface_hub import try_to_load_from_cache

        cached = [try_to_load_from_cache(facts.hf_hub_id, name) for name in (_FILE, "pytorch_model.bin")]
        places += [Path(path) for path in cached if isinstance(path, str)]
    if facts.url:
        places.append(hub_checkpoint(facts.url.rsplit("/", 1)[-1]))
    return first_present(*places)


def _downloads(word: str) -> tuple[Download, ...]:
    facts = _facts(word)
    if facts.hf_hub_id:
        from huggingface_hub import hf_hub_url

        return (Download(hf_hub_url(facts.hf_hub_id, _FILE), _own_file(facts)),)
    return (Download(facts.url, _own_file(facts).with_suffix(".pth")),)


def protocol(facts: Any) -> dict[str, Any]:
    """The evaluation that timm documents for a model, as options of `Preprocessing`.

    Args:
        facts: Its ``pretrained_cfg``.

    Raises:
        ControversyError: The model is evaluated in a way that is not ours to reproduce.
    """
    _, height, width = facts.input_size
    mode = facts.crop_mode or "center"
    squashes = mode == "squash" and facts.crop_pct == 1
    if (
        height != width
        or facts.interpolation not in {"bilinear", "bicubic"}
        or not (mode == "center" or squashes)
    ):
        raise ControversyError(
            f"timm evaluates {facts.architecture} at {height} x {width}, {facts.interpolation}, "
            f"crop mode {mode}: only square, bilinear or bicubic, centre crops are known here. "
            "Declare what is near enough with controversy.classifiers.wrap_module"
        )
    return {
        "size": height,
        "resize": "squash" if squashes else math.floor(height / facts.crop_pct),
        "interpolation": facts.interpolation,
        "mean": tuple(facts.mean),
        "std": tuple(facts.std),
    }


def _load(word: str, *, fit: Fit = "whole") -> Classifier:
    import timm

    facts, path = _facts(word), _file(word)
    evaluated = protocol(facts)
    state = strip_prefixes(read_weights(path, nested=("state_dict", "model")), ("module.",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some architectures use names that torch calls old
        network = timm.create_model(word, pretrained=False, num_classes=N_CLASSES)
    load_strictly(network, in_timms_names(state, network), path)
    return imagenet_classifier(network, f"{FAMILY}:{word}", evaluated, fit, [path])


def _find(word: str) -> Entry[Classifier]:
    _facts(word)
    return library_entry(FAMILY, word, _load, _file, _downloads)


CLASSIFIERS.add_family(FAMILY, _find)
