"""Items of a study that has not been run, for power and recovery."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.observers._observers import Observers, choice_probability


@dataclass(frozen=True, eq=False)
class Design:
    """Items and what people have in common on them.

    Attributes:
        items: The items.
        shared: The human signal on each, standard normal, ``[n_items]``.
    """

    items: Items
    shared: NDArray[np.float64]


def reference_design(
    n_stimuli: int = 1008,
    *,
    n_synthesis: int = 4,
    held_out: tuple[float, ...] = (0.0, 0.3, 0.6, 0.9),
    similarity: float = 0.0,
    strength: float = 4.0,
    seed: int = 0,
) -> Design:
    """Items as controversial synthesis makes them: each sets two models against each other.

    Model pairs take turns, so that ``n_stimuli`` should be a multiple of their number (1,008 stimuli and
    four models: 168 a pair). On its items the first model has strong evidence for alternative 1 and the
    second for alternative 2, whatever people see: targeted models are at chance by construction. Every
    other evidence is normal, correlated with the human signal.

    Args:
        n_stimuli: How many items.
        n_synthesis: How many models they set against each other, in pairs.
        held_out: Correlation of further models' evidence with the human signal, one a model.
        similarity: The same for the synthesis models, on items that do not target them.
        strength: Median size of evidence.
        seed: Of everything random.

    Raises:
        ControversyError: There are no pairs, or a correlation is none.
    """
    if n_synthesis < 2 or n_stimuli < 1:
        raise ControversyError(
            f"{n_synthesis} models and {n_stimuli} stimuli make no design. Ask for 2 and 1, or more."
        )
    correlations = np.array([similarity] * n_synthesis + list(held_out))
    if (np.abs(correlations) > 1).any():
        raise ControversyError(f"correlations {correlations.tolist()} must lie between -1 and 1.")
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(n_stimuli)
    own = rng.standard_normal((n_stimuli, len(correlations)))
    evidence = strength * (correlations * shared[:, None] + np.sqrt(1 - correlations**2) * own)

    rows = np.arange(n_stimuli)
    pairs = np.array(list(combinations(range(n_synthesis), 2)))
    pairs = pairs[rows % len(pairs)]
    targeted = np.zeros(evidence.shape, dtype=bool)
    for column, sign in ((0, -1), (1, 1)):
        size = strength * np.exp(0.5 * rng.standard_normal(n_stimuli))
        evidence[rows, pairs[:, column]] = sign * size
        targeted[rows, pairs[:, column]] = True
    names = [f"model_{i + 1}" for i in range(n_synthesis)]
    names += [f"held_out_{i + 1}" for i in range(len(held_out))]
    ids = tuple(f"item{i + 1:0{len(str(n_stimuli))}d}" for i in range(n_stimuli))
    return Design(Items(ids, tuple(names), evidence, targeted), shared)


def population_accuracy(correlation: float, observers: Observers) -> float:
    """What a held-out model's accuracy comes to over people and items of the reference design without end.

    Args:
        correlation: Of its evidence with the human signal.
        observers: The people, with no model in their mixture.

    Raises:
        ControversyError: Their choices depend on models too.
    """
    if observers.mixture:
        raise ControversyError("the population accuracy is known only for people who follow no model.")
    signal = np.linspace(-9, 9, 20_001)
    density = stats.norm.pdf(signal)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = correlation / np.sqrt(1 - correlation**2)
        model = np.nan_to_num(stats.norm.cdf(slope * signal), nan=0.5)
    people = choice_probability(observers.shared * signal, observers)
    agree = people * model + (1 - people) * (1 - model)
    return float((agree * density).sum() / density.sum())
