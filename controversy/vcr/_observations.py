"""Hits and misses at visual changes, of a model or of people, and what is resampled to be sure of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from controversy.errors import ControversyError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Observations:
    """What was observed of one property under one corruption.

    Attributes:
        visual_change: ``[r]`` in [0, 1].
        hits: ``[r]``, how often the property held.
        trials: ``[r]``, out of how many; 1 where a row is a trial.
        factors: What is resampled, crossed: for each factor (images; participants and stimuli) a code
            ``[r]`` from 0. Without factors, as for published counts, hits are redrawn binomially.
    """

    visual_change: Floats
    hits: Floats
    trials: Floats
    factors: tuple[Integers, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.visual_change):
            raise ControversyError("there is no observation to fit a curve to")
        if not np.isfinite(self.visual_change).all() or np.ptp(np.r_[0, 1, self.visual_change]) > 1:
            outside = self.visual_change[~((self.visual_change >= 0) & (self.visual_change <= 1))]
            raise ControversyError(f"visual change is {outside[:3].tolist()}, but has to be in [0, 1]")
        if (self.trials <= 0).any() or (self.hits < 0).any() or (self.hits > self.trials).any():
            raise ControversyError("hits have to be between 0 and trials, and trials at least 1")

    @property
    def n_trials(self) -> int:
        """All trials."""
        return int(self.trials.sum())

    def resample(self, n: int, rate: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Bootstrap: hits and trials, each ``[n, r]``, as if the factors' levels had been drawn anew.

        Args:
            n: Samples.
            rate: ``[r]``, the fitted probability of each row, from which counts without factors are redrawn.
            rng: Where the draws come from.
        """
        if not self.factors:
            hits = rng.binomial(self.trials.astype(np.int64), rate.clip(0, 1), size=(n, len(rate)))
            return hits.astype(np.float64), np.broadcast_to(self.trials, hits.shape)
        weights = np.ones((n, len(self.hits)))
        for codes in self.factors:
            levels = int(codes.max()) + 1
            weights *= rng.multinomial(levels, np.full(levels, 1 / levels), size=n)[:, codes]
        return weights * self.hits, weights * self.trials


def from_table(table: pd.DataFrame, hit: str, factors: tuple[str, ...]) -> Observations:
    """Observations of a table with one row a trial.

    Args:
        table: With ``visual_change``, the 0/1 column ``hit`` and the columns ``factors``.
        hit: Whether the property held.
        factors: What to resample.
    """
    return Observations(
        table["visual_change"].to_numpy(np.float64),
        table[hit].to_numpy(np.float64),
        np.ones(len(table)),
        tuple(pd.factorize(table[factor])[0].astype(np.int64) for factor in factors),
    )


def from_counts(table: pd.DataFrame) -> Observations:
    """Observations of a table of counts: ``visual_change, hits, trials``."""
    change, hits, trials = (table[name].to_numpy(np.float64) for name in ("visual_change", "hits", "trials"))
    return Observations(change, hits, trials)
