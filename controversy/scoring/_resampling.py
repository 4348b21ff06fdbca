"""Uncertainty over both participants and stimuli: the crossed bootstrap and its correction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from controversy.scoring._measure import Statistic, combine
from controversy.scoring._responses import Floats

_CHUNK = 500


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each participant and each stimulus was drawn in each bootstrap sample.

    Attributes:
        participants: ``[n_samples, n_participants]``.
        stimuli: ``[n_samples, n_stimuli]``.
    """

    participants: Floats
    stimuli: Floats

    def first(self, n_samples: int) -> "Weights":
        """The first samples, for measures that are slow."""
        return Weights(self.participants[:n_samples], self.stimuli[:n_samples])


class Replicates(NamedTuple):
    """Bootstrap values, ``[n_samples, k]`` each: both factors drawn, participants alone, stimuli alone."""

    both: Floats
    participants: Floats
    stimuli: Floats

    def map(self, function: Callable[[Floats], Floats]) -> "Replicates":
        """The replicates of a function of the values, such as a difference of two columns."""
        return Replicates(*(function(values) for values in self))


def draw_weights(n_participants: int, n_stimuli: int, n_samples: int, seed: int) -> Weights:
    """Draws participants and stimuli with replacement, each independently of the other."""
    rng = np.random.default_rng(seed)

    def draw(n: int) -> Floats:
        return rng.multinomial(n, np.full(n, 1 / n), size=n_samples).astype(np.float32)

    return Weights(draw(n_participants), draw(n_stimuli))


def replicate(statistic: Statistic, weights: Weights, stimuli: np.ndarray) -> Replicates:
    """Evaluates a statistic in every bootstrap sample.

    Args:
        statistic: Of the weights of a block's stimuli.
        weights: Of all participants and all stimuli, so that all blocks and measures share their samples.
        stimuli: Which columns of the weights are the block's.
    """
    n_participants = weights.participants.shape[1]
    everybody = np.ones((1, n_participants), dtype=np.float32)
    everything = statistic(np.ones((1, len(stimuli)), dtype=np.float32))
    both, alone = [], []
    people = []
    for start in range(0, len(weights.stimuli), _CHUNK):
        drawn = weights.participants[start : start + _CHUNK]
        terms = statistic(weights.stimuli[start : start + _CHUNK, stimuli])
        both.append(combine(terms, drawn))
        alone.append(combine(terms, everybody))
        people.append(combine(everything, drawn))
    return Replicates(*(np.concatenate(values).astype(np.float64) for values in (both, people, alone)))


def standard_error(replicates: Replicates) -> Floats:
    """Standard error over participants and stimuli, ``[k]``.

    Drawing both factors at once counts the noise of single trials three times (Owen 2007, Annals of Applied
    Statistics 1, 386-411). Drawing one factor counts it once, beside that factor. So, as in Schütt, Kipnis,
    Diedrichsen & Kriegeskorte (2023, eLife 12:e82566, two-factor bootstrap),

        variance = 2 (variance_participants + variance_stimuli) - variance_both,

    kept between the larger one-factor variance and that of both, as there.
    """
    both, participants, stimuli = (_variance(values) for values in replicates)
    corrected = 2 * (participants + stimuli) - both
    floor = np.maximum(participants, stimuli)
    error = np.sqrt(np.maximum(np.minimum(corrected, np.maximum(both, floor)), floor))
    # Replicates are made in float32: two models that always agree differ by its rounding.
    return np.where(error < 1e-6, 0.0, error)


def _variance(values: Floats) -> Floats:
    """Variance over samples that have a value; a small subset may have none in a few of them."""
    there = np.isfinite(values)
    n = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, values, 0).sum(axis=0) / n
        return np.where(there, (values - mean) ** 2, 0).sum(axis=0) / (n - 1)


@dataclass(frozen=True, eq=False)
class Inference:
    """Intervals and one-sided tests from estimates and standard errors, by Student's t.

    Attributes:
        low: Lower end of the two-sided interval, ``[k]``.
        high: Upper end.
        p_greater: p-value against "no larger than the null value".
        p_two_sided: p-value against "equal to the null value".
    """

    low: Floats
    high: Floats
    p_greater: Floats
    p_two_sided: Floats


def infer(
    estimates: Floats,
    errors: Floats,
    *,
    degrees_of_freedom: int,
    null: float,
    level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Inference:
    """Student intervals and tests.

    Args:
        estimates: ``[k]``.
        errors: Their standard errors, ``[k]``.
        degrees_of_freedom: The smaller of participants and stimuli, less one (Schütt et al. 2023). Below
            one nothing can be said: all results are NaN.
        null: The value to test against.
        level: Coverage of the intervals.
        bounds: The measure's range, beyond which no interval goes.
    """
    if degrees_of_freedom < 1:
        nothing = np.full(np.shape(estimates), np.nan)
        return Inference(nothing, nothing, nothing, nothing)
    half = stats.t.ppf(0.5 + level / 2, degrees_of_freedom) * errors
    distance = estimates - null
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where((errors == 0) & (distance == 0), 0.0, distance / errors)
    return Inference(
        np.clip(estimates - half, *bounds),
        np.clip(estimates + half, *bounds),
        stats.t.sf(t, degrees_of_freedom),
        2 * stats.t.sf(np.abs(t), degrees_of_freedom),
    )


def adjust(p_values: Floats, method: str = "fdr_bh") -> Floats:
    """p-values corrected for how many there are; NaN stays NaN and does not count.

    Args:
        p_values: ``[k]``.
        method: ``fdr_bh`` (Benjamini & Hochberg 1995), ``holm`` (Holm 1979) or ``none``.
    """
    from statsmodels.stats.multitest import multipletests

    p_values = np.asarray(p_values, dtype=float)
    there = np.isfinite(p_values)
    adjusted = p_values.copy()
    if method != "none" and there.any():
        adjusted[there] = multipletests(p_values[there], method=method)[1]
    return adjusted
