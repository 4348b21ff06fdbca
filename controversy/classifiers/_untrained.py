"""Tiny networks with random weights: what a study's code can be tried with before its weights are there."""

import hashlib
from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Preprocessing
from controversy.classifiers._registry import CLASSIFIERS

_SIDE = 32


def _resnet(n_classes: int) -> nn.Module:
    from timm.models.resnet import BasicBlock, ResNet

    return ResNet(
        BasicBlock, layers=[1, 1, 1, 1], channels=(8, 16, 24, 32), num_classes=n_classes, stem_width=8
    )


def _vit(n_classes: int) -> nn.Module:
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(
        img_size=_SIDE, patch_size=8, num_classes=n_classes, embed_dim=32, depth=2, num_heads=2, mlp_ratio=2
    )


def _load(
    name: str,
    architecture: Callable[[int], nn.Module],
    *,
    seed: int = 0,
    n_classes: int = 1000,
    class_set: str = "imagenet",
) -> Classifier:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = architecture(n_classes)
    digest = hashlib.sha256()
    for key, value in network.state_dict().items():
        digest.update(key.encode())
        digest.update(value.numpy().tobytes())
    return Classifier(
        network,
        name=name,
        n_classes=n_classes,
        class_set=class_set,
        preprocessing=Preprocessing(_SIDE),
        weights_sha256=digest.hexdigest(),
    )


for _name, _architecture in (("untrained_resnet", _resnet), ("untrained_vit", _vit)):
    CLASSIFIERS.add(
        _name,
        partial(_load, _name, _architecture),
        family="untrained",
        summary=f"random weights, {_SIDE} px: to try a study's code before weights are there",
    )
