"""`verify` finds every change of a set, also one whose maker forged the digests."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file, save_file

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.stimuli import StimulusSet, verify


def forge(folder: Path, *names: str) -> StimulusSet:
    """Makes the manifest agree with changed files, as someone would who wants to hide the change."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"] |= {name: sha256(folder / name) for name in names}
    write_sealed(path, manifest)
    return StimulusSet(folder)


def write_sealed(path: Path, manifest: dict[str, object]) -> None:
    """The manifest with the digest that docs/stimulus-set.md describes."""
    rest = {key: value for key, value in manifest.items() if key != "manifest_sha256"}
    plain = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
    path.write_text(json.dumps(rest | {"manifest_sha256": hashlib.sha256(plain).hexdigest()}))


def change_logits(folder: Path, change) -> None:
    path = folder / "logits.safetensors"
    logits = {name: values.copy() for name, values in load_file(path).items()}
    change(logits)
    save_file(logits, path)


def set_all(logits) -> None:
    logits["alpha"][:] = 0


def nudge(logits) -> None:
    logits["alpha"][4, 2] += 0.1


def not_a_number(logits) -> None:
    logits["alpha"][4, 2] = np.nan


def swap_rows(logits) -> None:
    logits["alpha"][[0, 1]] = logits["alpha"][[1, 0]]


def test_a_set_as_it_was_made_has_no_difference(make_set, classifiers):
    assert verify(make_set(), classifiers) == []
    assert verify(make_set("again"), {}) == []


@pytest.mark.parametrize("where", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize(
    "name",
    [
        "images/0-1-seed0.png",
        "images/3-2-seed0.png",
        "logits.safetensors",
        "latents.safetensors",
        "metadata.csv",
        "classes.csv",
        "contact_sheet.png",
        "index.html",
    ],
)
def test_one_changed_byte_anywhere_is_found(make_set, classifiers, name, where):
    folder = make_set().folder
    content = bytearray((folder / name).read_bytes())
    content[round(where * (len(content) - 1))] ^= 1
    (folder / name).write_bytes(content)
    differences = verify(StimulusSet(folder), classifiers)
    assert any(d.where == name and "has changed: sha256 recorded" in d.problem for d in differences)


def test_missing_and_surplus_files_are_found(make_set, classifiers):
    stimuli = make_set()
    (stimuli.folder / "images/0-1-seed0.png").unlink()
    (stimuli.folder / "images/extra.png").write_bytes(b"")
    found = {(d.where, d.problem) for d in verify(stimuli, classifiers)}
    assert found == {("images/0-1-seed0.png", "is missing"), ("images/extra.png", "is not in the manifest")}


def test_an_image_that_was_replaced_with_its_digests_is_found_by_its_logits(make_set, classifiers):
    stimuli = make_set()
    path = stimuli.folder / "images/0-1-seed0.png"
    old = sha256(path)
    Image.new("RGB", (8, 8), "black").save(path)
    table = stimuli.folder / "metadata.csv"
    table.write_text(table.read_text().replace(old, sha256(path)))
    differences = verify(forge(stimuli.folder, "images/0-1-seed0.png", "metadata.csv"), classifiers)
    assert {d.where for d in differences} == {"images/0-1-seed0.png"}
    assert any("logits of alpha differ by up to" in d.problem for d in differences)


@pytest.mark.parametrize("change", [set_all, nudge, not_a_number, swap_rows])
def test_logits_that_were_changed_with_their_digest_are_found_by_the_images(make_set, classifiers, change):
    folder = make_set().folder
    change_logits(folder, change)
    differences = verify(forge(folder, "logits.safetensors"), classifiers)
    assert any("logits of alpha differ" in d.problem for d in differences)
    assert not any("logits of beta" in d.problem for d in differences)


def test_results_that_were_improved_with_their_digest_are_found_without_any_model(make_set):
    stimuli = make_set()
    path = stimuli.folder / "metadata.csv"
    lines = path.read_text().splitlines()
    assert ",False," in lines[3]
    lines[3] = lines[3].replace(",False,", ",True,")
    path.write_text("\n".join(lines) + "\n")
    differences = verify(forge(stimuli.folder, "metadata.csv"), {})
    assert [(d.where, d.problem) for d in differences] == [
        (stimuli.metadata["file_name"][2], "success is 1, the stored logits give 0")
    ]


def test_rows_in_another_order_are_found(make_set, classifiers):
    folder = make_set().folder
    path = folder / "metadata.csv"
    header, first, second, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, second, first, *rest]) + "\n")
    differences = verify(forge(folder, "metadata.csv"), {})
    assert {d.where for d in differences} == {"images/0-1-seed0.png", "images/0-2-seed0.png"}


def test_a_stimulus_listed_twice_is_found(make_set):
    folder = make_set().folder
    path = folder / "metadata.csv"
    header, first, _, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, first, first, *rest]) + "\n")
    differences = verify(forge(folder, "metadata.csv"), {})
    assert any("0-1-seed0 is there twice" in d.problem for d in differences)


def test_a_class_that_there_is_not_is_found(make_set, classifiers):
    folder = make_set().folder
    path = folder / "metadata.csv"
    path.write_text(path.read_text().replace("alpha,beta,0,", "alpha,beta,4,"))
    differences = verify(forge(folder, "metadata.csv"), classifiers)
    assert any("a class_1 is none of the 4 classes" in d.problem for d in differences)


def test_logits_of_a_model_that_the_manifest_does_not_know_are_found(make_set):
    folder = make_set().folder
    change_logits(folder, lambda logits: logits.update(epsilon=logits["alpha"]))
    differences = verify(forge(folder, "logits.safetensors"), {})
    assert [d.problem for d in differences] == ["holds alpha, beta, epsilon, the manifest says alpha, beta"]


def test_other_weights_are_found_even_where_they_agree(make_set, classifier):
    """A model that gives the same logits today is still not the recorded one."""
    model = classifier("alpha")
    model.weights_sha256 = "f" * 64
    differences = verify(make_set(), {"alpha": model})
    assert [d.where for d in differences] == ["alpha"]
    assert "weights_sha256" in differences[0].problem


@pytest.mark.parametrize(("factor", "differs"), [(1 + 1e-6, False), (1.01, True)])
def test_rounding_is_no_difference_but_another_function_is(make_set, classifiers, factor, differs):
    classifiers["alpha"].network.gain.mul_(factor)
    assert bool(verify(make_set(), classifiers)) is differs


def test_the_tolerance_is_the_caller_s(make_set, classifiers):
    classifiers["alpha"].network.gain.mul_(1 + 1e-5)
    stimuli = make_set()
    assert verify(stimuli, classifiers, tolerance=1e-4) == []
    assert verify(stimuli, classifiers, tolerance=1e-7)


def test_models_come_from_the_caller_and_never_from_the_set(make_set, classifiers):
    """A set that asks for code to be run is only data."""
    folder = make_set().folder
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["models"]["alpha"] |= {"_target_": "os.abort"}
    write_sealed(path, manifest)
    differences = verify(StimulusSet(folder), classifiers)
    assert [d.problem for d in differences] == [
        'the model here is not the recorded one: _target_: "os.abort" -> (absent)'
    ]


def test_a_model_that_the_set_has_no_logits_of_cannot_be_verified(make_set, classifier):
    with pytest.raises(ControversyError, match="no logits of gamma: nothing to verify"):
        verify(make_set(), {"gamma": classifier("gamma")})


def test_differences_read_as_sentences(make_set):
    stimuli = make_set()
    (stimuli.folder / "images/0-1-seed0.png").unlink()
    assert [str(d) for d in verify(stimuli, {})] == ["images/0-1-seed0.png: is missing"]


def test_a_manifest_that_was_changed_is_noticed_and_an_old_one_without_a_digest_is_not(make_set):
    path = make_set().folder / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest))  # laid out anew, it says the same
    assert verify(StimulusSet(path.parent), {}) == []
    changed = manifest | {"configuration": {"pair": ["alpha", "beta"], "seed": 1}}
    path.write_text(json.dumps(changed))
    assert [difference.where for difference in verify(StimulusSet(path.parent), {})] == ["manifest.json"]
    del changed["manifest_sha256"]
    path.write_text(json.dumps(changed))
    assert verify(StimulusSet(path.parent), {}) == []
