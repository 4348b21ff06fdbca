"""Matrix products of large float32 matrices on a CPU.

PyTorch multiplies these with MKL, which on processors that are not Intel's reaches less than half of what
oneDNN does with convolutions (docs/performance.md has both). A product is a convolution whose window is one
pixel and whose pixels are the rows.
"""

import torch.nn.functional as F
from torch import Tensor


def product_by_convolution(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x @ weight.T + bias``, as `torch.nn.functional.linear`; nothing is copied on the way.

    Args:
        x: ``[..., n_in]``.
        weight: ``[n_out, n_in]``, contiguous.
        bias: ``[n_out]``.
    """
    rows = x.reshape(1, 1, -1, x.shape[-1]).permute(0, 3, 1, 2)  # [1, n_in, 1, rows], channels last
    out = F.conv2d(rows, weight[:, :, None, None], bias)
    return out.permute(0, 2, 3, 1).reshape(*x.shape[:-1], weight.shape[0])
