r"""Graded measures: does stronger evidence go with surer choices?

Signed-rank cosine similarity (Golan, Siegelman, Kriegeskorte & Baldassano 2023, Nature Machine Intelligence
5, 952-964, Methods). Evidence and signed confidence are each replaced by the rank of their magnitude times
their sign; the measure is the cosine of the two vectors. Ties are broken at random, in expectation: the
expected rank of tied values is their mean rank, and a vector of ranks without ties always has the length
:math:`\sqrt{\sum_{k=1}^n k^2}`, so the expectation is

.. math:: \frac{\sum_s \bar r_s(a)\,\mathrm{sign}(a_s)\; \bar r_s(b)\,\mathrm{sign}(b_s)}
               {n (n + 1) (2 n + 1) / 6}.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from controversy.scoring._measure import Measure, Statistic, Terms, each, sums
from controversy.scoring._others import others_mean, signed_confidence
from controversy.scoring._responses import EXACT, Block, Floats, Precision, with_confidence

# Samples that fit a processor's cache together.
_CHUNK = 64


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The order of magnitudes, by which weighted mean ranks follow from cumulative weights alone."""

    order: NDArray[np.intp]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    sign: Floats

    def __call__(self, weights: Floats) -> Floats:
        """Signed mean ranks where item i is there ``weights[i]`` times, ``[n_items, n_samples]``."""
        below = np.zeros((len(weights) + 1, weights.shape[1]), dtype=weights.dtype)
        np.cumsum(weights[self.order], axis=0, out=below[1:])
        below += 0.5
        ranks = below[self.first] + below[self.last]
        ranks *= 0.5
        # Halving the sum of (copies below + 1/2) and (copies up to here + 1/2) gives the mean rank of the
        # copies.
        ranks *= self.sign[:, None]
        return ranks


def _ranking(values: Floats, dtype: Precision) -> _Ranking:
    magnitude = np.abs(values)
    order = np.argsort(magnitude, kind="stable")
    ordered = magnitude[order]
    first = np.searchsorted(ordered, magnitude, side="left")
    last = np.searchsorted(ordered, magnitude, side="right")
    return _Ranking(order, first, last, np.sign(values).astype(dtype))


def signed_ranks(values: Floats) -> Floats:
    """Ranks of magnitudes with the values' signs, ties sharing their mean rank; ``[n] -> [n]``."""
    return _ranking(values, EXACT)(np.ones((len(values), 1)))[:, 0]


def signed_rank_cosine(a: Floats, b: Floats) -> float:
    """Signed-rank cosine similarity of two vectors, ties broken at random in expectation; in [-1, 1].

    Args:
        a: For instance a model's evidence, ``[n]``.
        b: For instance signed confidence, ``[n]``.
    """
    return float(signed_ranks(a) @ signed_ranks(b) / _squared_length(np.float64(len(a))))


def _squared_length(n: Any) -> Any:
    return n * (n + 1) * (2 * n + 1) / 6


def _patterns(values: Floats, seen: NDArray[np.bool_]) -> Floats:
    """Each participant's signed ranks at unit length, so that all count alike in a mean; 0 where none.

    Participants with fewer stimuli get a shorter vector: what is equal for all is the size of one entry.
    """
    n = seen.sum(axis=1)
    patterns = np.zeros(values.shape)
    for row, mask, count in zip(range(len(n)), seen, n, strict=True):
        if count:
            length = np.sqrt(_squared_length(np.float64(count)) * n.max() / count)
            patterns[row, mask] = signed_ranks(values[row, mask]) / length
    return patterns


def _signed_rank(block: Block, dtype: Precision) -> Statistic:
    responses = (block := with_confidence(block)).responses
    confidence = signed_confidence_ranked(block)
    others = others_mean(_patterns(confidence, responses.seen), responses.seen)
    groups = [
        _Group(participants, np.flatnonzero(mask), confidence, responses.items.evidence, others, dtype)
        for mask, participants in _same_stimuli(responses.seen)
    ]
    shape = (len(responses.participants), responses.items.evidence.shape[1] + 1)

    def statistic(weights: Floats) -> Terms:
        numerator = np.zeros((len(weights), *shape), dtype=dtype)
        denominator = np.zeros((len(weights), shape[0], 1), dtype=dtype)
        for start in range(0, len(weights), _CHUNK):
            part = slice(start, start + _CHUNK)
            for group in groups:
                products, squared = group.products(np.ascontiguousarray(weights[part, group.stimuli].T))
                numerator[part, group.participants] = products
                denominator[part, group.participants] = squared[:, None, None]
        return Terms(each(numerator, denominator))

    return statistic


def signed_confidence_ranked(block: Block) -> Floats:
    """Signed values that rank as the confidence: only its order counts, and a sign survives a 0."""
    responses = block.responses
    assert responses.confidence is not None
    lowest = float(np.nanmin(responses.confidence))
    magnitude = np.nan_to_num(responses.confidence, nan=lowest) - lowest + 1
    return (2 * responses.choice - 1) * magnitude


class _Group:
    """Participants who judged the same stimuli, for whom models are ranked once."""

    def __init__(
        self,
        participants: NDArray[np.intp],
        stimuli: NDArray[np.intp],
        confidence: Floats,
        evidence: Floats,
        others: Floats,
        dtype: Precision,
    ) -> None:
        self.participants, self.stimuli = participants, stimuli
        self._people = [_ranking(confidence[p, stimuli], dtype) for p in participants]
        self._others = [_ranking(others[p, stimuli], dtype) for p in participants]
        self._models = [_ranking(column, dtype) for column in evidence[stimuli].T]

    def products(self, weights: Floats) -> tuple[Floats, Floats]:
        """Products of signed ranks, ``[n_samples, n_participants, n_models + 1]``, and what length they have.

        Args:
            weights: ``[n_stimuli, n_samples]``.
        """
        models = np.stack([rank(weights) for rank in self._models], axis=-1).transpose(1, 0, 2)
        people = np.stack([rank(weights) * weights for rank in self._people]).transpose(2, 0, 1)
        result = np.empty((weights.shape[1], len(self._people), len(self._models) + 1), dtype=weights.dtype)
        np.matmul(people, models, out=result[..., :-1])
        for row, rank in enumerate(self._others):
            result[:, row, -1] = np.einsum("bs,sb->b", people[:, row], rank(weights))
        return result, _squared_length(weights.sum(axis=0))


def _same_stimuli(seen: NDArray[np.bool_]) -> list[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    masks, inverse = np.unique(seen, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    return [(mask, np.flatnonzero(inverse == i)) for i, mask in enumerate(masks) if mask.any()]


def _signed_rank_upper(block: Block) -> float:
    """Participants against the mean of all their patterns; no fixed vector beats it when all saw all."""
    responses = (block := with_confidence(block)).responses
    patterns = _patterns(signed_confidence_ranked(block), responses.seen)
    seen = responses.seen
    mean = patterns.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    lengths = np.linalg.norm(mean * seen, axis=1)
    n = seen.sum(axis=1)
    own = np.sqrt(n / n.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmean((patterns @ mean) / (own * lengths)))


def _correlation_tables(block: Block, dtype: Precision) -> tuple[Floats, Floats, Floats]:
    """Signed confidence, predictions and trials; predictions are scaled to keep their digits in float32."""
    responses = block.responses
    confidence = signed_confidence(responses)
    others = others_mean(confidence, responses.seen)
    evidence = np.broadcast_to(responses.items.evidence, (len(others), *responses.items.evidence.shape))
    predictions = np.concatenate([evidence, others[..., None]], axis=2)
    scale = np.abs(predictions).max(axis=(0, 1), keepdims=True)
    predictions = predictions / np.where(scale > 0, scale, 1) * responses.seen[..., None]
    seen = responses.seen.astype(dtype)
    return confidence[..., None].astype(dtype), predictions.astype(dtype), seen[..., None]


def _correlation(block: Block, dtype: Precision) -> Statistic:
    people, models, seen = _correlation_tables(with_confidence(block), dtype)

    def statistic(weights: Floats) -> Terms:
        n = sums(weights, seen)
        x, y = sums(weights, people), sums(weights, models)
        spread = (n * sums(weights, people**2) - x**2) * (n * sums(weights, models**2) - y**2)
        covariance = n * sums(weights, people * models) - x * y
        # Below rounding error a spread is no spread: somebody gave one and the same answer throughout.
        flat = spread <= 1e-6 * (n * sums(weights, people**2)) * (n * sums(weights, models**2))
        return Terms(each(covariance, np.where(flat, np.nan, np.sqrt(np.maximum(spread, 0))).astype(dtype)))

    return statistic


def _correlation_upper(block: Block) -> float:
    responses = (block := with_confidence(block)).responses
    confidence = signed_confidence(responses)
    mean = confidence.sum(axis=0) / np.maximum(responses.seen.sum(axis=0), 1)
    values = []
    for row, mask in zip(confidence, responses.seen, strict=True):
        if mask.sum() > 1 and np.ptp(row[mask]) > 0 and np.ptp(mean[mask]) > 0:
            values.append(np.corrcoef(row[mask], mean[mask])[0, 1])
    return float(np.mean(values)) if values else np.nan


signed_rank = Measure(
    "signed_rank_cosine", 0.0, (-1, 1), _signed_rank, _signed_rank_upper, graded=True, slow=True
)
correlation = Measure(
    "confidence_correlation", 0.0, (-1, 1), _correlation, _correlation_upper, graded=True, slow=True
)
