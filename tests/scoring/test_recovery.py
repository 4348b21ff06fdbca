"""Simulated people with known truth; `scripts/recovery.py` is the large version of this."""

import numpy as np
import pytest

from controversy.judgments import validate
from controversy.observers import Observers, population_accuracy, reference_design, simulate
from controversy.scoring import ScoringOptions, respond, score

PEOPLE = Observers(shared=1.5, noise_spread=0.3, criterion=0.3, side_bias=0.1)
CORRELATIONS = (0.0, 0.5, 0.9)
N_EXPERIMENTS = 40


@pytest.fixture(scope="module")
def experiments():
    results = []
    for seed in range(N_EXPERIMENTS):
        design = reference_design(120, held_out=CORRELATIONS, seed=seed)
        simulation = simulate(
            design.items, PEOPLE, n_participants=20, n_seen=60, seed=1000 + seed, shared_signal=design.shared
        )
        responses = respond(validate(simulation.judgments), design.items)
        options = ScoringOptions(measures=("accuracy",), n_samples=150, n_samples_slow=2, seed=seed)
        results.append(score(responses, options)[0])
    return results


def test_intervals_cover_the_true_accuracy(experiments):
    truth = [population_accuracy(correlation, PEOPLE) for correlation in CORRELATIONS]
    covered = []
    for scores in experiments:
        rows = scores[(scores["measure"] == "accuracy") & (scores["subset"] == "held_out")]
        covered.append((rows["ci_low"] <= truth) & (truth <= rows["ci_high"]))
    # 95 % of 120: fewer than 105 or all would have a chance below 1 in 400 if models were independent.
    assert 105 <= np.sum(covered) < 120


def test_under_the_null_corrected_tests_stay_at_their_level(experiments):
    """Targeted models are at chance by construction: 40 families of four true nulls, at 5 % a family."""
    families = 0
    for scores in experiments:
        rows = scores[(scores["measure"] == "accuracy") & (scores["subset"] == "targeted")]
        families += (rows["p_adjusted"] < 0.05).any()
    # Two expected; eight or more have a chance below 1 in 1,000.
    assert families < 8
