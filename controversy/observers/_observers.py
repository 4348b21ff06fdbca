"""Simulated people who judge two-alternative items, with everything about them known."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from controversy.errors import ControversyError
from controversy.evidence import Items

Floats = NDArray[np.floating]
# Gauss-Hermite nodes over people's differences in noise; twenty are exact to rounding for the spreads
# allowed.
_NODES, _NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(20)


@dataclass(frozen=True)
class Observers:
    r"""What decides a simulated person's choices.

    On item :math:`s` person :math:`p` forms the decision variable

    .. math:: d = \sum_m w_m e_m(s) + a\,h(s) + c_p + b\,l + \sigma_p \varepsilon,

    with each model's evidence :math:`e_m` at unit root mean square, a human signal :math:`h` (standard
    normal, the same for all people, unknown to every model), a personal preference :math:`c_p` for
    alternative 2, a preference :math:`b` for the left side (:math:`l = \pm 1` as alternative 2 is on the
    left or right) and fresh noise. Alternative 2 is chosen where :math:`d > 0`; a lapse answers by a coin.
    Confidence is the level of :math:`|d|`.

    Attributes:
        mixture: Weight :math:`w_m` of models.
        shared: Strength :math:`a` of the human signal.
        noise: Median standard deviation :math:`\sigma_p` of a judgment's noise, above 0.
        noise_spread: Standard deviation over people of its logarithm, up to 1.
        criterion: Standard deviation over people of :math:`c_p`.
        side_bias: Preference :math:`b` for the left.
        lapse: Share of trials answered by a coin, with confidence at random.
        confidence_levels: Number of levels, from 1, equally frequent for a normal :math:`d`.
    """

    mixture: Mapping[str, float] = field(default_factory=dict)
    shared: float = 1.0
    noise: float = 1.0
    noise_spread: float = 0.0
    criterion: float = 0.0
    side_bias: float = 0.0
    lapse: float = 0.02
    confidence_levels: int = 4

    def __post_init__(self) -> None:
        limits = {
            "shared": (0, np.inf),
            "noise": (1e-9, np.inf),
            "noise_spread": (0, 1),
            "criterion": (0, np.inf),
            "side_bias": (-np.inf, np.inf),
            "lapse": (0, 1),
            "confidence_levels": (1, 100),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ControversyError(f"observer.{name}={value} is outside {low:g} to {high:g}.")


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated judgments and the truth behind them.

    Attributes:
        judgments: Canonical table, with ``left_alternative`` and ``trial``.
        signal: What all people have in common on each item, ``[n_items]``.
        probability: Probability that a person drawn at random chooses alternative 2, ``[n_items]``.
    """

    judgments: pd.DataFrame
    signal: Floats
    probability: Floats


def simulate(
    items: Items,
    observers: Observers,
    *,
    n_participants: int,
    n_seen: int | None = None,
    seed: int = 0,
    shared_signal: Floats | None = None,
) -> Simulation:
    """Lets simulated people judge items.

    Args:
        items: What they judge, with the evidence of the models in the mixture.
        observers: What decides.
        n_participants: How many people.
        n_seen: How many items each of them judges, drawn at random; all by default.
        seed: Of everything random.
        shared_signal: The human signal :math:`h`, ``[n_items]``, where it is known; drawn otherwise.

    Raises:
        ControversyError: A model of the mixture has no evidence, or a number is impossible.
    """
    n_items = len(items.ids)
    n_seen = n_items if n_seen is None else n_seen
    if not 1 <= n_seen <= n_items:
        raise ControversyError(f"n_seen={n_seen}: each person can judge 1 to {n_items} items.")
    if n_participants < 1:
        raise ControversyError(f"n_participants={n_participants}: there must be at least 1.")
    # One stream a purpose: more people leave the items' signal as it was.
    signals, people, trials = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
    drawn = signals.standard_normal(n_items)
    signal = common_signal(items, observers, drawn if shared_signal is None else shared_signal)

    order = trials.random((n_participants, n_items)).argsort(axis=1)[:, :n_seen]
    left = trials.integers(1, 3, order.shape)
    noise = observers.noise * np.exp(observers.noise_spread * people.standard_normal((n_participants, 1)))
    criterion = observers.criterion * people.standard_normal((n_participants, 1))
    decision = signal[order] + criterion + observers.side_bias * np.where(left == 2, 1, -1)
    decision += noise * trials.standard_normal(order.shape)
    choice = np.where(decision > 0, 2, 1)
    level = _confidence(decision, signal, observers)
    lapse = trials.random(order.shape) < observers.lapse
    choice = np.where(lapse, trials.integers(1, 3, order.shape), choice)
    level = np.where(lapse, trials.integers(1, observers.confidence_levels + 1, order.shape), level)

    width = len(str(n_participants))
    table = pd.DataFrame(
        {
            "participant": np.repeat([f"sim{i + 1:0{width}d}" for i in range(n_participants)], n_seen),
            "stimulus_id": np.array(items.ids, dtype=object)[order].ravel(),
            "choice": choice.ravel(),
            "confidence": level.ravel(),
            "left_alternative": left.ravel(),
            "trial": np.tile(np.arange(1, n_seen + 1), n_participants),
        }
    )
    return Simulation(table, signal, choice_probability(signal, observers))


def common_signal(items: Items, observers: Observers, shared: Floats) -> Floats:
    """What all people have in common on each item, ``[n_items]``: models' mixture and human signal."""
    signal = observers.shared * np.asarray(shared, dtype=float)
    for model, weight in observers.mixture.items():
        evidence = items.select([model]).evidence[:, 0]
        size = np.sqrt(np.mean(evidence**2))
        signal = signal + weight * evidence / (size if size > 0 else 1)
    return signal


def choice_probability(signal: Floats, observers: Observers) -> Floats:
    """Probability that a random person, on a random side, chooses alternative 2, given the common signal."""
    noise = observers.noise * np.exp(observers.noise_spread * _NODES)
    spread = np.sqrt(noise**2 + observers.criterion**2)
    weights = _NODE_WEIGHTS / _NODE_WEIGHTS.sum()
    sides = np.array([-1, 1]) * observers.side_bias
    shifted = np.asarray(signal)[..., None, None] + sides[:, None]
    chosen = (stats.norm.cdf(shifted / spread) * weights).sum(axis=-1).mean(axis=-1)
    return observers.lapse / 2 + (1 - observers.lapse) * chosen


def true_accuracy(items: Items, probability: Floats) -> Floats:
    """Each model's expected accuracy on these items, over people without end, ``[n_models]``."""
    choice = probability[:, None]
    return (choice * items.predictions + (1 - choice) * (1 - items.predictions)).mean(axis=0)


def _confidence(decision: Floats, signal: Floats, observers: Observers) -> Floats:
    size = np.sqrt(np.mean(signal**2) + observers.noise**2)
    share = 2 * stats.norm.cdf(np.abs(decision) / size) - 1
    levels = observers.confidence_levels
    return np.minimum(1 + np.floor(share * levels), levels).astype(int)
