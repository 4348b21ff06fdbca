"""What every set of lists promises, whatever the seed and the design."""

import numpy as np
import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.experiment import LIST_COLUMNS, ListOptions, make_lists

# (classes, stimuli a cell, options): lists that go round evenly, that do not, and that show everything.
DESIGNS = [
    (4, 1, {"n_lists": 12, "per_stimulus": 4}),
    (5, 1, {"n_lists": 7, "per_stimulus": 2, "n_trials": 50}),
    (3, 2, {"n_lists": 5, "per_stimulus": 5, "n_trials": 72}),
    (4, 1, {"n_lists": 11, "per_stimulus": 3, "n_catch": 4, "n_practice": 2, "n_repeats": 3, "min_lag": 4}),
]
CASES = [(*design, seed) for design in DESIGNS for seed in range(5)]


@pytest.fixture(scope="module")
def made(stimulus_table, clear_images):
    """Makes the lists of one design."""

    def make(n_classes: int, per_cell: int, options: dict, seed: int) -> pd.DataFrame:
        asked = ListOptions(**options, seed=seed)
        return make_lists(stimulus_table(n_classes, per_cell), asked, clear_images)

    return make


@pytest.fixture(
    scope="module", params=CASES, ids=lambda case: f"design{DESIGNS.index(case[:3])}-seed{case[3]}"
)
def case(request, stimulus_table, made):
    n_classes, per_cell, options, seed = request.param
    return stimulus_table(n_classes, per_cell), options, made(n_classes, per_cell, options, seed)


def test_every_stimulus_is_judged_by_enough_people_and_by_equally_many(case):
    stimuli, options, lists = case
    times = (
        lists[lists["kind"] == "main"]["stimulus_id"]
        .value_counts()
        .reindex(stimuli["stimulus_id"], fill_value=0)
    )
    assert times.min() >= options["per_stimulus"]
    assert times.max() - times.min() <= 1


def test_no_list_shows_a_stimulus_twice_but_as_a_repeat(case):
    _, _, lists = case
    assert not lists[lists["kind"] != "repeat"].duplicated(["list", "stimulus_id"]).any()
    both = lists[lists["kind"] == "repeat"].merge(
        lists[lists["kind"] == "main"], on=["list", "stimulus_id"], suffixes=("", "_first"), how="left"
    )
    assert both["position_first"].notna().all()


def test_model_pairs_and_class_pairs_have_their_share_of_every_list(case):
    """Where lists go round evenly the share is exact to rounding; where a list begins anew, to one more."""
    stimuli, _, lists = case
    main = lists[lists["kind"] == "main"]
    n_trials = len(main) // lists["list"].nunique()
    allowed = 1 if len(stimuli) % n_trials == 0 else 2
    for pair in (["model_1", "model_2"], ["class_1", "class_2"]):
        keys = [" ".join(sorted(map(str, values))) for values in main[pair].to_numpy()]
        names = [" ".join(sorted(map(str, values))) for values in stimuli[pair].to_numpy()]
        share = pd.Series(names).value_counts() * n_trials / len(stimuli)
        counts = pd.crosstab(main["list"].to_numpy(), pd.Series(keys)).reindex(
            columns=share.index, fill_value=0
        )
        assert (np.abs(counts - share) < allowed).all(axis=None)


def test_both_sides_are_equally_frequent_for_each_participant_and_each_stimulus(case):
    _, _, lists = case
    main = lists[lists["kind"] == "main"]
    sign = np.where(main["left_alternative"] == 1, 1, -1)
    for by in ("list", "stimulus_id"):
        assert pd.Series(sign).groupby(main[by].to_numpy()).sum().abs().max() <= 1


def test_a_repeat_comes_only_after_so_many_other_trials(case):
    _, options, lists = case
    place = lists.set_index(["list", "stimulus_id", "kind"])["position"]
    repeats = lists[lists["kind"] == "repeat"]
    assert len(repeats) == options.get("n_repeats", 0) * options["n_lists"]
    for row in repeats.itertuples():
        between = row.position - place[(row.list, row.stimulus_id, "main")] - 1
        assert between >= options["min_lag"]


def test_catch_trials_offer_the_images_class_and_another_one(case):
    _, options, lists = case
    catch = lists[lists["kind"] == "catch"]
    assert (catch.groupby("list").size() == options.get("n_catch", 0)).all()
    shown = catch["stimulus_id"].str.split("-").str[1].astype(int)
    right = np.where(catch["correct"] == 1, catch["class_1"], catch["class_2"])
    assert (right == shown).all()
    assert (catch["class_1"] != catch["class_2"]).all()


def test_practice_comes_first_and_positions_count_from_one(case):
    _, options, lists = case
    assert list(lists.columns) == list(LIST_COLUMNS)
    for _, own in lists.groupby("list"):
        assert own["position"].tolist() == list(range(1, len(own) + 1))
        n = options.get("n_practice", 0)
        assert ((own["kind"] == "practice") == (own["position"] <= n)).all()


def test_the_same_seed_gives_the_same_lists_and_another_seed_others(made):
    first, again, other = (made(4, 1, DESIGNS[3][2], seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(first, again)
    assert not first["stimulus_id"].equals(other["stimulus_id"])


def test_more_catch_trials_leave_who_judges_what_as_it_was(made):
    options = {"n_lists": 6, "per_stimulus": 2}
    without, with_ = made(4, 1, options, 0), made(4, 1, {**options, "n_catch": 3}, 0)
    for number in range(6):
        one, two = (
            table[(table["list"] == number) & (table["kind"] == "main")] for table in (without, with_)
        )
        assert set(one["stimulus_id"]) == set(two["stimulus_id"])


def test_stimuli_do_not_always_come_together(made):
    """Crossed designs tell stimuli from people only where different people see different combinations."""
    lists = made(4, 1, {"n_lists": 12, "per_stimulus": 4}, 0)
    sets = [frozenset(own["stimulus_id"]) for _, own in lists.groupby("list")]
    assert len(set(sets)) == len(sets)


@pytest.mark.parametrize(
    ("options", "figures"),
    [
        (
            {"n_lists": 5, "per_stimulus": 3, "n_trials": 40},
            ["5", "40", "200", "216", "6 lists", "44 trials"],
        ),
        ({"n_lists": 5, "per_stimulus": 6}, ["per_stimulus=6", "n_lists=5"]),
        ({"n_lists": 5, "per_stimulus": 1, "n_trials": 73}, ["73", "72"]),
        (
            {"n_lists": 5, "per_stimulus": 1, "n_catch": 9, "n_practice": 4},
            ["13 clear images", "there are 12"],
        ),
        (
            {"n_lists": 36, "per_stimulus": 1, "n_repeats": 2, "min_lag": 5},
            ["n_repeats=2", "min_lag=5", "2 trials"],
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_figures(options, figures, stimulus_table, clear_images):
    with pytest.raises(ControversyError) as refused:
        make_lists(stimulus_table(), ListOptions(**options), clear_images)
    for figure in figures:
        assert figure in str(refused.value)


def test_alternatives_of_one_name_are_refused(stimulus_table):
    stimuli = stimulus_table().assign(class_1_name="crane", class_2_name="crane")
    with pytest.raises(ControversyError, match=r"both alternatives of .* are called 'crane'"):
        make_lists(stimuli, ListOptions(n_lists=2, per_stimulus=1))


@pytest.mark.parametrize("name", ["n_lists", "per_stimulus", "n_trials", "n_repeats", "min_lag", "n_catch"])
def test_impossible_numbers_are_refused_by_name(name):
    with pytest.raises(ControversyError, match=f"{name} is -1"):
        ListOptions(**{name: -1})
