import numpy as np
import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.judgments import find_problems, validate


def good(**columns):
    table = pd.DataFrame(
        {"participant": list("aabb"), "stimulus_id": list("xyxy"), "choice": [1, 2, 2, 1], **columns}
    )
    table.index = pd.Index([f"row {i}" for i in range(1, 5)])
    return table


def test_a_sound_table_has_no_problem_and_keeps_every_row_and_column():
    table = good(confidence=[1, 2, 3, 4], rt=[0.5, 0.6, np.nan, 2], mood=list("abcd"))
    assert find_problems(table, stimuli=["x", "y"], confidence_range=(1, 4)).empty
    canonical = validate(table)
    assert len(canonical) == 4
    assert canonical["mood"].tolist() == list("abcd")
    assert canonical["kind"].tolist() == ["main"] * 4


@pytest.mark.parametrize(
    ("change", "row", "column", "value", "words"),
    [
        ({"choice": [1, 2, 3, 1]}, "row 3", "choice", 3, "neither 1 nor 2"),
        ({"choice": [1, "left", 2, 1]}, "row 2", "choice", "left", "neither 1 nor 2"),
        ({"choice": [1, 1.5, 2, 1]}, "row 2", "choice", 1.5, "neither 1 nor 2"),
        ({"stimulus_id": list("xyyy")}, "row 4", "stimulus_id", "y", "judged before"),
        ({"stimulus_id": list("xzxy")}, "row 2", "stimulus_id", "z", "not among the stimuli"),
        ({"confidence": [1, 2, 9, 4]}, "row 3", "confidence", 9, "outside 1 to 4"),
        ({"confidence": [1, 2, np.inf, 4]}, "row 3", "confidence", np.inf, "finite"),
        ({"confidence": [1, 2, "very", 4]}, "row 3", "confidence", "very", "finite"),
        ({"rt": [1, -2, 1, 1]}, "row 2", "rt", -2, "time in seconds"),
        ({"participant": ["a", "a", "b", ""]}, "row 4", "participant", "", "empty"),
        ({"kind": ["main", "main", "main", "warmup"]}, "row 4", "kind", "warmup", "none of main"),
        ({"kind": ["main", "main", "catch", "main"]}, "row 3", "correct", "", "catch trial"),
    ],
)
def test_each_problem_is_reported_with_its_row_and_value(change, row, column, value, words):
    problems = find_problems(good(**change), stimuli=["x", "y"], confidence_range=(1, 4), min_trials=0)
    assert len(problems) == 1
    found = problems.iloc[0]
    assert (found["row"], found["column"], found["value"]) == (row, column, value)
    assert words in found["problem"]


def test_all_problems_are_reported_at_once():
    table = good(choice=[0, 3, 2, 1], confidence=[1, 2, 99, 1])
    problems = find_problems(table, stimuli=["x"], confidence_range=(1, 4))
    assert problems["row"].tolist() == ["row 1", "row 2", "row 2", "row 3", "row 4"]
    with pytest.raises(ControversyError, match="5 problem"):
        validate(table, stimuli=["x"], confidence_range=(1, 4))


def test_a_participant_with_one_trial_is_reported_with_the_way_out():
    table = good(participant=list("aaab"), stimulus_id=list("xyzx"))
    problems = find_problems(table)
    assert problems["value"].tolist() == ["b"]
    assert "exclude.min_trials" in problems["problem"].iloc[0]


def test_a_repeat_is_no_duplicate():
    table = good(stimulus_id=list("xyyy"), kind=["main", "main", "repeat", "main"])
    table["participant"] = ["a", "a", "a", "b"]
    assert find_problems(table, min_trials=0).empty


def test_missing_columns_and_empty_tables_are_refused():
    with pytest.raises(ControversyError, match="no column 'choice', only participant, stimulus_id"):
        find_problems(good().drop(columns="choice"))
    with pytest.raises(ControversyError, match="no row"):
        find_problems(good().iloc[:0])
