"""Participants against participants."""

from collections.abc import Callable

import numpy as np

from controversy.scoring._measure import Ratio
from controversy.scoring._responses import Floats

_CHUNK = 4096


def pair_terms(
    weights: Floats,
    choice: Floats,
    seen: Floats,
    value: Callable[..., Ratio],
    *,
    marginals: bool = False,
) -> Ratio:
    """One term for every pair of participants, over the stimuli that both judged.

    Args:
        weights: Of stimuli, ``[n_samples, n_stimuli]``.
        choice: 1 for one answer, 0 for the other or none, ``[n_participants, n_stimuli]``.
        seen: 1 where there is an answer, ``[n_participants, n_stimuli]``.
        value: Turns weighted counts of shared stimuli into terms: of all, of those with the same answer, and
            with ``marginals`` of those that the first participant answered 1, and the second.
        marginals: Whether to count the latter two.

    Returns:
        Arrays ``[n_samples, n_pairs, 1]``, pairs in the order of ``numpy.triu_indices(n_participants, 1)``.
    """
    first, second = np.triu_indices(len(choice), k=1)
    numerators, denominators = [], []
    for start in range(0, max(len(first), 1), _CHUNK):
        i, j = first[start : start + _CHUNK], second[start : start + _CHUNK]
        both = seen[i] * seen[j]
        ones = choice[i] * choice[j]
        same = both - choice[i] * seen[j] - seen[i] * choice[j] + 2 * ones
        tables = [both, same, choice[i] * seen[j], seen[i] * choice[j]] if marginals else [both, same]
        term = value(*(weights @ table.T for table in tables))
        numerators.append(term.numerator)
        denominators.append(term.denominator)
    return Ratio(
        np.concatenate(numerators, axis=1)[..., None], np.concatenate(denominators, axis=1)[..., None]
    )
