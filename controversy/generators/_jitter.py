"""Small cyclic shifts that follow from what is shifted.

A generator is a function of its latents: the image that synthesis scored must be the one that is saved. So
a shift is not drawn from a running stream of random numbers, but is a hash of the latents. They change with
every step, and so does the shift.
"""

import torch
from torch import Tensor

_MULTIPLIER = (
    0x9E3779B1  # golden ratio of 2^32: Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4)
)
_MODULUS = (1 << 31) - 1


def shifts(latents: Tensor, largest: int, seed: int) -> Tensor:
    """Shifts ``[n, 2]`` in pixels, each from ``-largest`` to ``largest``.

    Integer arithmetic on the bits of float32 latents ``[n, ...]``: the same on every device and in any batch.

    Args:
        latents: What decides.
        largest: Largest shift along an axis.
        seed: Another seed gives other shifts.
    """
    bits = latents.detach().float().flatten(1).contiguous().view(torch.int32).long()
    place = torch.arange(bits.shape[1], device=bits.device)
    words = _mixed(bits + _MULTIPLIER * (place + 1))
    both = torch.stack([_mixed(words.sum(1) + _MULTIPLIER * (2 * seed + axis + 1)) for axis in (0, 1)], dim=1)
    return both % (2 * largest + 1) - largest


def roll(images: Tensor, shift: Tensor) -> Tensor:
    """Each image of ``[n, c, h, w]`` moved cyclically by its own ``shift [n, 2]`` (down, right)."""
    n, channels, height, width = images.shape
    rows = (torch.arange(height, device=images.device) - shift[:, :1]) % height
    columns = (torch.arange(width, device=images.device) - shift[:, 1:]) % width
    moved = images.gather(2, rows[:, None, :, None].expand(n, channels, height, width))
    return moved.gather(3, columns[:, None, None, :].expand(n, channels, height, width))


def _mixed(words: Tensor) -> Tensor:
    """Spreads every bit of integers over 31 (a multiplicative congruential step between two foldings)."""
    words = (words ^ (words >> 15)) % _MODULUS
    words = (words * 48271) % _MODULUS
    return (words ^ (words >> 11)) % _MODULUS
