import numpy as np
import pandas as pd
import pytest
from scipy import stats

from controversy.evidence import Items
from controversy.scoring import (
    adjust,
    draw_weights,
    infer,
    logistic_check,
    replicate,
    respond,
    standard_error,
)
from controversy.scoring._measure import Ratio, Terms


def mean_of(values):
    """The mean over people and stimuli as a statistic, with a column more as every statistic has."""

    def statistic(weights):
        total = (weights @ values.T.astype("float32"))[..., None]
        return Terms(Ratio(total, np.broadcast_to(weights.sum(axis=1)[:, None, None], total.shape)))

    return statistic


def test_the_corrected_bootstrap_finds_the_variance_of_both_factors():
    """Balanced random effects: the grand mean has variance vp/P + vs/S + ve/PS; uncorrected, 3 ve/PS."""
    rng = np.random.default_rng(0)
    n_people, n_stimuli, effects, noise = 12, 20, 0.05, 1.0
    true = effects / n_people + effects / n_stimuli + noise / (n_people * n_stimuli)
    corrected, naive = [], []
    weights = draw_weights(n_people, n_stimuli, 300, seed=1)
    for _ in range(150):
        values = (
            rng.normal(0, effects**0.5, (n_people, 1))
            + rng.normal(0, effects**0.5, (1, n_stimuli))
            + rng.normal(0, noise**0.5, (n_people, n_stimuli))
        )
        replicates = replicate(mean_of(values), weights, np.arange(n_stimuli))
        corrected.append(standard_error(replicates)[0] ** 2)
        naive.append(replicates.both.var())
    # Bootstrap variances are (n-1)/n of unbiased ones, hence the room below; the naive one is far above.
    assert np.mean(corrected) == pytest.approx(true, rel=0.12)
    assert np.mean(naive) > 1.5 * true


def test_weights_keep_the_number_of_people_and_stimuli_and_follow_the_seed():
    weights = draw_weights(5, 9, 40, seed=2)
    assert (weights.participants.sum(axis=1) == 5).all()
    assert (weights.stimuli.sum(axis=1) == 9).all()
    assert (draw_weights(5, 9, 40, seed=2).stimuli == weights.stimuli).all()
    assert (draw_weights(5, 9, 40, seed=3).stimuli != weights.stimuli).any()


def test_inference_is_a_t_test():
    values, error = np.array([0.6]), np.array([0.04])
    result = infer(values, error, degrees_of_freedom=29, null=0.5)
    assert result.p_greater[0] == pytest.approx(stats.t.sf(2.5, 29))
    assert result.p_two_sided[0] == pytest.approx(2 * stats.t.sf(2.5, 29))
    # 2.04523 is the 97.5 % point of Student's t with 29 degrees of freedom, as in printed tables.
    assert result.high[0] == pytest.approx(0.6 + 2.04523 * 0.04, abs=1e-6)
    assert infer(np.array([0.99]), error, degrees_of_freedom=29, null=0.5, bounds=(0, 1)).high[0] == 1
    assert np.isnan(infer(values, error, degrees_of_freedom=0, null=0.5).p_greater[0])


def test_corrections_for_multiplicity():
    p = np.array([0.01, np.nan, 0.04, 0.03])
    there = [0, 2, 3]
    np.testing.assert_allclose(adjust(p)[there], stats.false_discovery_control(p[there]))
    # Holm by hand: 3 x 0.01, 2 x 0.03, then no smaller than the one before.
    np.testing.assert_allclose(adjust(p, "holm")[there], [0.03, 0.06, 0.06])
    np.testing.assert_array_equal(adjust(p, "none"), p)
    assert np.isnan(adjust(p)[1])


def test_the_logistic_check_is_a_gee_and_agrees_that_a_good_model_is_good():
    rng = np.random.default_rng(0)
    n_people, n_stimuli, slope = 30, 80, 1.0
    evidence = rng.normal(size=(n_stimuli, 2))
    p = 1 / (1 + np.exp(-slope * evidence[:, 0] - rng.normal(0, 0.5, (n_people, 1))))
    choice = (rng.random((n_people, n_stimuli)) < p) + 1
    ids = tuple(f"s{i}" for i in range(n_stimuli))
    items = Items(ids, ("good", "blind"), evidence, np.zeros((n_stimuli, 2), dtype=bool))
    table = pd.DataFrame(
        [(f"p{i}", ids[j], choice[i, j]) for i in range(n_people) for j in range(n_stimuli)],
        columns=["participant", "stimulus_id", "choice"],
    )
    check = logistic_check(respond(table, items)).set_index("model")
    # Averaged over people the slope shrinks a little (Zeger, Liang & Albert 1988): by 1/sqrt(1 + 0.346 *
    # 0.5^2).
    expected = slope * evidence[:, 0].std() / np.sqrt(1 + 0.346 * 0.25)
    assert check.loc["good", "slope"] == pytest.approx(expected, abs=3 * check.loc["good", "se"])
    assert check.loc["good", "p_adjusted"] < 1e-6
    assert check.loc["blind", "p_value"] > 0.05
    assert check.loc["good", "slope"] == pytest.approx(gee_slope(table, evidence[:, 0]), abs=1e-6)


def gee_slope(table, evidence):
    import statsmodels.api as sm

    x = np.tile(evidence, table["participant"].nunique())
    groups = table["participant"].factorize()[0]
    design = sm.add_constant((x - x.mean()) / x.std())
    model = sm.GEE(table["choice"].to_numpy() - 1, design, groups, family=sm.families.Binomial())
    return model.fit().params[1]


def test_the_logistic_check_says_where_there_is_no_slope():
    evidence = np.array([[1.0, -1], [1, 1]])
    items = Items(tuple("xy"), ("flat", "perfect"), evidence, np.zeros((2, 2), dtype=bool))
    rows = [(p, s, c) for p in "abcd" for s, c in (("x", 1), ("y", 2))]
    table = pd.DataFrame(rows, columns=["participant", "stimulus_id", "choice"])
    notes = logistic_check(respond(table, items)).set_index("model")["note"]
    assert "the same on every trial" in notes["flat"]
    assert "separates" in notes["perfect"]
