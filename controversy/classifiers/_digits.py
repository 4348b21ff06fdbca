"""The four embedded digit classifiers, one a family of the reference study.

timm's own classes at 32 x 32 and one channel, trained adversarially on MNIST by
``scripts/train_digits.py``; measured figures in ``digits/README.md``.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from torch import nn

from controversy.classes import DIGITS
from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Preprocessing
from controversy.classifiers._registry import CLASSIFIERS
from controversy.files import sha256
from controversy.weights import load_strictly, read_weights

_FOLDER = Path(__file__).resolve().parent / "digits"


def _resnet() -> nn.Module:
    from timm.models.resnet import BasicBlock, ResNet

    return ResNet(
        BasicBlock,
        layers=[1, 1, 1, 1],
        channels=(24, 48, 96, 128),
        in_chans=1,
        num_classes=10,
        stem_width=16,
        stem_type="deep",
    )


def _vit() -> nn.Module:
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(
        img_size=32,
        patch_size=4,
        in_chans=1,
        num_classes=10,
        embed_dim=64,
        depth=4,
        num_heads=4,
        mlp_ratio=2,
        class_token=False,
        global_pool="avg",
    )


def _convnext() -> nn.Module:
    from timm.models.convnext import ConvNeXt

    return ConvNeXt(
        in_chans=1, num_classes=10, depths=(1, 1, 3, 1), dims=(32, 48, 96, 128), patch_size=2, kernel_sizes=7
    )


def _swin() -> nn.Module:
    from timm.models.swin_transformer import SwinTransformer

    return SwinTransformer(
        img_size=32,
        patch_size=4,
        in_chans=1,
        num_classes=10,
        embed_dim=64,
        depths=(2, 2),
        num_heads=(2, 4),
        window_size=4,
        mlp_ratio=2,
    )


ARCHITECTURES: dict[str, Callable[[], nn.Module]] = {
    "digits_resnet": _resnet,
    "digits_vit": _vit,
    "digits_convnext": _convnext,
    "digits_swin": _swin,
}


def _load(name: str) -> Classifier:
    path = _FOLDER / f"{name}.safetensors"
    network = ARCHITECTURES[name]()
    load_strictly(network, read_weights(path), path)
    return Classifier(
        network,
        name=name,
        n_classes=10,
        class_set=DIGITS,
        preprocessing=Preprocessing(32, channels="grey"),
        weights_sha256=sha256(path),
    )


for _name in ARCHITECTURES:
    CLASSIFIERS.add(
        _name,
        partial(_load, _name),
        weights=(_FOLDER / f"{_name}.safetensors",),
        summary=f"{_name.removeprefix('digits_')} of handwritten digits, adversarially trained, embedded",
    )
