"""How many participants and stimuli a study needs."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.observers._designs import Design
from controversy.observers._observers import Observers, simulate
from controversy.scoring import SHORTFALL, ScoringOptions, respond, score


def power_table(
    design: Design,
    observers: Observers,
    *,
    participants: Sequence[int],
    stimuli: Sequence[int],
    n_seen: int | None = None,
    n_repetitions: int = 100,
    n_samples: int = 200,
    subset: str = "all",
    alpha: float = 0.05,
    seed: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> pd.DataFrame:
    """Simulates a study again and again and counts how often it tells a model from chance and ceiling.

    Each repetition draws its stimuli from the design without replacement, and new people, and tests
    single-trial accuracy as `controversy score` does, one test a model, uncorrected.

    Args:
        design: The items to draw from, with the human signal on them.
        observers: The people.
        participants: Numbers of participants to try.
        stimuli: Numbers of stimuli to try.
        n_seen: How many of the stimuli each person judges; all by default, and never more than there are.
        n_repetitions: Simulated studies a cell.
        n_samples: Bootstrap samples a study.
        subset: The subset to test on.
        alpha: Level of the tests.
        seed: Of everything random.
        advance: Called after every simulated study.

    Returns:
        One row a cell, model and test (``chance``: better than chance; ``ceiling``: below the lower ceiling):
        ``participants, stimuli, model, test, power, ci_low, ci_high`` (Wilson, 95 %), ``n_repetitions``.

    Raises:
        ControversyError: More stimuli are wanted than the design has, or a number is too small.
    """
    n_items = len(design.items.ids)
    if max(stimuli) > n_items:
        raise ControversyError(f"power for {max(stimuli)} stimuli needs as many items; there are {n_items}.")
    if min(*stimuli, *participants) < 2 or n_repetitions < 1:
        raise ControversyError("power needs 2 participants, 2 stimuli and 1 repetition, or more of each.")
    options = ScoringOptions(
        measures=("accuracy",), subsets=(subset,), n_samples=n_samples, n_samples_slow=2, correction="none"
    )
    rows = []
    for n_people in participants:
        for n_stimuli in stimuli:
            cell = np.random.SeedSequence((seed, n_people, n_stimuli)).generate_state(n_repetitions)
            tests = []
            for own in cell:
                tests.append(_one_study(design, observers, n_people, n_stimuli, n_seen, int(own), options))
                advance()
            rows.append(_rates(pd.concat(tests), alpha).assign(participants=n_people, stimuli=n_stimuli))
    columns = ["participants", "stimuli", "model", "test", "power", "ci_low", "ci_high", "n_repetitions"]
    return pd.concat(rows, ignore_index=True)[columns]


def _one_study(
    design: Design,
    observers: Observers,
    n_people: int,
    n_stimuli: int,
    n_seen: int | None,
    seed: int,
    options: ScoringOptions,
) -> pd.DataFrame:
    drawn = np.sort(np.random.default_rng(seed).choice(len(design.items.ids), n_stimuli, replace=False))
    simulation = simulate(
        design.items.take(drawn),
        observers,
        n_participants=n_people,
        n_seen=None if n_seen is None else min(n_seen, n_stimuli),
        seed=seed,
        shared_signal=design.shared[drawn],
    )
    responses = respond(simulation.judgments, design.items.take(drawn))
    scores, _ = score(responses, replace(options, seed=seed))
    return scores[scores["p_value"].notna()]


def _rates(tests: pd.DataFrame, alpha: float) -> pd.DataFrame:
    from statsmodels.stats.proportion import proportion_confint

    test = np.where(tests["measure"].str.endswith(SHORTFALL), "ceiling", "chance")
    groups = (tests["p_value"] < alpha).groupby([tests["model"], test], sort=False)
    found = groups.agg(hits="sum", n_repetitions="count").rename_axis(["model", "test"]).reset_index()
    low, high = proportion_confint(found["hits"], found["n_repetitions"], method="wilson")
    return found.assign(power=found["hits"] / found["n_repetitions"], ci_low=low, ci_high=high)
