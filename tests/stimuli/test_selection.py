"""A balanced selection: class pairs evenly, the best of each, and never a matter of chance."""

import itertools

import numpy as np
import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.stimuli import select_per_pair


@pytest.fixture
def pool() -> pd.DataFrame:
    """Three model pairs, six class pairs, a random number of candidates of each; many ties."""
    rng = np.random.default_rng(20)
    rows = [
        {
            "model_1": model_1,
            "model_2": model_2,
            "class_1": class_1,
            "class_2": class_2,
            "controversiality": rng.integers(0, 10) / 10,
        }
        for model_1, model_2 in itertools.combinations("abc", 2)
        for class_1, class_2 in itertools.permutations(range(3), 2)
        for _ in range(rng.integers(2, 8))
    ]
    return pd.DataFrame(rows).assign(stimulus_id=[f"s{i:03}" for i in rng.permutation(len(rows))])


@pytest.mark.parametrize("per_pair", [1, 4, 6, 9, 12])
def test_every_pair_gives_as_many_and_class_pairs_differ_by_at_most_one(pool, per_pair):
    chosen = pool.loc[select_per_pair(pool, per_pair)]
    assert (chosen.groupby(["model_1", "model_2"]).size() == per_pair).all()
    counts = chosen.groupby(["model_1", "model_2", "class_1", "class_2"]).size().unstack([2, 3], fill_value=0)
    assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()


def test_within_a_class_pair_the_best_are_taken(pool):
    taken = pool.index.isin(select_per_pair(pool, 9))
    keys = ["model_1", "model_2", "class_1", "class_2"]
    worst_taken = pool[taken].groupby(keys)["controversiality"].min()
    best_left = pool[~taken].groupby(keys)["controversiality"].max()
    assert (worst_taken - best_left).dropna().ge(0).all()


def test_the_last_round_goes_to_the_most_controversial_class_pairs(pool):
    chosen = pool.loc[select_per_pair(pool, 4)]
    best = pool.groupby(["model_1", "model_2", "class_1", "class_2"])["controversiality"].max()
    for pair, rows in chosen.groupby(["model_1", "model_2"]):
        assert sorted(rows["controversiality"]) == sorted(best.loc[pair].nlargest(4))


def test_the_selection_does_not_depend_on_the_order_of_rows(pool):
    expected = set(pool.loc[select_per_pair(pool, 7), "stimulus_id"])
    for seed in range(5):
        shuffled = pool.sample(frac=1, random_state=seed)
        assert set(shuffled.loc[select_per_pair(shuffled, 7), "stimulus_id"]) == expected


def test_the_order_of_rows_is_kept(pool):
    chosen = select_per_pair(pool, 6)
    assert chosen.is_monotonic_increasing


def test_model_pairs_have_no_order_but_class_pairs_turn_with_them():
    """(a sees 3, b sees 7) and (b sees 7, a sees 3) are one cell: one of the two is its best."""
    pool = pd.DataFrame(
        {
            "stimulus_id": ["x", "y", "z"],
            "model_1": ["a", "b", "b"],
            "model_2": ["b", "a", "a"],
            "class_1": [3, 7, 3],
            "class_2": [7, 3, 7],
            "controversiality": [0.9, 0.8, 0.1],
        }
    )
    assert pool.loc[select_per_pair(pool, 2), "stimulus_id"].tolist() == ["x", "z"]


def test_ties_go_to_the_smaller_id():
    pool = pd.DataFrame(
        {
            "stimulus_id": ["b", "a"],
            "model_1": "m",
            "model_2": "n",
            "class_1": 0,
            "class_2": 1,
            "controversiality": 0.5,
        }
    )
    assert pool.loc[select_per_pair(pool, 1), "stimulus_id"].tolist() == ["a"]


def test_too_few_stimuli_are_refused_with_the_numbers(pool):
    with pytest.raises(
        ControversyError, match=r"per_pair=1000, but there are fewer for a and b \(\d+\), a and c"
    ):
        select_per_pair(pool, 1000)
    with pytest.raises(ControversyError, match="per_pair must be at least 1, got 0"):
        select_per_pair(pool, 0)
