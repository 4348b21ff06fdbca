"""RobustBench's ImageNet models: its 30 entries robust to l-infinity perturbations, and those to corruptions.

Networks come from the package's factories (`_robustbench_zoo`), weights through our strict loading: its own
``load_model`` tries again with ``strict=False`` where a normalising model's file lacks the constants, and
then accepts any file.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from controversy.classifiers._base import Classifier
from controversy.classifiers._checkpoints import in_timms_names
from controversy.classifiers._imagenet import imagenet_classifier
from controversy.classifiers._preprocessing import Fit
from controversy.classifiers._registry import CLASSIFIERS
from controversy.classifiers._robustbench_entries import ENTRIES
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

FAMILY = "robustbench"
_FOLDER = "https://drive.google.com/drive/folders/1tgAPYAu_uviV5m9aSB_LR3AaqIcUtLrW"

PROTOCOLS: dict[str, dict[str, Any]] = {
    "Res256Crop224": {"size": 224, "resize": 256, "interpolation": "bilinear"},
    "BicubicRes256Crop224": {"size": 224, "resize": 256, "interpolation": "bicubic"},
    "Res224": {"size": 224, "resize": "squash", "interpolation": "bilinear"},
    "Crop288": {"size": 288, "resize": None, "interpolation": "bilinear"},
    # What timm registers XCiT with: all of the central square.
    "timm": {"size": 224, "resize": 224, "interpolation": "bicubic"},
}
"""What the package's names of evaluation protocols mean. None normalises: each network does it inside."""

# Files that training scripts left their arguments in; a namespace holds values and runs nothing.
ALLOWED = (argparse.Namespace,)

_NESTED = ("state_dict", "model")
_WRAPPERS = ("module.", "model.")
_NORMALISER = "normalize."


def _files(threat: str, key: str, published: tuple[str, ...]) -> tuple[Path, ...]:
    """Where the package keeps its downloads, or `torch.hub` for those it leaves to it."""
    folder = weights_root() / "imagenet" / threat
    if len(published) > 1:
        return tuple(
            first_present(folder / f"{key}_m{i}.pt", folder / f"{key}.pt_m{i}.pt")
            for i in range(len(published))
        )
    places = [folder / f"{key}.pt"]
    if not published[0].startswith("gdrive:"):
        places.append(hub_checkpoint(published[0].rsplit("/", 1)[-1]))
    return (first_present(*places),)


def _downloads(threat: str, key: str, published: tuple[str, ...]) -> tuple[Download, ...]:
    return tuple(
        _download(place, path) for place, path in zip(published, _files(threat, key, published), strict=True)
    )


def _download(published: str, path: Path) -> Download:
    if published.startswith("gdrive:"):
        number = published.removeprefix("gdrive:")
        return Download(
            f"https://drive.usercontent.google.com/download?id={number}&export=download&confirm=t",
            path,
            page=f"https://drive.google.com/file/d/{number}/view, or the folder {_FOLDER}",
        )
    stem, _, digest = published.rsplit("/", 1)[-1].removesuffix(".pth").rpartition("-")
    # PyTorch's own files end in the beginning of their SHA-256.
    return Download(published, path, sha256=digest if stem and "pytorch.org" in published else "")


def _load(
    threat: str, key: str, protocol: str, published: tuple[str, ...], *, fit: Fit = "whole"
) -> Classifier:
    """Builds the network, loads its weights strictly, and declares its protocol.

    Args:
        threat: "Linf" or "corruptions".
        key: The package's name.
        protocol: One of `PROTOCOLS`.
        published: Where its files are published.
        fit: See `Preprocessing`.

    Raises:
        ControversyError: A file is missing, damaged, or of another model.
    """
    from controversy.classifiers._robustbench_zoo import build

    files = _files(threat, key, published)
    states = [read_weights(path, nested=_NESTED, allowed=ALLOWED) for path in files]
    network = build(key, threat)
    for part, state, path in zip(_parts(network, len(files)), states, files, strict=True):
        _load_part(part, state, path)
    return imagenet_classifier(network, key, PROTOCOLS[protocol], fit, files)


def _parts(network: nn.Module, n_files: int) -> list[nn.Module]:
    """Which modules the files are for: MixedNUTS mixes an accurate and a robust network."""
    return [network] if n_files == 1 else [network.get_submodule(name) for name in ("std_model", "rob_model")]


def _load_part(part: nn.Module, state: dict[str, Tensor], path: Path) -> None:
    """Loads a network, or what stands behind a normalising layer, whose constants the file may repeat."""
    normaliser = dict(part.named_children()).get("normalize")
    if normaliser is None:
        load_strictly(part, in_timms_names(strip_prefixes(state, _WRAPPERS), part), path)
        return
    state = strip_prefixes(state, _WRAPPERS, keep=(_NORMALISER, f"module.{_NORMALISER}"))
    for name, constant in normaliser.state_dict().items():
        repeated = next(
            (state.pop(k) for k in (f"{_NORMALISER}{name}", f"module.{_NORMALISER}{name}") if k in state),
            None,
        )
        if repeated is not None and not constant.allclose(
            repeated.reshape(constant.shape).to(constant), atol=1e-3
        ):
            raise ControversyError(
                f"{path} normalises by {name} {repeated.flatten().tolist()}, its entry in the zoo by "
                f"{constant.flatten().tolist()}: it is another model's file"
            )
    network = part.get_submodule("model")
    load_strictly(network, in_timms_names(state, network), path)


def _find(key: str) -> Entry[Classifier]:
    """``robustbench:KEY``, the same as ``KEY``."""
    entry = CLASSIFIERS[key]
    if entry.family != FAMILY:
        raise ControversyError(
            f"{key!r} is no entry of RobustBench, but a {CLASSIFIERS.kind} of family {entry.family}"
        )
    return entry


for _threat, _key, _protocol, _published in ENTRIES:
    # Standard_R50 is listed under both threat models and is one network.
    if _key not in CLASSIFIERS:
        CLASSIFIERS.add(
            _key,
            partial(_load, _threat, _key, _protocol, _published),
            weights=partial(_files, _threat, _key, _published),
            downloads=partial(_downloads, _threat, _key, _published),
            family=FAMILY,
            summary=f"RobustBench, ImageNet, {_threat}",
        )
CLASSIFIERS.add_family(FAMILY, _find)
