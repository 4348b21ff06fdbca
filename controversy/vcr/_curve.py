"""A robustness curve with its band, and the areas that sum it up."""

from dataclasses import dataclass

import numpy as np

from controversy.errors import ControversyError
from controversy.vcr._estimators import Estimator
from controversy.vcr._observations import Floats, Observations


@dataclass(frozen=True)
class Curve:
    """P(property | visual change) of one model, or of people, under one corruption.

    Attributes:
        grid: Visual changes ``[g]``.
        value: The curve ``[g]``.
        samples: Bootstrap curves ``[b, g]``.
        covered: The range of visual change that rests on data; outside, the curve is extrapolated.
        n_trials: Trials behind it.
    """

    grid: Floats
    value: Floats
    samples: Floats
    covered: tuple[float, float]
    n_trials: int

    @property
    def extrapolated(self) -> float:
        """The share of [0, 1] that no observation covers."""
        return 1 - (self.covered[1] - self.covered[0])

    def band(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Pointwise bootstrap band: lower and upper curve ``[g]``."""
        low, high = np.quantile(self.samples, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high


@dataclass(frozen=True)
class Estimate:
    """A number with its bootstrap interval."""

    value: float
    low: float
    high: float


def fit_curve(observations: Observations, estimator: Estimator, *, n_bootstrap: int, seed: int) -> Curve:
    """Fits a curve and its bootstrap samples.

    Args:
        observations: Of one property under one corruption.
        estimator: `Monotone` or `Shen2024`.
        n_bootstrap: Samples; at least 2.
        seed: Of the bootstrap.
    """
    if n_bootstrap < 2:
        raise ControversyError(f"n_bootstrap is {n_bootstrap}, but has to be at least 2")
    change = observations.visual_change
    rng = np.random.default_rng(seed)
    value = estimator.fit(change, observations.hits[None], observations.trials[None])[0]
    rate = np.interp(change, estimator.grid, value)
    samples = [
        estimator.fit(change, *observations.resample(n, rate, rng))
        for n in _chunks(n_bootstrap, 20_000_000 // len(change) + 1)
    ]
    return Curve(
        estimator.grid, value, np.concatenate(samples), estimator.covered(change), observations.n_trials
    )


def _chunks(n: int, at_most: int) -> list[int]:
    whole, rest = divmod(n, at_most)
    return [at_most] * whole + [rest] * bool(rest)


def area(grid: Floats, curves: Floats) -> Floats:
    """Robustness: the area under curves ``[..., g]`` over the grid's range, trapezoid rule."""
    return np.asarray(np.trapezoid(curves, grid, axis=-1))


def hmri(grid: Floats, human: Floats, model: Floats) -> Floats:
    """Human-model robustness index: 1 - integral of (s_h - s_m)+ / integral of s_h.

    1 = the model is nowhere below people, 0 = it is at 0 wherever they are not; NaN where people are at 0
    throughout.
    """
    return 1 - _ratio(area(grid, np.maximum(human - model, 0)), area(grid, human))


def mrsi(grid: Floats, human: Floats, model: Floats) -> Floats:
    """Model robustness superiority index: integral of (s_m - s_h)+ / integral of s_m.

    Above 0 = the model is better than people somewhere; NaN where the model is at 0 throughout.
    """
    return _ratio(area(grid, np.maximum(model - human, 0)), area(grid, model))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)


def robustness(curve: Curve, *, covered_only: bool = False) -> Estimate:
    """The area under a curve over [0, 1] (extrapolated flat), or its mean over the covered range."""
    if not covered_only:
        return _estimate(area(curve.grid, curve.value), area(curve.grid, curve.samples))
    inside = _within(curve.grid, *curve.covered)
    grid = curve.grid[inside]
    if len(grid) < 2:  # nothing but untouched images
        nearest = int(np.abs(curve.grid - curve.covered[0]).argmin())
        return _estimate(curve.value[nearest], curve.samples[:, nearest])
    width = np.ptp(grid)
    return _estimate(area(grid, curve.value[inside]) / width, area(grid, curve.samples[:, inside]) / width)


@dataclass(frozen=True)
class Relative:
    """A model against people under one corruption, over the range of visual change that both cover."""

    hmri: Estimate
    mrsi: Estimate
    range: tuple[float, float]


def relative_to_people(human: Curve, model: Curve) -> Relative:
    """HMRI and MRSI with intervals: people's and model's bootstrap samples are independent, and paired.

    Raises:
        ControversyError: The curves share no range, or come from different estimators.
    """
    low, high = max(human.covered[0], model.covered[0]), min(human.covered[1], model.covered[1])
    if not np.array_equal(human.grid, model.grid):
        raise ControversyError("the curves come from different estimators: fit both with the same")
    inside = _within(human.grid, low, high)
    if inside.sum() < 2:
        raise ControversyError(
            f"people cover visual changes {human.covered}, the model {model.covered}: no range in common. "
            "Evaluate the model where people were asked."
        )
    grid, n = human.grid[inside], min(len(human.samples), len(model.samples))
    values = human.value[inside], model.value[inside]
    samples = human.samples[:n, inside], model.samples[:n, inside]
    indices = [_estimate(index(grid, *values), index(grid, *samples)) for index in (hmri, mrsi)]
    return Relative(indices[0], indices[1], (low, high))


def _within(grid: Floats, low: float, high: float) -> np.ndarray:
    return (grid >= low - 1e-9) & (grid <= high + 1e-9)


def _estimate(value: Floats, samples: Floats) -> Estimate:
    known = samples[np.isfinite(samples)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (np.nan, np.nan)
    return Estimate(float(value), float(low), float(high))
