"""Memory layouts in which the same networks run faster; their numbers change by rounding alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@contextmanager
def fast_layouts(modules: Sequence[nn.Module], device: torch.device) -> Iterator[None]:
    """Runs networks in channels-last memory and, on a CPU, their linear layers as convolutions.

    Convolution kernels want channels last and otherwise reorder at every call. PyTorch multiplies float32
    matrices on a CPU with MKL, which on processors that are not Intel's reaches less than half of what oneDNN
    does with convolutions (docs/performance.md has both). Networks are as before when the block ends, so that
    scores never depend on it.

    Args:
        modules: Generator and classifiers, in eval mode.
        device: Where they are.
    """
    linear = [layer for module in modules for layer in module.modules() if type(layer) is nn.Linear]
    for module in modules:
        module.to(memory_format=torch.channels_last)
    if device.type == "cpu":
        for layer in linear:
            vars(layer)["forward"] = partial(linear_by_convolution, layer)
    try:
        yield
    finally:
        for layer in linear:
            vars(layer).pop("forward", None)
        for module in modules:
            module.to(memory_format=torch.contiguous_format)


def linear_by_convolution(layer: nn.Linear, x: Tensor) -> Tensor:
    """``layer(x)`` as a convolution with a 1 x 1 window: rows are pixels. Nothing is copied on the way.

    Args:
        layer: With weight ``[n_out, n_in]``.
        x: ``[..., n_in]``.
    """
    rows = x.reshape(1, 1, -1, x.shape[-1]).permute(0, 3, 1, 2)  # [1, n_in, 1, rows], channels last
    out = F.conv2d(rows, layer.weight[:, :, None, None], layer.bias)
    return out.permute(0, 2, 3, 1).reshape(*x.shape[:-1], layer.out_features)
