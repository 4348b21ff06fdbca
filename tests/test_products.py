import pytest
import torch
from torch import nn

from controversy.products import product_by_convolution


@pytest.mark.parametrize("shape", [(5,), (1, 7), (3, 4, 11), (2, 5, 6, 7)])
def test_a_convolution_over_rows_is_the_linear_layer(shape):
    rng = torch.Generator().manual_seed(0)
    layer = nn.Linear(shape[-1], 9, bias=len(shape) != 2).double()
    x = torch.randn(shape, generator=rng, dtype=torch.float64, requires_grad=True)
    out, expected = product_by_convolution(x, layer.weight, layer.bias), layer(x)
    assert out.shape == expected.shape
    torch.testing.assert_close(out, expected)
    weight = torch.randn(expected.shape, generator=rng, dtype=torch.float64)
    (ours,), (theirs,) = (torch.autograd.grad((y * weight).sum(), x) for y in (out, expected))
    torch.testing.assert_close(ours, theirs)
