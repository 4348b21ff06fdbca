"""People's answers: the published counts, judgments, corruptions that affect people alike."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.vcr import (
    Monotone,
    Observations,
    Shen2024,
    alike_corruptions,
    area,
    fit_curve,
    people_from_trials,
    pooled,
    read_people,
    robustness,
)

DATA = Path(os.environ.get("CONTROVERSY_DATA", Path(__file__).parents[3] / "shared" / "data")) / "icse22"
with_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no human counts at {DATA}")


@with_data
def test_the_default_gives_sensible_human_areas_where_zero_filled_bins_collapse():
    people = read_people(DATA)
    assert len(people) == 16
    noise = people["gaussian_noise", "accuracy"]
    assert robustness(
        fit_curve(noise, Monotone(), n_bootstrap=100, seed=0), covered_only=True
    ).value == pytest.approx(0.96, abs=0.02)
    public = Shen2024().fit(noise.visual_change, noise.hits[None], noise.trials[None])[0]
    assert area(Shen2024.grid, public) < 0.05
    for corruption, seen in pooled(people, "accuracy").items():
        estimate = robustness(fit_curve(seen, Monotone(), n_bootstrap=100, seed=0), covered_only=True)
        assert 0.85 < estimate.value < 1, corruption
        assert estimate.low < estimate.value < estimate.high, corruption


@with_data
def test_real_corruptions_affect_people_unalike_and_fall_into_few_groups():
    table, groups = alike_corruptions(pooled(read_people(DATA), "accuracy"), n_random=2000)
    assert len(table) == 8 * 7 // 2
    assert not table["alike"].all()
    assert 1 < len(set(groups.values())) < 8


def _counts(curve, n, rng):
    change = np.arange(0.05, 1, 0.1)
    return Observations(change, rng.binomial(n, curve(change)).astype(float), np.full(len(change), float(n)))


def test_groups_join_equal_curves_and_part_different_ones():
    rng = np.random.default_rng(1)
    people = {
        "blur_1": _counts(lambda v: 1 - v, 100, rng),
        "blur_2": _counts(lambda v: 1 - v, 200, rng),
        "noise": _counts(lambda v: 1 - v**4, 100, rng),
    }
    table, groups = alike_corruptions(people, n_random=2000)
    assert groups["blur_1"] == groups["blur_2"] != groups["noise"]
    assert table.set_index(["corruption_1", "corruption_2"]).loc[("blur_1", "noise"), "p_adjusted"] < 0.01


def test_the_test_of_equal_curves_keeps_its_level():
    rng = np.random.default_rng(2)
    p = []
    for _ in range(200):
        pair = {name: _counts(lambda v: 0.9 - 0.6 * v, 30, rng) for name in "ab"}
        p.append(alike_corruptions(pair, n_random=200)[0]["p_value"].iloc[0])
    assert 0.01 <= np.mean(np.array(p) <= 0.05) <= 0.1
    assert np.mean(p) == pytest.approx(0.5, abs=0.08)


def test_corruptions_without_a_bin_in_common_are_neither_tested_nor_grouped():
    early, late = (Observations(np.array([v]), np.array([5.0]), np.array([10.0])) for v in (0.1, 0.9))
    table, groups = alike_corruptions({"early": early, "late": late})
    assert table["p_value"].isna().all()
    assert groups["early"] != groups["late"]


def _judgments():
    return pd.DataFrame(
        {
            "participant": ["a", "a", "b", "b"],
            "stimulus_id": ["s1", "s2", "s1", "s2"],
            "corruption": "frost",
            "visual_change": [0.2, 0.7, 0.2, 0.7],
            "choice": [1, 1, 1, 2],
            "correct": [1, 2, 1, 2],
            "original_choice": [1, 2, 2, 2],
        }
    )


def test_judgments_give_accuracy_and_similarity_and_resample_people_and_stimuli(tmp_path):
    _judgments().to_csv(tmp_path / "judgments.csv", index=False)
    people = read_people(tmp_path / "judgments.csv")
    assert people["frost", "accuracy"].hits.tolist() == [1, 0, 1, 1]
    assert people["frost", "prediction_similarity"].hits.tolist() == [1, 0, 0, 1]
    assert [codes.tolist() for codes in people["frost", "accuracy"].factors] == [[0, 0, 1, 1], [0, 1, 0, 1]]
    _, trials = people["frost", "accuracy"].resample(500, np.ones(4), np.random.default_rng(0))
    assert set(np.unique(trials)) == {0, 1, 2, 4}  # 0, 1 or 2 times a person by as often a stimulus


def test_answers_that_cannot_be_scored_are_refused(tmp_path):
    with pytest.raises(ControversyError, match="no column 'visual_change'"):
        people_from_trials(_judgments().drop(columns="visual_change"))
    with pytest.raises(ControversyError, match="nothing says what a hit is"):
        people_from_trials(_judgments().drop(columns=["correct", "original_choice"]))
    with pytest.raises(ControversyError, match="1 judgments lack a value"):
        people_from_trials(_judgments().assign(choice=[1, None, 1, 2]))
    with pytest.raises(ControversyError, match="holds no imagenet_c_p"):
        read_people(tmp_path)
    with pytest.raises(ControversyError, match="cannot read"):
        read_people(tmp_path / "nothing.csv")
