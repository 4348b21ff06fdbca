"""What a finished set holds: the files of the format, and what follows from the images alone."""

import json

import numpy as np
import pandas as pd
import pytest

from controversy.stimuli import SetWriter

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


def test_controversiality_and_probabilities_are_the_formula_s(tmp_path, classifiers, classes, image, row):
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
    tmp_path, classifiers, classes, threshold, successes, image, row
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
