"""The two orientations of the space-domain steerable pyramid that visual information fidelity reads.

The filters are the ``sp5`` set of Simoncelli & Freeman (1995) and Karasaridis & Simoncelli (1996), as
distributed with matlabPyrTools and pyrtools (MIT). Of its six oriented bands VIF uses two, 0 and 3 (vertical
and horizontal structure), which are the same filter turned by 90 degrees; symmetry leaves the few
numbers below.
"""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

N_SCALES = 4
SMALLEST_SIDE = 72
"""The low-pass filter (9 taps) must fit in the coarsest of four octaves: 9 x 2^3."""

# One quadrant of each low-pass filter, centre last.
_LOW_0 = (
    (0.00341614, -0.01551246, -0.03848215),
    (-0.01551246, 0.05586982, 0.15925570),
    (-0.03848215, 0.15925570, 0.40304148),
)
_LOW = (
    (0.00170808, -0.00489834, -0.00775624, -0.01888864, -0.01924108),
    (-0.00489834, -0.01046562, -0.01322234, 0.00821200, 0.02005976),
    (-0.00775624, -0.01322234, 0.02793492, 0.06554076, 0.07962786),
    (-0.01888864, 0.00821200, 0.06554076, 0.12852666, 0.16339236),
    (-0.01924108, 0.02005976, 0.07962786, 0.16339236, 0.20193080),
)
# Rows 0-3 and columns 0-2 of the band of orientation 0: even along y, odd along x, zero at x = 0.
_BAND = (
    (0.00277643, -0.00986904, -0.01021852),
    (0.00496194, -0.00893064, -0.03075356),
    (0.01026699, 0.01189859, -0.08226445),
    (0.01455399, 0.02755155, -0.11732297),
)


def _mirrored(quadrant: Tensor) -> Tensor:
    half = torch.cat([quadrant, quadrant[:-1].flip(0)])
    return torch.cat([half, half[:, :-1].flip(1)], dim=1)


@cache
def _filters(dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    low_0 = _mirrored(torch.tensor(_LOW_0, dtype=torch.float64))
    low = _mirrored(torch.tensor(_LOW, dtype=torch.float64))
    left = torch.tensor(_BAND, dtype=torch.float64)
    left = torch.cat([left, left[:-1].flip(0)])
    band = torch.cat([left, torch.zeros(7, 1, dtype=torch.float64), -left.flip(1)], dim=1)
    bands = torch.stack([band, torch.rot90(band)])
    return (
        low_0[None, None].to(device, dtype),
        low[None, None].to(device, dtype),
        bands[:, None].to(device, dtype),
    )


def _correlate(images: Tensor, filters: Tensor, stride: int = 1) -> Tensor:
    margin = filters.shape[-1] // 2
    return F.conv2d(F.pad(images, (margin,) * 4, mode="reflect"), filters, stride=stride)


def oriented_bands(luma: Tensor) -> list[Tensor]:
    """The sub-bands of orientations 0 and 3 at four scales, coarsest first.

    Args:
        luma: ``[n, h, w]``, both sides at least `SMALLEST_SIDE`.

    Returns:
        Four tensors ``[n, 2, h / 2^k, w / 2^k]``, k = 3 ... 0; edges are reflected about the border pixel.
    """
    low_0, low, bands = _filters(luma.dtype, luma.device)
    residual = _correlate(luma[:, None], low_0)
    levels = []
    for scale in range(N_SCALES):
        levels.append(_correlate(residual, bands))
        if scale < N_SCALES - 1:
            residual = _correlate(residual, low, stride=2)
    return levels[::-1]
