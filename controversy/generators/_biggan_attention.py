"""BigGAN's self-attention, where memory is channels last, without a transposed copy of the attention map."""

from typing import Any

import torch
from torch import Tensor, nn

from controversy.products import product_by_convolution

_MANY_POSITIONS = 1024
"""From so many on, an image's two products are large enough for kernels of their own."""


class Attention(nn.Module):
    """What the released `SelfAttn` computes.

    With an image's rows of queries ``[positions, c / 8]``, keys ``[positions / 4, c / 8]`` and values
    ``[positions / 4, c / 2]``: ``softmax(queries @ keys.T) @ values``. As released, the second product
    takes the map transposed, so that its gradient, the largest tensor of the network, is copied to be turned
    again. That is kept, to the bit, unless the input is channels last (`controversy.synthesis.fast_layouts`).

    Args:
        released: A `SelfAttn` without spectral norm.
    """

    def __init__(self, released: Any) -> None:
        super().__init__()
        self.released = released

    def forward(self, x: Tensor) -> Tensor:
        """``[n, c, h, w]`` -> the same."""
        if not x.is_contiguous(memory_format=torch.channels_last):
            return self.released(x)
        released = self.released
        queries = _rows(released.snconv1x1_theta(x))
        keys = _rows(released.maxpool(released.snconv1x1_phi(x)))
        values = _rows(released.maxpool(released.snconv1x1_g(x)))
        if x.device.type == "cpu" and queries.shape[1] >= _MANY_POSITIONS:
            seen = torch.stack([_attend(*image) for image in zip(queries, keys, values, strict=True)])
        else:
            seen = (queries @ keys.transpose(1, 2)).softmax(-1) @ values
        seen = seen.transpose(1, 2).unflatten(2, x.shape[2:])
        return x + released.gamma * released.snconv1x1_o_conv(seen)


def _rows(maps: Tensor) -> Tensor:
    """``[n, c, h, w]`` -> ``[n, h * w, c]``, a view where channels are last."""
    return maps.flatten(2).transpose(1, 2)


def _attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    attention = product_by_convolution(queries, keys).softmax(-1)
    return product_by_convolution(attention, values.T.contiguous())


def replace_attention(module: nn.Module) -> None:
    """Replaces every `SelfAttn` inside ``module`` by its `Attention`."""
    from pytorch_pretrained_biggan.model import SelfAttn

    for name, child in list(module.named_children()):
        if isinstance(child, SelfAttn):
            setattr(module, name, Attention(child))
        else:
            replace_attention(child)
