"""A measure as a function of how often each participant and each stimulus counts.

With all weights one it is the estimate. With multinomial weights it is a bootstrap replicate, exactly as if
the drawn participants and stimuli were copied into a new table, at the price of a matrix product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from controversy.scoring._responses import EXACT, Block, Floats, Precision


class Ratio(NamedTuple):
    """What to sum over participants, ``[n_samples, n_participants, n_predictors]`` each."""

    numerator: Floats
    denominator: Floats


class Terms(NamedTuple):
    """What is left of a measure once stimuli are weighted.

    Attributes:
        participants: One term a participant, for every model (and for the ceiling where the ceiling
        predicts trials).
        pairs: One term a pair of participants, ``[n_samples, n_pairs, 1]``, where the ceiling is people
            against people.
    """

    participants: Ratio
    pairs: Ratio | None = None


Statistic = Callable[[Floats], Terms]


@dataclass(frozen=True)
class Measure:
    """A measure of how well a model predicts people.

    Attributes:
        name: As in ``scores.csv``.
        null: Its value for a model that knows nothing.
        bounds: Its smallest and largest possible value.
        prepare: Turns a block and a dtype into a `Statistic` of stimulus weights ``[n_samples, n_stimuli]``.
        upper: The upper noise ceiling of a block.
        graded: Whether it needs confidence.
        slow: Whether it is worth fewer bootstrap samples.
        needs_truth: True if it needs a correct answer, False if it stands in where there is none, None if
            neither.
    """

    name: str
    null: float
    bounds: tuple[float, float]
    prepare: Callable[[Block, Precision], Statistic]
    upper: Callable[[Block], float]
    graded: bool = False
    slow: bool = False
    needs_truth: bool | None = None


def combine(terms: Terms, participant_weights: Floats) -> Floats:
    """Weights participants: ``[n_samples, n_models + 1]``, the models and, last, the lower ceiling.

    Args:
        terms: Of one sample or of as many as there are weights.
        participant_weights: ``[n_samples, n_participants]`` or ``[1, n_participants]``.
    """
    values = _ratio(terms.participants, participant_weights)
    if terms.pairs is None:
        return values
    i, j = np.triu_indices(participant_weights.shape[1], k=1)
    # Copies of one participant are no pair: they would agree with themselves.
    ceiling = _ratio(terms.pairs, participant_weights[:, i] * participant_weights[:, j])
    return np.concatenate([values, np.broadcast_to(ceiling, (len(values), 1))], axis=1)


def estimate(measure: Measure, block: Block) -> Floats:
    """The measure of every model in a block and, last, its lower ceiling, ``[n_models + 1]``."""
    responses = block.responses
    terms = measure.prepare(block, EXACT)(np.ones((1, responses.seen.shape[1])))
    return combine(terms, np.ones((1, len(responses.participants))))[0]


def each(numerator: Floats, denominator: Floats) -> Ratio:
    """Every participant (or pair) counts the same, however many trials; without a value, not at all."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = numerator / denominator
    there = np.isfinite(value)
    return Ratio(np.where(there, value, 0).astype(value.dtype), there.astype(value.dtype))


def sums(weights: Floats, table: Floats) -> Floats:
    """Weighted sums over stimuli.

    Args:
        weights: ``[n_samples, n_stimuli]``.
        table: ``[n_participants, n_stimuli, k]``.

    Returns:
        ``[n_samples, n_participants, k]``.
    """
    n_participants, n_stimuli, k = table.shape
    flat = table.transpose(1, 0, 2).reshape(n_stimuli, n_participants * k)
    return (weights @ flat).reshape(len(weights), n_participants, k)


def _ratio(ratio: Ratio, weights: Floats) -> Floats:
    numerator = (weights[:, None, :] @ ratio.numerator)[:, 0]
    denominator = (weights[:, None, :] @ ratio.denominator)[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return numerator / denominator
