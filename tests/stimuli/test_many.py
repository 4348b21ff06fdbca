"""A set of many keeps no folder of too many files, and is the same set otherwise."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter, StimulusSet, _layout, collect, verify
from controversy.stimuli._layout import image_name, record_name

PAIR = {"pair": ["alpha", "beta"], "seed": 0}


@pytest.fixture
def two_in_a_folder(monkeypatch) -> None:
    """Twelve stimuli are many: one hexadecimal digit tells their folders apart."""
    monkeypatch.setattr(_layout, "MOST_IN_FOLDER", 2)


def folders(names: list[str]) -> Counter[str]:
    return Counter(Path(name).parent.as_posix() for name in names)


@pytest.mark.parametrize(("n", "n_folders"), [(1, 1), (1000, 1), (1001, 16), (16_001, 256), (100_000, 256)])
def test_folders_stay_small_and_their_number_with_them(n, n_folders):
    for name in (image_name, record_name):
        counts = folders([name(f"{i % 10}-{i % 9}-seed{i}", n) for i in range(n)])
        assert len(counts) <= n_folders
        assert len(counts) >= 0.98 * min(n_folders, n)
        assert max(counts.values()) <= 1000


def test_the_folder_is_the_beginning_of_the_id_s_digest():
    """SHA-256 of "abc", FIPS 180-2 appendix B.1: ba7816bf..."""
    assert image_name("abc", 1001) == "images/b/abc.png"
    assert image_name("abc", 16_001) == "images/ba/abc.png"
    assert record_name("abc", 256_001) == ".progress/ba7/abc.safetensors"


@pytest.mark.usefixtures("two_in_a_folder")
def test_a_set_in_sub_folders_is_made_resumed_and_verified(
    tmp_path, digests, add_stimuli, classifiers, classes
):
    writer = SetWriter(tmp_path / "set", PAIR, n_stimuli=12)
    order = add_stimuli(writer)
    whole = writer.finish(order, classifiers, classes, {})
    assert verify(whole, classifiers) == []
    assert len(folders(whole.metadata["file_name"].tolist())) > 4
    assert not (tmp_path / "set" / ".progress").exists()

    add_stimuli(SetWriter(tmp_path / "stopped", PAIR, n_stimuli=12), only=5)
    damaged = tmp_path / "stopped" / image_name(order[1], 12)
    damaged.write_bytes(damaged.read_bytes()[:-9])
    (damaged.parent / f".{damaged.name}.0a1b2c3d.tmp").write_bytes(b"half")
    resumed = SetWriter(tmp_path / "stopped", PAIR, n_stimuli=12)
    assert resumed.done == set(order[:5]) - {order[1]}
    add_stimuli(resumed)
    resumed.finish(order, classifiers, classes, {})
    assert digests(tmp_path / "stopped") == digests(tmp_path / "set")


def test_the_layout_changes_the_names_and_nothing_else(
    tmp_path, make_set, add_stimuli, classifiers, classes, monkeypatch
):
    flat = make_set("flat")
    monkeypatch.setattr(_layout, "MOST_IN_FOLDER", 2)
    assert verify(flat, classifiers) == []  # as one of an earlier version may be, whatever its size
    writer = SetWriter(tmp_path / "set", PAIR, n_stimuli=12)
    deep = writer.finish(add_stimuli(writer), classifiers, classes, {})
    pd.testing.assert_frame_equal(
        deep.metadata.drop(columns="file_name"), flat.metadata.drop(columns="file_name")
    )
    for name in ("logits.safetensors", "latents.safetensors", "contact_sheet.png"):
        assert (deep.folder / name).read_bytes() == (flat.folder / name).read_bytes()


def test_a_collection_of_many_goes_to_sub_folders_and_a_selection_of_few_does_not(
    tmp_path, make_set, monkeypatch
):
    sets = [make_set(f"set{seed}", seed=seed) for seed in range(3)]
    monkeypatch.setattr(_layout, "MOST_IN_FOLDER", 20)
    many = collect([one.folder for one in sets], tmp_path / "many")
    assert len(folders(many.metadata["file_name"].tolist())) > 4
    assert verify(many, {}) == []
    few = collect([one.folder for one in sets], tmp_path / "few", per_pair=6)
    assert folders(few.metadata["file_name"].tolist()) == {"images": 6}
    again = collect([many.folder], tmp_path / "again", per_pair=6)
    assert again.metadata["sha256"].tolist() == few.metadata["sha256"].tolist()
    assert verify(again, {}) == []


def test_an_image_that_lies_elsewhere_or_has_another_name_is_a_difference(make_set):
    stimuli = make_set()
    path = stimuli.folder / "metadata.csv"
    table = path.read_text()
    for wrong in ("pictures/0-1-seed0.png", "images/1/0-1-seed1.png"):
        path.write_text(table.replace("images/0-1-seed0.png", wrong))
        assert f"row 0 names the file {wrong}" in "\n".join(map(str, verify(StimulusSet(stimuli.folder), {})))


def test_an_id_that_cannot_be_a_file_name_is_refused_at_once(tmp_path, image, row):
    with (
        pytest.raises(ControversyError, match="cannot be a file name"),
        SetWriter(tmp_path / "set", {}) as writer,
    ):
        writer.add("../a", image(), {}, row(stimulus_id="../a"))
