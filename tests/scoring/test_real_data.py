"""Figures of real people: Golan et al. (2023), and Geirhos et al. (2019, 2021) as two-alternative judgments.

Where a figure is written out it was given to us with the data; where a file has its own column of it, that
column is the reference; elsewhere a plain computation of the same definition, one trial or one pair at a
time.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from controversy.scoring import MEASURES, ScoringOptions, blocks, estimate, score, trial_table

SIX_DIGITS = 5e-7


@pytest.fixture(scope="module")
def scores(golan):
    return score(golan, ScoringOptions(n_samples=20, n_samples_slow=10))[0]


@pytest.fixture(scope="module")
def raw(shared_data):
    table = pd.read_csv(shared_data / "golan2023" / "trials.csv")
    return table[table["trial_type"] == "synthetic_vs_synthetic"]


def row(scores, measure, subset, model):
    found = scores[(scores["measure"] == measure) & (scores["subset"] == subset) & (scores["model"] == model)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize(
    ("measure", "subset", "model", "value", "low", "high"),
    [
        ("accuracy", "targeted", "bert", 0.820833, 0.8625, None),
        ("accuracy", "targeted", "bert_has_a_mouth", 0.179167, 0.8625, None),
        ("accuracy", "targeted", "roberta", 0.804167, 0.8325, None),
        ("accuracy", "all", "bert", 0.843611, 0.866944, None),
        ("accuracy", "all", "participants", 0.866944, None, None),
        ("agreement", "all", "participants", 0.793391, None, None),
        ("signed_rank_cosine", "all", "bert", 0.621954, 0.707168, 0.739226),
        ("signed_rank_cosine", "all", "roberta", 0.606803, 0.707168, 0.739226),
        ("signed_rank_cosine", "targeted", "bert", 0.603857, 0.698899, 0.730474),
        ("signed_rank_cosine", "targeted", "roberta", 0.576621, 0.659182, 0.693375),
    ],
)
def test_golan2023(scores, measure, subset, model, value, low, high):
    found = row(scores, measure, subset, model)
    assert found["estimate"] == pytest.approx(value, abs=SIX_DIGITS)
    if low is not None:
        assert found["ceiling_low"] == pytest.approx(low, abs=SIX_DIGITS)
    if high is not None:
        assert found["ceiling_high"] == pytest.approx(high, abs=SIX_DIGITS)
    assert found["n_trials"] == (1200 if subset == "targeted" else 3600)
    assert found["n_participants"] == 30
    assert found["n_stimuli"] == (40 if subset == "targeted" else 120)


def test_every_models_accuracy_and_cosine_by_plain_arithmetic(scores, raw):
    targets = [c for c in raw.columns if "targeted" in c]
    for model in (
        f"{name}{mouth}" for name in ("bert", "electra", "roberta") for mouth in ("", "_has_a_mouth")
    ):
        evidence = raw[f"sentence2_{model}_prob"] - raw[f"sentence1_{model}_prob"]
        table = pd.DataFrame({"who": raw["subject"], "evidence": evidence, "signed": raw["rating"] - 3.5})
        mine = (raw[targets] == model).any(axis=1)
        for subset, rows in {"all": table, "targeted": table[mine], "other_pairs": table[~mine]}.items():
            hit = (rows["evidence"] > 0) == (rows["signed"] > 0)
            assert row(scores, "accuracy", subset, model)["estimate"] == pytest.approx(hit.mean(), abs=1e-12)
            cosines = [
                np.sum(
                    np.sign(one["evidence"])
                    * rankdata(one["evidence"].abs())
                    * np.sign(one["signed"])
                    * rankdata(one["signed"].abs())
                )
                / np.sum(np.arange(1, len(one) + 1) ** 2)
                for _, one in rows.groupby("who")
            ]
            found = row(scores, "signed_rank_cosine", subset, model)["estimate"]
            assert found == pytest.approx(np.mean(cosines), abs=1e-12)


def test_the_authors_leave_one_out_columns_are_reproduced_trial_by_trial(golan, raw):
    ours = trial_table(golan).set_index(["participant", "stimulus_id"])
    keys = pd.MultiIndex.from_arrays([raw["subject"].astype(str), raw["sentence_pair"]])
    ours = ours.loc[keys]
    for column, theirs in {
        "others_probability": raw["binarized_choice_probability_NC_LB"],
        "all_probability": raw["binarized_choice_probability_NC_UB"],
        "others_majority": raw["majority_vote_NC_LB"] + 1,
        "all_majority": raw["majority_vote_NC_UB"] + 1,
    }.items():
        np.testing.assert_array_equal(ours[column].to_numpy(), theirs.to_numpy())
    # Their mean ratings are ours shifted by the middle of the scale, up to the last bit of that addition.
    np.testing.assert_allclose(ours["others_confidence"] + 3.5, raw["mean_rating_NC_LB"], rtol=0, atol=2e-15)
    np.testing.assert_allclose(ours["all_confidence"] + 3.5, raw["mean_rating_NC_UB"], rtol=0, atol=2e-15)


def test_agreement_of_people_is_the_mean_over_all_435_pairs(golan):
    choice = golan.choice
    pairs = [np.mean(choice[i] == choice[j]) for i, j in itertools.combinations(range(30), 2)]
    (block,) = blocks(golan, ("all",))
    assert estimate(MEASURES["agreement"], block)[-1] == pytest.approx(np.mean(pairs), abs=1e-12)


def test_cue_conflict_measures_work_although_people_answered_different_subsets(cue_conflict):
    scores, comparisons = score(cue_conflict, ScoringOptions(n_samples=20, n_samples_slow=10))
    shape = row(scores, "accuracy", "all", "shape")
    assert shape["estimate"] == pytest.approx(0.958688, abs=SIX_DIGITS)
    assert shape["n_trials"] == 9634
    assert row(scores, "agreement", "all", "shape")["estimate"] == pytest.approx(0.957587, abs=SIX_DIGITS)
    assert row(scores, "accuracy", "held_out", "texture")["estimate"] == pytest.approx(398 / 9634, abs=1e-12)
    assert not cue_conflict.seen.all()
    finite = scores[scores["model"] != "participants"][["estimate", "ci_low", "ci_high", "p_value"]]
    assert np.isfinite(finite.to_numpy()).all()
    assert comparisons["difference"].iloc[0] == pytest.approx((9236 - 398) / 9634)


def test_pairs_of_people_agree_on_the_stimuli_that_both_judged(cue_conflict):
    pairs = []
    for i, j in itertools.combinations(range(10), 2):
        both = cue_conflict.seen[i] & cue_conflict.seen[j]
        pairs.append(np.mean(cue_conflict.choice[i, both] == cue_conflict.choice[j, both]))
    (block,) = blocks(cue_conflict, ("all",))
    assert estimate(MEASURES["agreement"], block)[-1] == pytest.approx(np.mean(pairs), abs=1e-12)
