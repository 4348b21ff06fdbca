"""A set is made stimulus by stimulus, survives any stop, and gives the same bytes each time."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter, StimulusSet

COLUMNS = [
    "file_name",
    "stimulus_id",
    "model_1",
    "model_2",
    "class_1",
    "class_2",
    "class_1_name",
    "class_2_name",
    "seed",
    "n_steps",
    "controversiality",
    "p1_class_1",
    "p1_class_2",
    "p2_class_1",
    "p2_class_2",
    "success",
    "sha256",
]
FILES = {
    "metadata.csv",
    "classes.csv",
    "logits.safetensors",
    "latents.safetensors",
    "contact_sheet.png",
    "index.html",
    "manifest.json",
}


def row(**changes):
    given = {
        "stimulus_id": "a",
        "model_1": "alpha",
        "model_2": "beta",
        "class_1": 0,
        "class_2": 1,
        "seed": 3,
        "n_steps": 7,
    }
    return {**given, **changes}


def image(alpha: tuple[int, ...], beta: tuple[int, ...]) -> torch.Tensor:
    """The pixels from which the two fake classifiers read their logits: 20/255 a grey level."""
    pixels = torch.zeros(3, 8, 8, dtype=torch.uint8)
    pixels[:, 0, :4], pixels[:, 1, :4] = torch.tensor(alpha), torch.tensor(beta)
    return pixels


def test_a_set_holds_the_files_of_the_format_and_nothing_else(make_set):
    stimuli = make_set()
    found = {
        path.relative_to(stimuli.folder).as_posix() for path in stimuli.folder.rglob("*") if path.is_file()
    }
    assert found == FILES | set(stimuli.metadata["file_name"])


def test_metadata_begins_with_the_columns_of_the_format_and_keeps_further_ones(make_set):
    header = (make_set().folder / "metadata.csv").read_text().splitlines()[0].split(",")
    assert header == [*COLUMNS, "z_norm", "note"]


def test_metadata_follows_the_rules_of_hugging_face_image_folders(make_set):
    """First column `file_name`: each an existing image, relative to metadata.csv, once; one row an image."""
    folder = make_set().folder
    table = pd.read_csv(folder / "metadata.csv")
    assert table.columns[0] == "file_name"
    assert sorted(table["file_name"]) == sorted(
        p.relative_to(folder).as_posix() for p in folder.glob("images/*")
    )


def test_logits_are_those_of_the_saved_png(make_set):
    """logit k of alpha = 20 v / 255 with v the 8-bit value of pixel k in row 0 of the file."""
    stimuli = make_set()
    files = [
        np.asarray(Image.open(stimuli.folder / name), dtype=float) for name in stimuli.metadata["file_name"]
    ]
    by_hand = 20 * np.stack([pixels[0, :4, 0] for pixels in files]) / 255
    np.testing.assert_allclose(stimuli.logits("alpha"), by_hand, rtol=1e-6)
    assert stimuli.logits("alpha").dtype == np.float32


def test_controversiality_and_probabilities_are_the_formula_s(tmp_path, classifiers, classes):
    """v = 51 is a logit of 4: p = e^4 / (e^4 + 3). v = 255 is one of 20: p is 1 but for 6e-9."""
    writer = SetWriter(tmp_path / "set", {})
    writer.add("both", image((255, 0, 0, 0), (0, 255, 0, 0)), {}, row(stimulus_id="both"))
    writer.add("weak", image((51, 0, 0, 0), (0, 255, 0, 0)), {}, row(stimulus_id="weak"))
    writer.add("both-say-1", image((0, 255, 0, 0), (0, 255, 0, 0)), {}, row(stimulus_id="both-say-1"))
    table = writer.finish(["both", "weak", "both-say-1"], classifiers, classes, {}).metadata
    weak = np.exp(4) / (np.exp(4) + 3)
    np.testing.assert_allclose(table["p1_class_1"], [1, weak, np.exp(-20)], rtol=1e-5)
    np.testing.assert_allclose(table["p1_class_2"], [np.exp(-20), 1 / (np.exp(4) + 3), 1], rtol=1e-5)
    np.testing.assert_allclose(table["p2_class_2"], 1, rtol=1e-6)
    np.testing.assert_allclose(table["p2_class_1"], np.exp(-20), rtol=1e-5)
    # min(p1(c1), 1 - p1(c2), p2(c2), 1 - p2(c1)); in the last row p1(c1) is the smallest.
    np.testing.assert_allclose(table["controversiality"], [1, weak, np.exp(-20)], rtol=1e-5)
    assert table["success"].tolist() == [True, True, False]


@pytest.mark.parametrize(("threshold", "successes"), [(0.94, 1), (0.95, 0)])
def test_success_is_reaching_the_threshold_of_the_record(
    tmp_path, classifiers, classes, threshold, successes
):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((51, 0, 0, 0), (0, 255, 0, 0)), {}, row())  # e^4 / (e^4 + 3) = 0.948
    stimuli = writer.finish(["a"], classifiers, classes, {"success_threshold": threshold})
    assert stimuli.metadata["success"].sum() == successes
    assert stimuli.manifest["success_threshold"] == threshold


def test_the_same_stimuli_give_the_same_bytes(digests, make_set):
    first, second = make_set("first"), make_set("second")
    assert digests(first.folder) == digests(second.folder)
    differing = {key for key in first.manifest if first.manifest[key] != second.manifest[key]}
    assert differing <= {"created"}


def test_the_order_in_which_stimuli_get_done_leaves_no_trace(
    digests, tmp_path, make_set, add_stimuli, classifiers, classes
):
    expected = make_set("expected")
    writer = SetWriter(tmp_path / "other", {"pair": ["alpha", "beta"], "seed": 0})
    calls = []
    writer.add, add = (lambda *stimulus: calls.append(stimulus)), writer.add
    order = add_stimuli(writer)
    for call in reversed(calls):
        add(*call)
    stimuli = writer.finish(order, classifiers, classes, {})
    assert digests(stimuli.folder) == digests(expected.folder)


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


def test_a_complete_set_is_left_alone(digests, make_set):
    stimuli = make_set()
    before = digests(stimuli.folder, but=())
    (stimuli.folder / ".progress").mkdir()  # as a run killed just before its last clean-up leaves it
    writer = SetWriter(stimuli.folder, {"seed": 0, "pair": ("alpha", "beta")})
    assert writer.complete
    assert len(writer.finish([], {}, pd.DataFrame(), {})) == 12
    assert digests(stimuli.folder, but=()) == before
    assert not (stimuli.folder / ".progress").exists()
    with pytest.raises(ControversyError, match="is complete"):
        writer.add("a", image((0,) * 4, (0,) * 4), {}, row())


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


@pytest.mark.parametrize(
    ("stimulus_id", "changes", "message"),
    [
        ("../a", {"stimulus_id": "../a"}, "cannot be a file name"),
        (".a", {"stimulus_id": ".a"}, "cannot be a file name"),
        ("", {"stimulus_id": ""}, "cannot be a file name"),
        ("b", {}, "says stimulus_id 'a'"),
        ("a", {"class_2": 0}, "class_1 = class_2 = 0"),
        ("a", {"controversiality": 1.0}, "gives controversiality, which the set computes"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(tmp_path, stimulus_id, changes, message):
    with pytest.raises(ControversyError, match=message):
        SetWriter(tmp_path / "set", {}).add(stimulus_id, image((0,) * 4, (0,) * 4), {}, row(**changes))


@pytest.mark.parametrize(
    "column", ["stimulus_id", "model_1", "model_2", "class_1", "class_2", "seed", "n_steps"]
)
def test_a_row_that_lacks_a_column_is_refused(tmp_path, column):
    given = {key: value for key, value in row().items() if key != column}
    with pytest.raises(ControversyError, match=f"lacks {column}"):
        SetWriter(tmp_path / "set", {}).add("a", image((0,) * 4, (0,) * 4), {}, given)


@pytest.mark.parametrize(
    "wrong",
    [torch.zeros(3, 8, 8), torch.zeros(1, 8, 8, dtype=torch.uint8), torch.zeros(3, 8, dtype=torch.uint8)],
)
def test_an_image_that_is_not_8_bit_rgb_is_refused(tmp_path, wrong):
    with pytest.raises(ControversyError, match=r"must be uint8 \[3, h, w\]"):
        SetWriter(tmp_path / "set", {}).add("a", wrong, {}, row())


def test_images_of_two_sizes_are_refused_also_after_a_stop(tmp_path):
    SetWriter(tmp_path / "set", {}).add("a", image((0,) * 4, (0,) * 4), {}, row())
    with pytest.raises(ControversyError, match=r"\(9, 9\)"):
        SetWriter(tmp_path / "set", {}).add(
            "b", torch.zeros(3, 9, 9, dtype=torch.uint8), {}, row(stimulus_id="b")
        )


@pytest.mark.parametrize(
    ("changes", "order", "message"),
    [
        ({}, ["a", "b"], "1 stimuli are missing"),
        ({}, [], "empty set"),
        ({}, ["a", "a"], "twice"),
        ({"class_2": 4}, ["a"], "class_2 = 4, but there are only 4"),
        ({"class_1": -1}, ["a"], "class_1 = -1"),
        ({"model_2": "gamma"}, ["a"], "made for gamma"),
    ],
)
def test_a_set_that_cannot_be_finished_says_why(tmp_path, classifiers, classes, changes, order, message):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((0,) * 4, (0,) * 4), {}, row(**changes))
    with pytest.raises(ControversyError, match=message):
        writer.finish(order, classifiers, classes, {})
    with pytest.raises(ControversyError, match="unfinished"):
        StimulusSet(tmp_path / "set")


def test_stimuli_with_different_columns_are_refused(tmp_path, classifiers, classes):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((0,) * 4, (0,) * 4), {}, row())
    writer.add("b", image((0,) * 4, (0,) * 4), {}, row(stimulus_id="b", n_restarts=1))
    with pytest.raises(ControversyError, match=r"a and b differ in their columns: n_restarts"):
        writer.finish(["a", "b"], classifiers, classes, {})


def test_the_configuration_must_be_json(tmp_path):
    with pytest.raises(ControversyError, match="must be JSON"):
        SetWriter(tmp_path / "set", {"device": torch.device("cpu")})


def test_a_classifier_of_other_classes_is_refused(tmp_path, classifiers, classes):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((0,) * 4, (0,) * 4), {}, row())
    with pytest.raises(ControversyError, match="knows 4 classes, the set has 2"):
        writer.finish(["a"], classifiers, classes.head(2), {})


def test_half_precision_scores_are_refused(tmp_path, classifiers, classes):
    classifiers["beta"].to(torch.bfloat16)
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((0,) * 4, (0,) * 4), {}, row())
    with pytest.raises(ControversyError, match=r"float32, but classifier beta holds torch\.bfloat16"):
        writer.finish(["a"], classifiers, classes, {})


def test_logits_that_are_not_finite_are_refused(tmp_path, classifiers, classes):
    classifiers["beta"].network.gain.fill_(float("nan"))
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((9,) * 4, (9,) * 4), {}, row())
    with pytest.raises(ControversyError, match=r"beta gave logits that are not finite for .*a\.png"):
        writer.finish(["a"], classifiers, classes, {})


def test_every_batch_has_one_size_so_an_image_s_logits_do_not_depend_on_its_set(
    tmp_path, classifiers, classes, add_stimuli
):
    """A network's rounding depends on the batch's size: the last batch is filled up."""
    sizes = []
    classifiers["alpha"].network.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    writer = SetWriter(tmp_path / "set", {})
    seen = []
    writer.finish(
        add_stimuli(writer), classifiers, classes, {}, batch_size=5, progress=lambda *done: seen.append(done)
    )
    assert sizes == [5, 5, 5]
    assert seen == [(5, 12), (10, 12), (12, 12)]


def test_a_batch_of_none_is_refused(tmp_path, classifiers, classes, add_stimuli):
    writer = SetWriter(tmp_path / "set", {})
    with pytest.raises(ControversyError, match="batch_size must be at least 1, got 0"):
        writer.finish(add_stimuli(writer), classifiers, classes, {}, batch_size=0)


def test_whoever_can_read_the_images_can_read_the_logits(make_set):
    folder = make_set().folder
    modes = {path.stat().st_mode & 0o444 for path in folder.rglob("*") if path.is_file()}
    assert len(modes) == 1


def test_the_manifest_says_what_made_the_set(make_set):
    manifest = json.loads((make_set().folder / "manifest.json").read_text())
    assert manifest["kind"] == "stimulus set"
    assert manifest["n_stimuli"] == 12
    assert manifest["configuration"] == {"pair": ["alpha", "beta"], "seed": 0}
    assert manifest["generator"] == {"name": "random pixels"}
    assert manifest["seeds"] == [0]
    assert manifest["models"]["alpha"]["preprocessing"]["size"] == 8
    assert {"controversy", "python", "torch", "numpy", "pillow"} <= manifest["packages"].keys()
