"""BigGAN's truncation: noise from a normal cut at two standard deviations, times the truncation."""

import math

import torch
from torch import Tensor

CUT = 2.0
"""Where the released package cuts its noise, in standard deviations."""

_DENSITY = math.exp(-(CUT**2) / 2) / math.sqrt(2 * math.pi)
_MASS = math.erf(CUT / math.sqrt(2))
SECOND_MOMENT = 1 - 2 * CUT * _DENSITY / _MASS
_FOURTH_MOMENT = 3 * SECOND_MOMENT - 2 * CUT**3 * _DENSITY / _MASS


def sample_truncated_normal(n: int, size: int, rng: torch.Generator) -> Tensor:
    """Draws ``[n, size]`` from a standard normal conditioned on lying within +-`CUT`, by inversion."""
    uniform = torch.rand(n, size, generator=rng, dtype=torch.float64)
    below = (1 - _MASS) / 2
    return torch.special.ndtri(below + uniform * _MASS).float().clamp(-CUT, CUT)


def typical_norm(size: int) -> float:
    """Root mean square norm of a vector of ``size`` such numbers."""
    return math.sqrt(size * SECOND_MOMENT)


def largest_typical_norm(size: int) -> float:
    """The 99 % quantile of that norm: of its square by Wilson & Hilferty (1931), from mean and variance."""
    mean = size * SECOND_MOMENT
    freedom = 2 * mean**2 / (size * (_FOURTH_MOMENT - SECOND_MOMENT**2))
    spread = 2 / (9 * freedom)
    return math.sqrt(mean * (1 - spread + 2.326 * math.sqrt(spread)) ** 3)
