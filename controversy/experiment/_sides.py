"""On which side the first alternative stands: balanced for every participant and for every stimulus."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def balanced_sides(lists: Ints, rng: np.random.Generator) -> Ints:
    """Chooses which alternative stands left on every trial.

    Lists and stimuli are the two sides of a graph, trials its edges. Made even by edges to a dummy, the graph
    falls into closed trails (Euler). A trial walked from list to stimulus shows alternative 1 left, one that
    is walked back shows alternative 2. Every vertex is entered as often as it is left, so both sides are
    equally frequent in every list and for every stimulus: to one where the number is odd.

    Args:
        lists: Stimulus of every trial, ``[n_lists, n_trials]``, numbers from 0.
        rng: Decides which of the many balanced choices.

    Returns:
        The alternative on the left, 1 or 2, ``[n_lists, n_trials]``.
    """
    n_lists, n_trials = lists.shape
    n_stimuli = int(lists.max()) + 1
    list_dummy, stimulus_dummy = n_lists + n_stimuli, n_lists + n_stimuli + 1
    ends = np.column_stack([np.repeat(np.arange(n_lists), n_trials), n_lists + lists.ravel()])
    odd = np.flatnonzero(np.bincount(ends.ravel(), minlength=n_lists + n_stimuli) % 2)
    dummies = [(v, stimulus_dummy) if v < n_lists else (list_dummy, v) for v in odd]
    if sum(v < n_lists for v in odd) % 2:
        dummies.append((list_dummy, stimulus_dummy))
    if dummies:
        ends = np.concatenate([ends, np.array(dummies)])
    forward = _orient(ends, rng)[: lists.size]
    return np.where(forward, 1, 2).reshape(lists.shape)


def _orient(ends: Ints, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Walks closed trails over every edge of a graph of even degrees; whether each was walked forwards."""
    incident: list[list[int]] = [[] for _ in range(int(ends.max()) + 1)]
    for edge in rng.permutation(len(ends)):
        for vertex in ends[edge]:
            incident[vertex].append(int(edge))
    walked = np.zeros(len(ends), dtype=bool)
    forward = np.zeros(len(ends), dtype=bool)
    for start in rng.permutation(len(incident)):
        vertex = int(start)
        while incident[vertex]:
            edge = incident[vertex].pop()
            if walked[edge]:
                continue
            walked[edge] = True
            first, second = ends[edge]
            forward[edge] = vertex == first
            vertex = int(second if forward[edge] else first)
    return forward
