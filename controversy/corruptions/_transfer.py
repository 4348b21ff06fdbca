"""Convolution given by a transfer function: any width, continuous in its parameters, exact at width 0."""

from collections.abc import Callable

import torch
from torch import Tensor


def filter_by(images: Tensor, transfer: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Convolves images, mirrored at their borders, with a point spread function given in frequency space.

    Args:
        images: ``[n, 3, h, w]``.
        transfer: Vertical ``[H, 1]`` and horizontal ``[1, W]`` frequencies in cycles a pixel -> real transfer
            ``[n, 1, H, W]``, 1 at frequency 0 (a point-symmetric spread of unit sum).
    """
    height, width = images.shape[-2:]
    mirrored = torch.cat([images, images.flip(-2)], dim=-2)
    mirrored = torch.cat([mirrored, mirrored.flip(-1)], dim=-1)
    vertical = torch.fft.fftfreq(2 * height, device=images.device)[:, None]
    horizontal = torch.fft.rfftfreq(2 * width, device=images.device)[None, :]
    spectrum = torch.fft.rfft2(mirrored) * transfer(vertical, horizontal)
    return torch.fft.irfft2(spectrum, s=mirrored.shape[-2:])[..., :height, :width]


def gaussian_transfer(sigma: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """A Gaussian of standard deviation ``sigma`` pixels, ``[n, 1, 1, 1]``: exp(-2 pi^2 sigma^2 f^2)."""
    return lambda fy, fx: torch.exp(-2 * torch.pi**2 * sigma.square() * (fy.square() + fx.square()))
