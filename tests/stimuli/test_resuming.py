"""A set survives any stop, and a folder keeps what it holds."""

from pathlib import Path

import pandas as pd
import pytest
import torch

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter


def test_a_stopped_run_resumes_to_the_same_bytes(
    digests, tmp_path, make_set, add_stimuli, classifiers, classes
):
    expected = make_set("expected")
    folder, identity = tmp_path / "stopped", {"pair": ["alpha", "beta"], "seed": 0}
    order = add_stimuli(SetWriter(folder, identity), only=5)
    resumed = SetWriter(folder, identity)
    assert resumed.done == frozenset(order[:5])
    assert not resumed.complete
    add_stimuli(resumed)
    resumed.finish(order, classifiers, classes, {})
    assert digests(folder) == digests(expected.folder)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("images/0-1-seed0.png", cut),
        ("images/0-1-seed0.png", flip),
        ("images/0-1-seed0.png", Path.unlink),
        (".progress/0-1-seed0.safetensors", cut),
        (".progress/0-1-seed0.safetensors", Path.unlink),
    ],
)
def test_a_stimulus_that_is_damaged_or_half_there_is_made_again(tmp_path, add_stimuli, name, damage):
    order = add_stimuli(SetWriter(tmp_path / "set", {}), only=3)
    damage(tmp_path / "set" / name)
    resumed = SetWriter(tmp_path / "set", {})
    assert resumed.done == frozenset(order[1:3])
    assert not (tmp_path / "set" / "images/0-1-seed0.png").exists()


def test_what_a_killed_write_leaves_behind_does_not_stay(tmp_path, add_stimuli, classifiers, classes):
    order = add_stimuli(SetWriter(tmp_path / "set", {}))
    (tmp_path / "set/images/.0-1-seed0.png.0a1b2c3d.tmp").write_bytes(b"half")
    (tmp_path / "set/.metadata.csv.0a1b2c3d.tmp").write_bytes(b"half")
    stimuli = SetWriter(tmp_path / "set", {}).finish(order, classifiers, classes, {})
    assert not list(stimuli.folder.rglob("*.tmp"))


def test_a_complete_set_is_left_alone(digests, make_set, image, row):
    stimuli = make_set()
    before = digests(stimuli.folder, but=())
    (stimuli.folder / ".progress").mkdir()  # as a run killed just before its last clean-up leaves it
    writer = SetWriter(stimuli.folder, {"seed": 0, "pair": ("alpha", "beta")})
    assert writer.complete
    assert len(writer.finish([], {}, pd.DataFrame(), {})) == 12
    assert digests(stimuli.folder, but=()) == before
    assert not (stimuli.folder / ".progress").exists()
    with pytest.raises(ControversyError, match="is complete"):
        writer.add("a", image(), {}, row())


@pytest.mark.parametrize("finished", [True, False])
def test_another_configuration_is_refused_with_the_difference(
    digests, tmp_path, make_set, add_stimuli, finished
):
    folder = tmp_path / "set"
    if finished:
        make_set("set")
    else:
        add_stimuli(SetWriter(folder, {"pair": ["alpha", "beta"], "seed": 0}), only=1)
    before = digests(folder, but=())
    with pytest.raises(ControversyError) as refusal:
        SetWriter(folder, {"pair": ["alpha", "gamma"], "seed": 0, "search": {"lr": 0.1}})
    assert 'pair: ["alpha", "beta"] -> ["alpha", "gamma"]' in str(refusal.value)
    assert "search.lr: (absent) -> 0.1" in str(refusal.value)
    assert "seed" not in str(refusal.value)
    assert digests(folder, but=()) == before


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ControversyError, match=r"no stimulus set .*thesis\.tex"):
        SetWriter(tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "set").write_text("")
    with pytest.raises(ControversyError, match="is a file"):
        SetWriter(tmp_path / "set", {})
    with pytest.raises(ControversyError, match=r"cannot make a set in .*inside"):
        SetWriter(tmp_path / "set" / "inside", {})


def test_images_of_two_sizes_are_refused_also_after_a_stop(tmp_path, image, row):
    SetWriter(tmp_path / "set", {}).add("a", image(), {}, row())
    with pytest.raises(ControversyError, match=r"\(9, 9\)"):
        SetWriter(tmp_path / "set", {}).add(
            "b", torch.zeros(3, 9, 9, dtype=torch.uint8), {}, row(stimulus_id="b")
        )
