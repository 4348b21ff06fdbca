"""The four embedded digit classifiers, one a family of the reference study."""

from functools import partial
from collections.abc import Callable

from torch import nn


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
