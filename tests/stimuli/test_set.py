"""Reading a set: types, exact numbers, lazy images; and what is said of folders that are no such thing."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from controversy.errors import ControversyError
from controversy.stimuli import StimulusSet


def change_manifest(folder: Path, **changes) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_strings_stay_strings_and_numbers_stay_exact(make_set):
    table = make_set().metadata
    assert set(table["class_1_name"]) == {"7", "crane", "NA"}
    assert table["note"].tolist() == ["007"] * 12
    assert table["z_norm"].tolist() == [seed / 3 for seed in table["seed"]]
    assert table["success"].dtype == bool
    assert table["class_1"].dtype == np.int64


def test_classes_are_keyed_by_index_and_wnid_since_names_repeat(make_set):
    classes = make_set().classes
    assert classes["index"].tolist() == [0, 1, 2, 3]
    assert classes.loc[classes["name"] == "crane", "wnid"].tolist() == ["n02012849", "n03126707"]


def test_images_are_read_when_asked_for_and_lie_in_0_1(make_set, monkeypatch):
    stimuli = make_set()
    eight_bit = torch.stack([stimuli.image(i) for i in range(12)])
    assert eight_bit.dtype == torch.uint8
    assert torch.equal(stimuli.images(), eight_bit / 255)
    assert torch.equal(stimuli.images(slice(2, 9, 3)), eight_bit[2:9:3] / 255)
    assert torch.equal(stimuli.images([5, 0]), eight_bit[[5, 0]] / 255)
    assert torch.equal(stimuli.images([-1]), eight_bit[[11]] / 255)
    assert stimuli.images([]).shape == (0, 3, 8, 8)


def test_opening_and_tables_need_no_image(make_set):
    folder = make_set().folder
    shutil.rmtree(folder / "images")
    stimuli = StimulusSet(folder)
    assert len(stimuli) == len(stimuli.metadata) == len(stimuli.logits("alpha")) == 12


def test_evidence_is_the_log_odds_of_the_second_alternative(make_set):
    """In the two-alternative task p(class_2) = p2 / (p1 + p2); its log-odds are the difference of logits."""
    stimuli = make_set()
    table = stimuli.metadata
    evidence = stimuli.evidence("beta")
    np.testing.assert_allclose(evidence, np.log(table["p2_class_2"] / table["p2_class_1"]), rtol=1e-9)
    assert (np.sign(evidence) == np.sign(table["p2_class_2"] - table["p2_class_1"])).all()


def test_a_set_has_a_length_rows_and_a_readable_form(make_set):
    stimuli = make_set()
    assert len(stimuli) == 12
    assert [row.stimulus_id for row in stimuli] == stimuli.metadata["stimulus_id"].tolist()
    assert "12 stimuli, models alpha, beta" in repr(stimuli)


def test_latents_are_those_that_were_given_row_by_row(make_set):
    stimuli = make_set()
    latents = stimuli.latents()
    assert torch.equal(
        latents["z"], torch.tensor(stimuli.metadata["seed"].to_numpy()).float()[:, None].expand(-1, 5)
    )
    assert torch.equal(
        latents["class_vector"], torch.eye(4)[torch.tensor(stimuli.metadata["class_1"].to_numpy())]
    )


def no_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


def not_a_set(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def unfinished(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    (folder / ".progress").mkdir()


def another_version(folder: Path) -> None:
    change_manifest(folder, format_version=99, packages={"controversy": "7.1"})


def another_kind(folder: Path) -> None:
    change_manifest(folder, kind="shopping list")


def broken_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"kind": "stimulus set", ')


def a_list(folder: Path) -> None:
    (folder / "manifest.json").write_text("[]")


def without_models(folder: Path) -> None:
    change_manifest(folder, models=None)


def without_descriptions(folder: Path) -> None:
    change_manifest(folder, models={"alpha": "a fine model"})


def without_digests(folder: Path) -> None:
    change_manifest(folder, files={"metadata.csv": None, "logits.safetensors": None})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (no_folder, "no such folder"),
        (a_file, "is a file; a stimulus set is a folder"),
        (not_a_set, r"is not a stimulus set: it holds no manifest\.json"),
        (unfinished, "is unfinished. Run the command that began it again"),
        (another_version, r"format version 99.*reads version 1.*7\.1"),
        (another_kind, "is of kind 'shopping list'"),
        (broken_manifest, r"cannot read .*manifest\.json"),
        (a_list, "no JSON object"),
        (without_models, "'models' should be dict, is None"),
        (without_descriptions, "a model has no description"),
        (without_digests, "a digest is no text"),
    ],
)
def test_what_is_no_readable_set_is_said(make_set, change, message):
    folder = make_set().folder
    change(folder)
    with pytest.raises(ControversyError, match=message):
        StimulusSet(folder)


@pytest.mark.parametrize(
    "name",
    [
        "metadata.csv",
        "classes.csv",
        "logits.safetensors",
        "latents.safetensors",
        "contact_sheet.png",
        "index.html",
    ],
)
def test_a_missing_file_is_named_on_opening(make_set, name):
    folder = make_set().folder
    (folder / name).unlink()
    with pytest.raises(ControversyError, match=f"{name} is missing. Restore it or make the set again"):
        StimulusSet(folder)


def test_a_damaged_or_missing_png_is_named(make_set):
    stimuli = make_set()
    path = stimuli.folder / stimuli.metadata["file_name"][3]
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(ControversyError, match=f"{path.name}.*Restore it or make the set again"):
        stimuli.image(3)
    path.unlink()
    with pytest.raises(ControversyError, match=path.name):
        stimuli.images([3])


def test_an_image_of_another_size_is_named(make_set):
    from PIL import Image

    stimuli = make_set()
    path = stimuli.folder / stimuli.metadata["file_name"][3]
    Image.new("RGB", (5, 9)).save(path)
    with pytest.raises(ControversyError, match=f"{path.name} is 5 x 9 pixels, but .* is 8 x 8"):
        stimuli.images()


@pytest.mark.parametrize("name", ["logits.safetensors", "latents.safetensors"])
@pytest.mark.parametrize("content", [b"", b"no safetensors", b"cut"])
def test_damaged_tensors_are_named(make_set, name, content):
    stimuli = make_set()
    path = stimuli.folder / name
    path.write_bytes(path.read_bytes()[:-10] if content == b"cut" else content)
    with pytest.raises(ControversyError, match=rf"cannot read .*{name}.*Restore it or make the set again"):
        stimuli.latents() if name.startswith("latents") else stimuli.logits("alpha")


@pytest.mark.parametrize("wrong", [lambda x: x[1:], lambda x: x[:, 1:], lambda x: x.astype(np.float64)])
def test_logits_of_another_shape_or_type_are_damage(make_set, wrong):
    stimuli = make_set()
    path = stimuli.folder / "logits.safetensors"
    save_file({name: np.ascontiguousarray(wrong(values)) for name, values in load_file(path).items()}, path)
    with pytest.raises(
        ControversyError, match=r"is damaged: the logits of alpha are .* not float32 \[12, 4\]"
    ):
        stimuli.logits("alpha")


def test_a_model_that_is_not_there_is_answered_with_the_command_that_adds_it(make_set):
    stimuli = make_set()
    with pytest.raises(
        ControversyError, match=rf"controversy evaluate set={stimuli.folder} models=\[gamma\]"
    ):
        stimuli.logits("gamma")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.rsplit("\n", 2)[0] + "\n", "has 11 rows, the manifest says 12"),
        (lambda text: text.replace("file_name", "file"), r"lacks the column\(s\) file_name"),
        (lambda text: text.replace(",150,", ",many,"), r"cannot read .*metadata\.csv"),
        (lambda text: text.replace("alpha,beta,0,", "alpha,beta,4,"), "a class_1 is none of the 4 classes"),
        (lambda text: "", r"cannot read .*metadata\.csv"),
    ],
)
def test_damaged_metadata_is_named(make_set, change, message):
    stimuli = make_set()
    path = stimuli.folder / "metadata.csv"
    path.write_text(change(path.read_text()))
    with pytest.raises(ControversyError, match=message):
        stimuli.metadata.head()


def test_a_column_of_an_unknown_type_is_damage(make_set):
    folder = make_set().folder
    change_manifest(folder, columns={"note": "number"})
    with pytest.raises(ControversyError, match=r"cannot read .*metadata\.csv"):
        StimulusSet(folder).metadata.head()


@pytest.mark.parametrize("name", ["/etc/passwd", "../../secret.png", "..\\\\secret.png"])
def test_a_stranger_s_set_cannot_lead_out_of_its_folder(make_set, name):
    stimuli = make_set()
    path = stimuli.folder / "metadata.csv"
    path.write_text(path.read_text().replace("images/0-1-seed0.png", name))
    with pytest.raises(ControversyError, match="outside itself"):
        stimuli.image(0)
    change_manifest(stimuli.folder, files=stimuli.manifest["files"] | {name: "0"})
    with pytest.raises(ControversyError, match="outside itself"):
        StimulusSet(stimuli.folder)
