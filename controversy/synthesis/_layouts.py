"""Memory layouts in which the same networks run faster; their numbers change by rounding alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from controversy.products import product_by_convolution


@contextmanager
def fast_layouts(modules: Sequence[nn.Module], device: torch.device) -> Iterator[None]:
    """Runs networks in channels-last memory and, on a CPU, their linear layers as convolutions.

    Convolution kernels want channels last and otherwise reorder at every call; of the products, see
    `controversy.products`. Networks are as before when the block ends, so that scores never depend on it.

    Args:
        modules: Generator and classifiers, in eval mode.
        device: Where they are.
    """
    linear = [layer for module in modules for layer in module.modules() if type(layer) is nn.Linear]
    for module in modules:
        module.to(memory_format=torch.channels_last)
    if device.type == "cpu":
        for layer in linear:
            vars(layer)["forward"] = partial(_forward, layer)
    try:
        yield
    finally:
        for layer in linear:
            vars(layer).pop("forward", None)
        for module in modules:
            module.to(memory_format=torch.contiguous_format)


def _forward(layer: nn.Linear, x: Tensor) -> Tensor:
    # A single row an image, as in a classifier's head, is too small a product for another kernel.
    if x.dim() < 3:
        return F.linear(x, layer.weight, layer.bias)
    return product_by_convolution(x, layer.weight, layer.bias)
