"""`controversy synthesize` on the embedded digits world, with a search too short to find much."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from controversy.commands._progress import SynthesisProgress
from controversy.stimuli import StimulusSet

from .conftest import QUICK

SIX = ["n_stimuli=6", *QUICK]
SAME_BYTES = ["metadata.csv", "logits.safetensors", "latents.safetensors", "classes.csv", "contact_sheet.png"]


def contents(folder: Path) -> dict[str, bytes]:
    files = [folder / name for name in SAME_BYTES] + sorted((folder / "images").iterdir())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_the_same_command_gives_the_same_bytes_and_ends_with_the_contact_sheet(run, tmp_path):
    for name in ("one", "two"):
        status, out, err = run("synthesize", f"out={name}", *SIX)
        assert status == 0, err
        assert out.strip().splitlines()[-1] == f"contact sheet: {name}/contact_sheet.png"
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    _, _, _ = run("synthesize", "out=three", "seed=1", *SIX)
    assert contents(tmp_path / "one") != contents(tmp_path / "three")


def test_a_complete_set_is_left_alone_and_another_configuration_refused(run, tmp_path):
    run("synthesize", "out=set", *SIX)
    before = (tmp_path / "set" / "manifest.json").read_bytes()
    status, _, err = run("synthesize", "out=set", *SIX, "search.batch_size=32")
    assert status == 0
    assert "6 of 6 stimuli are there already" in err
    assert (tmp_path / "set" / "manifest.json").read_bytes() == before
    status, _, err = run("synthesize", "out=set", *SIX, "search.learning_rate=0.1")
    assert status == 2
    assert "learning_rate" in err
    assert "0.0125" in err
    assert "0.1" in err
    assert (tmp_path / "set" / "manifest.json").read_bytes() == before


def test_a_run_that_was_stopped_goes_on_and_ends_in_the_same_bytes(run, tmp_path, monkeypatch):
    run("synthesize", "out=whole", *SIX)
    add = SynthesisProgress.add
    seen = []

    def stop_after_two(self, stimulus):
        seen.append(stimulus)
        add(self, stimulus)
        if len(seen) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(SynthesisProgress, "add", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        run("synthesize", "out=stopped", *SIX)
    assert not (tmp_path / "stopped" / "manifest.json").exists()
    monkeypatch.setattr(SynthesisProgress, "add", add)
    status, _, err = run("synthesize", "out=stopped", *SIX)
    assert status == 0
    assert "2 of 6 stimuli are there already" in err
    assert contents(tmp_path / "whole") == contents(tmp_path / "stopped")


def test_a_set_verifies_until_one_byte_of_it_changes(run, tmp_path):
    run("synthesize", "out=set", *SIX)
    status, out, err = run("verify", "set=set")
    assert status == 0, out + err
    for name in ("images", "logits.safetensors"):
        path = tmp_path / "set" / name
        path = next(path.iterdir()) if path.is_dir() else path
        right = path.read_bytes()
        path.write_bytes(right[:-10] + bytes([right[-10] ^ 1]) + right[-9:])
        status, out, err = run("verify", "set=set")
        assert status == 1, name
        assert path.name in out + err
        path.write_bytes(right)
    assert run("verify", "set=set")[0] == 0


def test_a_sweep_names_folders_by_what_they_are_and_collect_joins_them(run, tmp_path):
    pairs = "pair=[digits_resnet,digits_convnext],[digits_convnext,digits_resnet]"
    status, _, _ = run("synthesize", "-m", pairs, "seed=0,1", "out=sweep", *SIX)
    assert status == 0
    names = sorted(path.name for path in (tmp_path / "sweep").glob("[!.]*"))
    assert len(names) == 4
    assert all("seed" in name and "-vs-" in name for name in names)
    again = run("synthesize", "-m", pairs, "seed=0,1", "out=sweep", *SIX)
    assert again[2].count("6 of 6 stimuli are there already") == 4
    sets = ",".join(f"sweep/{name}" for name in names)
    status, out, err = run("collect", f"sets=[{sets}]", "out=all")
    assert status == 0, out + err
    assert len(StimulusSet(tmp_path / "all")) == 24
    assert run("verify", "set=all")[0] == 0


def test_the_design_of_a_set_can_be_used_for_another_pair(run, tmp_path):
    run("synthesize", "out=old", *SIX)
    pair = "pair=[digits_convnext,digits_resnet]"
    status, _, err = run("synthesize", "out=new", pair, "design.like=old", "seed=9", *QUICK)
    assert status == 0, err
    columns = ["stimulus_id", "class_1", "class_2", "seed"]
    old, new = (StimulusSet(tmp_path / name).metadata for name in ("old", "new"))
    pd.testing.assert_frame_equal(old[columns], new[columns])
    assert set(new["model_1"]) == {"digits_convnext"}


def test_given_class_pairs_by_index_or_name(run, tmp_path):
    status, _, err = run("synthesize", "out=set", "design.class_pairs=[[3,8],[4,9],[3,8]]", *QUICK)
    assert status == 0, err
    rows = StimulusSet(tmp_path / "set").metadata
    assert rows[["class_1", "class_2"]].to_numpy().tolist() == [[3, 8], [4, 9], [3, 8]]
    assert rows["stimulus_id"].is_unique


def test_untargeted_sets_name_the_classes_that_the_models_chose(run, tmp_path):
    words = ["design.kind=untargeted", "objective=jensen_shannon", "n_stimuli=4", *QUICK]
    status, _, err = run("synthesize", "out=set", *words)
    assert status == 0, err
    made = StimulusSet(tmp_path / "set")
    assert (made.logits("digits_resnet").argmax(1) == made.metadata["class_1"]).mean() >= 0.75
    assert (made.metadata["class_1"] != made.metadata["class_2"]).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["pair=[digits_resnt,digits_vit]"],
            "no classifier called 'digits_resnt'. Did you mean digits_resnet",
        ),
        (["pair=[digits_vit,digits_vit]"], "cannot disagree with itself"),
        (["pair=[digits_vit]"], "has to be two names"),
        (["design.class_pairs=[[3,11]]"], "no class 11"),
        (["design.class_pairs=[[3,seven]]"], "no class 'seven'"),
        (["design.class_pairs=[[4,4]]"], "names one class twice"),
        (["search.batch_size=0"], "batch_size is 0"),
        (["generator.truncation=0"], "truncation is 0"),
        (["generator.truncation=1.2"], "truncation is 1.2"),
        (["n_stimuli=0"], "n_stimuli is 0"),
        (["device=cuda:7"], "device is 'cuda:7'"),
        (["device=tpu"], "device is 'tpu'"),
        (["success_threshold=2"], "success_threshold is 2"),
        (["design.like=nowhere"], "nowhere"),
    ],
)
def test_bad_input_ends_with_a_reason_before_any_work(run, tmp_path, words, said):
    status, _, err = run("synthesize", "out=set", *words)
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "set").exists()


def test_a_failing_job_of_a_sweep_neither_stops_nor_hides_the_others(run, tmp_path):
    pairs = "pair=[digits_resnet,digits_vit],[digits_resnet,nonsense],[digits_vit,digits_swin]"
    words = ["synthesize", "-m", pairs, "out=sweep", "hydra.sweeper.max_batch_size=1", *SIX]
    status, _, err = run(*words)
    assert status == 1
    assert "2 of 3 jobs complete" in err
    assert err.index("digits_resnet-vs-nonsense", err.index("not complete:")) > 0
    assert "failed: there is no classifier called 'nonsense'" in err
    assert len(list((tmp_path / "sweep").glob("*/manifest.json"))) == 2
    # It is on record: collecting says so, and says of what is gone altogether that it is missing.
    shutil.rmtree(next((tmp_path / "sweep").glob("digits_vit-vs-digits_swin*")))
    status, _, err = run("collect", 'sets=["sweep/*"]', "out=all")
    assert status == 2
    assert "nonsense" in err
    assert "digits_vit-vs-digits_swin" in err
    assert "missing, it has not begun" in err
    status, out, err = run("collect", 'sets=["sweep/*"]', "out=all", "missing=skip")
    assert status == 0, err
    assert "2 sets skipped" in out


@pytest.mark.parametrize(
    ("out", "folder"), [([], "outputs"), (["out=null"], "outputs"), (["out=sweep"], "sweep")]
)
def test_a_sweep_writes_into_its_own_folder_and_nowhere_else(run, tmp_path, out, folder):
    status, _, err = run("synthesize", "-m", "n_stimuli=0,-1", *out)
    assert status == 2  # no job could begin
    assert "0 of 2 jobs complete" in err
    assert [path.name for path in tmp_path.iterdir()] == [folder]
    assert {path.name for path in (tmp_path / folder / ".sweep").iterdir()} == {"jobs.json", "multirun.yaml"}


def test_jobs_side_by_side_on_one_machine_say_at_the_end_which_of_them_failed(run, tmp_path):
    pairs = "pair=[digits_resnet,digits_vit],[digits_resnet,nonsense]"
    status, _, err = run("synthesize", "-m", pairs, "out=sweep", "hydra/launcher=machine", *SIX)
    assert status == 1
    assert "1 of 2 jobs complete" in err
    assert "failed: there is no classifier called 'nonsense'" in err
    assert len(list((tmp_path / "sweep").glob("*/manifest.json"))) == 1


def test_participants_read_the_names_that_the_study_gives(run, tmp_path):
    design = ["design.class_pairs=[[3,5],[5,3]]", *QUICK]
    (tmp_path / "names.csv").write_text("class,name\n3,trois\n5,cinq\n")
    run("synthesize", "out=plain", *design)
    for out, names in (("given", "{3:trois,5:cinq}"), ("read", "names.csv")):
        status, _, err = run("synthesize", f"out={out}", f"class_names={names}", *design)
        assert status == 0, err
        table = StimulusSet(out).metadata
        assert table["class_1_name"].tolist() == ["trois", "cinq"]
        assert table["class_2_name"].tolist() == ["cinq", "trois"]
        assert StimulusSet(out).classes["name"].tolist()[2:6] == ["2", "trois", "4", "cinq"]
        # Names are for people: they change nothing of what is computed.
        names = ["class_1_name", "class_2_name"]
        plain = StimulusSet("plain").metadata
        pd.testing.assert_frame_equal(table.drop(columns=names), plain.drop(columns=names))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("{11:eleven}", "there is no class 11"),
        ("{3:4}", "would share a name"),
        ("[three]", "has to be like"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_names_that_cannot_be_given_are_refused_before_any_work(run, tmp_path, names, message):
    status, _, err = run("synthesize", "out=set", f"class_names={names}", *SIX)
    assert status == 2
    assert message in err
    assert not (tmp_path / "set").exists() or not list((tmp_path / "set").glob("images/*"))


def test_a_set_with_other_names_is_another_set(run):
    run("synthesize", "out=set", *SIX)
    status, _, err = run("synthesize", "out=set", "class_names={3:trois}", *SIX)
    assert status == 2
    assert "class_names" in err
    assert "trois" in err
