"""Who judges which stimulus: every list balanced over model pairs and class pairs, stimuli taking turns."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
# Share times size of a group is a whole number up to rounding.
_EPSILON = 1e-9


def assign(groups: Ints, n_lists: int, n_trials: int, rng: np.random.Generator) -> Ints:
    """Chooses the stimuli of every list.

    Stimuli take turns: none is used a second time before all others were used once, so that their numbers of
    judgments differ by at most one. Among what the turns leave open, each list takes of every model pair and
    of every class pair its share, rounded down or up. Such a choice always exists: taking of every open
    stimulus the same fraction is one, and the constraints - margins of a table of model pairs by class pairs
    - are totally unimodular, so that the linear programme has whole solutions.

    Args:
        groups: Model pair and class pair of each stimulus, as numbers from 0, ``[n_stimuli, 2]``.
        n_lists: How many lists.
        n_trials: Stimuli in each, at most ``n_stimuli``.
        rng: Decides between equally good choices.

    Returns:
        Rows of the stimuli in each list, ``[n_lists, n_trials]``, ascending.
    """
    n = len(groups)
    turn = np.ones(n, dtype=bool)
    lists = []
    for _ in range(n_lists):
        waiting = int(turn.sum())
        # Those that wait for this turn come first; the next turn begins inside the list where they run out.
        forced = turn if waiting < n_trials else np.zeros(n, dtype=bool)
        open_ = ~turn if waiting < n_trials else turn
        chosen = forced | _share(groups, forced, open_, n_trials, rng)
        lists.append(np.flatnonzero(chosen))
        turn = ~chosen | forced if waiting < n_trials else turn & ~chosen
        if not turn.any():
            turn = np.ones(n, dtype=bool)
    return np.stack(lists)


def _share(
    groups: Ints, forced: NDArray[np.bool_], open_: NDArray[np.bool_], n_trials: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Takes as many open stimuli as are missing, the same share of each group."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, vstack

    rows = np.flatnonzero(open_)
    missing = n_trials - int(forced.sum())
    chosen = np.zeros(len(groups), dtype=bool)
    if missing == len(rows):
        chosen[rows] = True
        return chosen
    cost = 0.01 * rng.random(len(rows))
    matrices, low, high = [], [], []
    for kind in groups.T:
        size = np.bincount(kind[rows], minlength=kind.max() + 1)
        share = size * missing / len(rows)
        floor, ceil = np.floor(share + _EPSILON), np.ceil(share - _EPSILON)
        # Where rounding is free, it makes up for what the forced ones have too many or too few of.
        lacking = np.bincount(kind) * n_trials / len(groups) - np.bincount(kind[forced], minlength=len(size))
        cost += (np.abs(lacking - floor - 1) - np.abs(lacking - floor))[kind[rows]]
        matrices.append(
            coo_array((np.ones(len(rows)), (kind[rows], np.arange(len(rows)))), (len(size), len(rows)))
        )
        low.append(floor)
        high.append(ceil)
    counts = vstack(matrices).tocsr()
    solution = linprog(
        cost,
        A_ub=vstack([counts, -counts]),
        b_ub=np.concatenate([*high, *(-bound for bound in low)]),
        A_eq=np.ones((1, len(rows))),
        b_eq=[missing],
        bounds=(0, 1),
        method="highs-ds",
    )
    chosen[rows] = solution.x > 0.5
    assert chosen.sum() == missing
    return chosen
