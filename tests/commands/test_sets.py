"""The verbs that work on stimulus sets, as the command line runs them, in a world of pixel classifiers."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from controversy.classifiers import Classifier, Preprocessing
from controversy.commands import _models, collect, evaluate, main, verify
from controversy.registry import unknown_name
from controversy.stimuli import SetWriter, StimulusSet

NAMES = ("alpha", "beta", "gamma")


class Row(nn.Module):
    """logit of class k = 20 times pixel k in one row of the image."""

    def __init__(self, row: int) -> None:
        super().__init__()
        self.row = row

    def forward(self, images):
        return 20 * images[:, 0, self.row, :3]


def classifier(name: str, config=None) -> Classifier:
    if name not in NAMES:
        raise unknown_name("classifier", name, list(NAMES))
    network = Row(NAMES.index(name))
    return Classifier(
        network,
        name=name,
        n_classes=3,
        class_set="three",
        preprocessing=Preprocessing(8),
        weights_sha256=name,
    )


@pytest.fixture(autouse=True)
def known_models(monkeypatch):
    for module in (verify, evaluate, collect, _models):
        monkeypatch.setattr(module, "resolve", classifier)
    monkeypatch.setattr(sys, "argv", sys.argv)  # which `main` sets for Hydra


@pytest.fixture
def make(tmp_path):
    def make(name: str, pair=("alpha", "beta"), seed: int = 0, models=None) -> StimulusSet:
        writer = SetWriter(tmp_path / name, {"seed": seed, "pair": pair})
        images = np.random.default_rng(seed).integers(0, 256, (6, 3, 8, 8), dtype=np.uint8)
        order = []
        for number, (class_1, class_2) in enumerate((a, b) for a in range(3) for b in range(3) if a != b):
            row = {
                "stimulus_id": f"{class_1}-{class_2}-seed{seed}",
                "model_1": pair[0],
                "model_2": pair[1],
                "class_1": class_1,
                "class_2": class_2,
                "seed": number,
                "n_steps": 1,
            }
            order.append(row["stimulus_id"])
            writer.add(order[-1], torch.from_numpy(images[number]), {}, row)
        classes = pd.DataFrame({"index": range(3), "wnid": "", "name": list("abc")})
        return writer.finish(order, {m: classifier(m) for m in models or pair}, classes, {})

    return make


def status(*words: str) -> int:
    """The exit status of the command line."""
    try:
        main(words)
    except SystemExit as end:
        return end.code
    return 0


def test_verify_of_a_whole_set_exits_0_and_says_what_was_checked(make, capsys):
    assert status("verify", f"set={make('set').folder}") == 0
    said = capsys.readouterr().out
    assert "6 stimuli, 12 files re-hashed" in said
    assert "logits recomputed from the images: alpha, beta" in said
    assert "no difference" in said


@pytest.mark.parametrize("name", ["images/0-1-seed0.png", "logits.safetensors"])
@pytest.mark.parametrize("words", [[], ["rescore=false"]])
def test_verify_exits_1_after_one_byte_is_changed(make, capsys, name, words):
    path = make("set").folder / name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert status("verify", f"set={path.parent.parent if '/' in name else path.parent}", *words) == 1
    assert name in capsys.readouterr().out


def test_verify_with_some_models_says_which_were_left_out(make, capsys):
    assert status("verify", f"set={make('set').folder}", "models=[beta]") == 0
    assert "logits not recomputed: alpha" in capsys.readouterr().out


def test_verify_without_rescoring_loads_no_model(make, monkeypatch, capsys):
    monkeypatch.setattr(verify, "resolve", lambda *_: pytest.fail("a model was loaded"))
    assert status("verify", f"set={make('set').folder}", "rescore=false") == 0
    assert "logits recomputed from the images: none" in capsys.readouterr().out


def test_verify_of_a_stranger_s_set_instantiates_nothing_of_it(make, capsys):
    """A model that is not known here is an error, whatever the set says about how to make it."""
    folder = make("set").folder
    path = folder / "manifest.json"
    text = path.read_text().replace('"alpha"', '"os.abort"')
    path.write_text(text)
    assert status("verify", f"set={folder}") == 2
    assert "there is no classifier called 'os.abort'" in capsys.readouterr().err


def test_verify_shows_many_differences_in_short(make, capsys):
    folder = make("set").folder
    for number in range(30):
        (folder / f"extra{number}").write_text("")
    assert status("verify", f"set={folder}", "rescore=false") == 1
    said = capsys.readouterr().out
    assert "30 differences" in said
    assert "and 10 more" in said


@pytest.mark.parametrize("verb", ["verify", "evaluate"])
def test_a_folder_that_is_no_set_exits_2(tmp_path, capsys, verb):
    words = ["models=[alpha]"] if verb == "evaluate" else []
    assert status(verb, f"set={tmp_path / 'nowhere'}", *words) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_evaluate_adds_what_is_new_and_says_what_was_there(make, capsys):
    folder = make("set").folder
    assert status("evaluate", f"set={folder}", "models=[alpha,gamma]") == 0
    said = capsys.readouterr().out
    assert "alpha: there already, with the same weights; skipped" in said
    assert "gamma: added" in said
    assert StimulusSet(folder).models == NAMES
    assert status("verify", f"set={folder}") == 0


@pytest.mark.parametrize(
    ("models", "message"),
    [("[]", "no models given"), ("[gama]", "Did you mean gamma"), ("[beta,gama]", "Did you mean gamma")],
)
def test_evaluate_refuses_before_any_work(make, capsys, models, message):
    folder = make("set").folder
    before = json.loads((folder / "manifest.json").read_text())
    assert status("evaluate", f"set={folder}", f"models={models}") == 2
    assert message in capsys.readouterr().err
    assert json.loads((folder / "manifest.json").read_text()) == before


def test_collect_names_the_command_for_missing_logits_which_then_suffices(make, tmp_path, capsys):
    make("sweep/one"), make("sweep/two", ("alpha", "gamma"), 1)
    words = ["collect", f"sets=['{tmp_path}/sweep/*']", f"out={tmp_path / 'all'}"]
    assert status(*words) == 2
    commands = [
        line.split() for line in capsys.readouterr().err.splitlines() if "controversy evaluate" in line
    ]
    assert len(commands) == 2
    for command in commands:
        assert status(*command[1:]) == 0
    assert status(*words) == 0
    assert "12 stimuli, logits of alpha, beta, gamma" in capsys.readouterr().out
    assert status("verify", f"set={tmp_path / 'all'}") == 0


def test_collect_can_compute_missing_logits(make, tmp_path, capsys):
    make("sweep/one"), make("sweep/two", ("alpha", "gamma"), 1)
    words = [f"sets=['{tmp_path}/sweep/*']", f"out={tmp_path / 'all'}", "evaluate_missing=true", "per_pair=3"]
    assert status("collect", *words) == 0
    said = capsys.readouterr().out
    assert "alpha | beta: 3 stimuli" in said
    assert "alpha | gamma: 3 stimuli" in said
    assert status("verify", f"set={tmp_path / 'all'}") == 0


def test_collect_counts_what_it_skips(make, tmp_path, capsys):
    make("sweep/one")
    words = ["collect", f"sets=['{tmp_path}/sweep/one','{tmp_path}/sweep/two']", f"out={tmp_path / 'all'}"]
    assert status(*words) == 2
    assert "missing=skip" in capsys.readouterr().err
    assert status(*words, "missing=skip") == 0
    assert "1 sets skipped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sets=[]"], "no sets given"),
        (["sets=[SET]", "missing=maybe"], "refuse or skip, got 'maybe'"),
        (["sets=[SET]", "per_pair=0"], "per_pair must be at least 1"),
        (["sets=[SET]", "per_pair=7"], r"alpha and beta (6)"),
        (["sets=[SET]", "success_only=true"], "no stimulus is a success"),
    ],
)
def test_collect_refuses_before_any_work(make, tmp_path, capsys, words, message):
    folder = make("set").folder
    given = [word.replace("SET", str(folder)) for word in words]
    assert status("collect", *given, f"out={tmp_path / 'all'}") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "all").exists()
