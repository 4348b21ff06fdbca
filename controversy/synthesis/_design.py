"""Designs: which class pairs a study asks for."""

from collections.abc import Sequence

import numpy as np

from controversy.errors import ControversyError
from controversy.synthesis._request import Request, derive_seed


def class_pairs(n_classes: int, n_stimuli: int | None = None, *, seed: int = 0) -> list[Request]:
    """Requests for ordered pairs of different classes, as balanced as their number allows.

    Args:
        n_classes: Number of classes, 2 or more.
        n_stimuli: How many requests; by default one for each ordered pair. Where it is no multiple of
            the number of pairs, the rest is a random subset of them in which classes are balanced too.
        seed: Of the study: pairs and stimulus seeds follow from it.

    Returns:
        Requests in the order of their pairs, then repetitions.

    Raises:
        ControversyError: Fewer than two classes, or fewer than one stimulus.
    """
    if n_classes < 2:
        raise ControversyError(f"{n_classes} classes make no pair: two or more are needed")
    n_pairs = n_classes * (n_classes - 1)
    n_stimuli = n_pairs if n_stimuli is None else n_stimuli
    if n_stimuli < 1:
        raise ControversyError(f"n_stimuli is {n_stimuli}, but has to be 1 or more")
    whole, rest = divmod(n_stimuli, n_pairs)
    every = [(a, b) for a in range(n_classes) for b in range(n_classes) if a != b] if whole else []
    chosen = every * whole + _balanced_subset(n_classes, rest, seed)
    return explicit_pairs(sorted(chosen), seed=seed)


def explicit_pairs(pairs: Sequence[tuple[int, int]], *, seed: int = 0) -> list[Request]:
    """Requests for given ordered pairs; a pair that is given twice is asked for twice.

    Args:
        pairs: (class_1, class_2) indices.
        seed: Of the study.

    Raises:
        ControversyError: A pair names one class twice.
    """
    seen: dict[tuple[int, int], int] = {}
    requests = []
    for first, second in pairs:
        if first == second:
            raise ControversyError(
                f"the class pair ({first}, {second}) names one class twice: nothing to disagree about"
            )
        repetition = seen.get((first, second), 0)
        seen[first, second] = repetition + 1
        name = f"{first}-{second}-{repetition}"
        requests.append(Request(name, first, second, derive_seed(seed, first, second, repetition)))
    return requests


def untargeted(n_stimuli: int, *, seed: int = 0) -> list[Request]:
    """Requests that leave the classes to the models.

    Args:
        n_stimuli: How many, 1 or more.
        seed: Of the study.

    Raises:
        ControversyError: Fewer than one stimulus.
    """
    if n_stimuli < 1:
        raise ControversyError(f"n_stimuli is {n_stimuli}, but has to be 1 or more")
    return [Request(f"any-{i}", None, None, derive_seed(seed, i)) for i in range(n_stimuli)]


def _balanced_subset(n_classes: int, n_pairs: int, seed: int) -> list[tuple[int, int]]:
    """Distinct ordered pairs in which every class stands equally often, to within one, on each side.

    Whole rounds pair class ``order[i]`` with ``order[i + shift]``: a round uses each class once on each
    side, and another shift gives other pairs.
    """
    rng = np.random.default_rng([seed, n_classes])
    order = rng.permutation(n_classes)
    shifts = rng.permutation(np.arange(1, n_classes))
    return [
        (int(order[i % n_classes]), int(order[(i + shifts[i // n_classes]) % n_classes]))
        for i in range(n_pairs)
    ]
