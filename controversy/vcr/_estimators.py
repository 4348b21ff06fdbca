"""From hits at visual changes to a curve: the default estimator, and the public pipeline's for comparison."""

import warnings
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from controversy.errors import ControversyError
from controversy.vcr._observations import Floats

_NO_WEIGHT = 1e-9


class Estimator(Protocol):
    """Turns weighted observations into curves on ``grid``."""

    @property
    def grid(self) -> Floats:
        """Visual changes ``[g]`` at which curves are given."""

    def covered(self, visual_change: Floats) -> tuple[float, float]:
        """The range in which a curve rests on data; outside it is extrapolated."""

    def fit(self, visual_change: Floats, hits: Floats, trials: Floats) -> Floats:
        """Curves ``[b, g]`` from ``visual_change`` ``[r]`` and ``hits``, ``trials`` ``[b, r]``."""


@dataclass(frozen=True)
class Monotone:
    """Non-increasing least squares on bins, weighted by counts (isotonic regression), joined by lines.

    Each bin that holds data is a knot at the mean visual change of its trials; untouched images (visual
    change exactly 0) are a knot of their own. Empty bins are passed over, not set to 0. Left of the first and
    right of the last knot the curve goes on flat: that is extrapolation, and `covered` says where it begins.

    Args:
        bins: Number of equal bins on [0, 1].
    """

    bins: int = 20
    grid: ClassVar[Floats] = np.linspace(0, 1, 1001)

    def __post_init__(self) -> None:
        if self.bins < 1:
            raise ControversyError(f"bins is {self.bins}, but has to be at least 1")

    def covered(self, visual_change: Floats) -> tuple[float, float]:
        return float(visual_change.min()), float(visual_change.max())

    def fit(self, visual_change: Floats, hits: Floats, trials: Floats) -> Floats:
        members, position = self._bins(visual_change)
        weight = trials @ members
        # A bin that a bootstrap sample leaves empty keeps its rate in the whole data, at no weight.
        rate = members.T @ hits.mean(0) / np.maximum(members.T @ trials.mean(0), _NO_WEIGHT)
        weight = weight + _NO_WEIGHT
        knots = non_increasing((hits @ members + _NO_WEIGHT * rate) / weight, weight)
        return knots @ _interpolation(position, self.grid)

    def _bins(self, visual_change: Floats) -> tuple[Floats, Floats]:
        """Membership ``[r, k]`` in the bins that hold data, and the mean visual change ``[k]`` of each."""
        numbers = np.minimum((visual_change * self.bins).astype(int), self.bins - 1)
        numbers = np.where(visual_change > 0, numbers, -1)
        members = (numbers[:, None] == np.unique(numbers)).astype(float)
        return members, members.T @ visual_change / members.sum(0)


def non_increasing(rates: Floats, weights: Floats) -> Floats:
    """Weighted least-squares non-increasing fit along the last axis, ``[b, k]``.

    The min-max formula of isotonic regression (Robertson, Wright & Dykstra 1988, theorem 1.4.4):
    fit_i = min over a <= i of max over c >= i of the weighted mean of a..c; all of a batch at once.
    """
    k = rates.shape[-1]
    sums, totals = (
        np.concatenate([np.zeros((len(x), 1)), x.cumsum(1)], 1) for x in (rates * weights, weights)
    )
    first, last = np.arange(k)[:, None], np.arange(k)[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (sums[:, 1:][:, None, :] - sums[:, :-1][:, :, None]) / (
            totals[:, 1:][:, None, :] - totals[:, :-1][:, :, None]
        )
    means = np.where(last >= first, means, -np.inf)
    highest = np.maximum.accumulate(means[:, :, ::-1], axis=2)[:, :, ::-1]  # over c >= i, for each a and i
    highest = np.where(last >= first, highest, np.inf)  # only a <= i
    return highest.min(1)


def _interpolation(position: Floats, grid: Floats) -> Floats:
    """Weights ``[k, g]`` of linear interpolation between knots, flat outside them."""
    return np.stack([np.interp(grid, position, row) for row in np.eye(len(position))])


@dataclass(frozen=True)
class Shen2024:
    """The estimator of the public VCR pipeline (Shen et al. 2024), as it is: for comparison only.

    20 open bins (i/20, (i+1)/20), an empty one counted as 0; a cubic smoothing spline through them at their
    left edges; values at 0, 0.0001 ... 0.9999 clipped to [0, 1] and made non-increasing by a running minimum.

    Args:
        smoothing: s of `scipy.interpolate.UnivariateSpline`.
    """

    smoothing: float = 0.05
    grid: ClassVar[Floats] = np.arange(10_000) / 10_000

    def covered(self, visual_change: Floats) -> tuple[float, float]:
        """All of it: this pipeline makes no difference between 0 and unknown."""
        return 0.0, 1.0

    def fit(self, visual_change: Floats, hits: Floats, trials: Floats) -> Floats:
        edges = np.arange(21) / 20
        inside = (visual_change[:, None] > edges[:-1]) & (visual_change[:, None] < edges[1:])
        rates = hits @ inside / np.maximum(trials @ inside, _NO_WEIGHT)
        return np.stack([self.spline(row) for row in rates])

    def spline(self, rates: Floats) -> Floats:
        """The curve ``[10000]`` of 20 bins' rates."""
        from scipy.interpolate import UnivariateSpline

        with warnings.catch_warnings():
            # FITPACK may stop short of s; the public pipeline takes what it then has.
            warnings.simplefilter("ignore", UserWarning)
            values = UnivariateSpline(np.arange(20) / 20, rates, k=3, s=self.smoothing)(self.grid)
        return np.minimum.accumulate(values.clip(0, 1))


ESTIMATORS: dict[str, type[Monotone] | type[Shen2024]] = {"monotone": Monotone, "shen2024": Shen2024}
