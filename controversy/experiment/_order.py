"""The order of a list's trials: catch trials spread over it, repeats well after what they repeat."""

from itertools import pairwise

import numpy as np

from controversy.errors import ControversyError


def trial_order(
    n_main: int, n_catch: int, n_repeats: int, min_lag: int, rng: np.random.Generator
) -> list[tuple[str, int]]:
    """Puts the trials of one list in order.

    Main trials come at random. Catch trials come one in each of ``n_catch`` equal stretches, at a random
    place there. A repeat has at least ``min_lag`` other trials between itself and the trial that it repeats.

    Args:
        n_main: Number of main trials.
        n_catch: Number of catch trials.
        n_repeats: Number of repeats, each of another main trial.
        min_lag: Fewest trials between a trial and its repeat.
        rng: Of everything random.

    Returns:
        Kind and number of each trial: ``("main", i)``, ``("catch", j)``, ``("repeat", i)``.

    Raises:
        ControversyError: There are too few main trials early enough to be repeated.
    """
    order = [("main", int(i)) for i in rng.permutation(n_main)]
    edges = np.linspace(0, n_main, n_catch + 1)
    places = [int(rng.integers(np.ceil(a), max(np.ceil(a), np.floor(b)) + 1)) for a, b in pairwise(edges)]
    for catch, place in reversed(list(enumerate(places))):
        order.insert(place, ("catch", catch))
    return _with_repeats(order, n_repeats, min_lag, rng) if n_repeats else order


def _with_repeats(
    order: list[tuple[str, int]], n_repeats: int, min_lag: int, rng: np.random.Generator
) -> list[tuple[str, int]]:
    last = len(order) - min_lag
    early = [place for place, (kind, _) in enumerate(order[: max(last, 0)]) if kind == "main"]
    if len(early) < n_repeats:
        raise ControversyError(
            f"n_repeats={n_repeats} with min_lag={min_lag}: of {len(order)} trials only {len(early)} have so "
            "many "
            "trials after them. Ask for fewer repeats, a shorter lag or longer lists."
        )
    repeated = rng.choice(early, n_repeats, replace=False)
    # A gap g lies before trial g; gaps only move away from what they repeat as other repeats are put in.
    gaps = np.array([rng.integers(place + 1 + min_lag, len(order) + 1) for place in repeated])
    for index in np.argsort(-gaps, kind="stable"):
        order.insert(int(gaps[index]), ("repeat", order[repeated[index]][1]))
    return order
