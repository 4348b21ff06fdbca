"""``controversy experiment``, as it is typed, on a small set of the digits world."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

SET_V1 = Path(__file__).parents[1] / "data" / "set_v1"
FEW = ["lists.n_lists=3", "lists.per_stimulus=2", "lists.n_catch=2", "lists.n_practice=1"]


@pytest.fixture
def stimuli(tmp_path):
    folder = tmp_path / "set"
    shutil.copytree(SET_V1, folder)
    return folder


def test_lists_are_made_with_clear_images_and_said_in_figures(run, stimuli):
    status, out, err = run("experiment", "lists", f"set={stimuli}", "out=exp", *FEW)
    assert status == 0, err
    assert "3 lists of" in out
    lists = pd.read_csv("exp/lists.csv")
    assert (lists[lists["kind"] == "main"]["stimulus_id"].value_counts() >= 2).all()
    clear = pd.read_csv("exp/clear/clear.csv")
    assert (clear["min_probability"] >= 0.9).all()
    assert all(Path("exp/clear", name).is_file() for name in clear["file_name"])
    shown = lists[lists["kind"] == "catch"]
    assert set(shown["stimulus_id"]) <= set(clear["stimulus_id"])


def test_the_same_command_again_changes_nothing_and_other_lists_are_refused(run, stimuli):
    run("experiment", "lists", f"set={stimuli}", "out=exp", *FEW)
    before = {path: path.read_bytes() for path in Path("exp").rglob("*") if path.is_file()}
    assert run("experiment", "lists", f"set={stimuli}", "out=exp", *FEW)[0] == 0
    status, _, err = run("experiment", "lists", f"set={stimuli}", "out=exp", *FEW, "lists.seed=1")
    assert status == 2
    assert "seed=1 (there: 0)" in err
    assert {path: path.read_bytes() for path in Path("exp").rglob("*") if path.is_file()} == before


def test_the_files_for_other_platforms(run, stimuli):
    run("experiment", "lists", f"set={stimuli}", "out=exp", *FEW)
    for format, expected in [("psychopy", "conditions_0.csv"), ("psych-ds", "dataset_description.json")]:
        status, _, err = run("experiment", "export", "experiment=exp", f"out={format}", f"format={format}")
        assert status == 0, err
        assert Path(format, expected).is_file()
    status, out, _ = run("experiment", "export", "experiment=exp", "out=judgments.csv")
    assert status == 0
    assert "0 judgments of 0 participants" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["experiment", "run", "out=x"], "action is 'run'"),
        (["experiment", "lists", "out=x"], "set=DIR"),
        (["experiment", "lists", "set=nowhere", "out=x"], "no stimulus set at nowhere"),
        (["experiment", "export", "out=x"], "experiment=DIR"),
        (["experiment", "export", "experiment=nowhere", "out=x"], "nowhere holds no experiment"),
        (["experiment", "export", "experiment=x", "out=y", "format=pdf"], "format is 'pdf'"),
        (["experiment", "import", "out=x"], "data=FILE"),
        (["experiment", "import", "data=a", "key=b", "out=x"], "there is no key b"),
    ],
)
def test_what_is_missing_or_wrong_is_said(run, words, said):
    status, _, err = run(*words)
    assert status == 2
    assert said in err
    assert not Path("x").exists()
