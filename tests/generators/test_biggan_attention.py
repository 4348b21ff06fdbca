import pytest
import torch
from pytorch_pretrained_biggan.model import SelfAttn

from controversy.generators._biggan_attention import Attention


@pytest.fixture
def released():
    """In float64 and with its output switched on: as made, gamma is 0."""
    torch.manual_seed(0)
    layer = SelfAttn(16).eval().double()
    layer.gamma.data.fill_(0.7)
    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    return layer


def images(side):
    return torch.randn(3, 16, side, side, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def with_gradient(layer, x):
    x = x.clone(memory_format=torch.preserve_format).requires_grad_(True)
    out = layer(x)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(2), dtype=out.dtype)
    (gradient,) = torch.autograd.grad((out * weight).sum(), x)
    return out, gradient


# Below and above the number of positions from which an image has kernels of its own.
@pytest.mark.parametrize("side", [8, 32])
def test_channels_last_it_is_the_released_layer(released, side):
    x = images(side)
    expected = with_gradient(released, x)
    assert (expected[0] - x).abs().max() > 0.1
    found = with_gradient(Attention(released), x.to(memory_format=torch.channels_last))
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_otherwise_it_is_so_to_the_bit(released):
    released, x = released.float(), images(32).float()
    for ours, theirs in zip(with_gradient(Attention(released), x), with_gradient(released, x), strict=True):
        assert torch.equal(ours, theirs)


def test_an_image_does_not_depend_on_its_neighbours(released):
    attention = Attention(released.float())
    x = images(32).float().to(memory_format=torch.channels_last)
    assert torch.equal(attention(x)[1], attention(x.flip(0))[1])
