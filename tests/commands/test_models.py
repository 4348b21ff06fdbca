"""``controversy models``: what is here, fetched, and sound."""

import os

import pytest
import torch
from torch import nn

from controversy.classifiers import CLASSIFIERS
from controversy.commands import main
from controversy.generators import GENERATORS


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("CONTROVERSY_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    monkeypatch.chdir(tmp_path)


def test_every_entry_is_listed_with_its_file_and_whether_it_is_there(capsys, tmp_path):
    main(["models"])
    shown = capsys.readouterr().out
    for registry in (CLASSIFIERS, GENERATORS):
        for entry in registry:
            assert entry.name in shown
            assert all(path.name in shown for path in entry.weights)
    assert str(tmp_path / "weights") in shown
    assert "timm:NAME" in shown


def test_a_files_size_and_digest_are_those_of_the_file(capsys, tmp_path):
    path = CLASSIFIERS["Salman2020Do_R18"].weights[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"abc")
    main(["models", "list", "Salman2020Do_R18", "Salman2020Do_R50"])
    lines = capsys.readouterr().out.splitlines()
    (there,) = [line for line in lines if "Salman2020Do_R18" in line]
    (absent,) = [line for line in lines if "Salman2020Do_R50" in line]
    # The SHA-256 of "abc" is an example of the standard (FIPS 180-2, B.1).
    assert all(word in there for word in ("yes", "3 bytes", "ba7816bf"))
    assert " no " in absent


def test_the_folder_of_weights_may_be_said_on_the_command_line(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "CONTROVERSY_WEIGHTS", "")
    main(["models", "names=[Salman2020Do_R18]", f"weights_dir={tmp_path / 'here'}"])
    assert str(tmp_path / "here" / "imagenet" / "Linf") in capsys.readouterr().out


def test_a_model_of_ones_own_is_listed_by_its_configuration(capsys, tmp_path):
    folder = tmp_path / "conf" / "classifier"
    folder.mkdir(parents=True)
    text = "_target_: controversy.classifiers.wrap_module\nweights: /nowhere/mine.pt\n"
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    main(["models", "list", "mine", "--config-dir", str(tmp_path / "conf")])
    shown = capsys.readouterr().out
    assert "configured" in shown
    assert "mine.pt" in shown


def refused(*words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["models", *words])
    return stopped.value.code, capsys.readouterr()


def test_fetching_offline_says_how_to_get_the_file_by_hand(capsys, tmp_path):
    code, shown = refused("fetch", "Salman2020Do_R18", "timm:resnet18", "offline=true", capsys=capsys)
    assert code == 2
    assert str(tmp_path / "weights" / "imagenet" / "Linf" / "Salman2020Do_R18.pt") in shown.err
    assert "drive.google.com" in shown.err
    assert "timm/resnet18.a1_in1k" in shown.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fetch"], "say which"),
        (["fetch", "Salman2020Do_R19"], "Salman2020Do_R18"),
        (["feth"], "list, fetch or check"),
    ],
)
def test_what_cannot_be_done_is_said(words, said, capsys):
    code, shown = refused(*words, capsys=capsys)
    assert code == 2
    assert said in shown.err


def test_what_is_there_is_not_fetched(capsys):
    main(["models", "fetch", "digits_vit", "offline=true"])
    assert "digits_vit: there already" in capsys.readouterr().out


def test_a_check_exits_with_1_where_weights_are_not_what_was_published(capsys):
    """The file fits and loads: only photographs tell that it was never trained."""
    pytest.importorskip("foolbox")
    from controversy.classifiers._robustbench_zoo import build

    torch.manual_seed(0)
    network = build("Salman2020Do_R18", "Linf").get_submodule("model")
    assert isinstance(network, nn.Module)
    path = CLASSIFIERS["Salman2020Do_R18"].weights[0]
    path.parent.mkdir(parents=True)
    torch.save({"state_dict": network.state_dict()}, path)
    code, shown = refused("check", "Salman2020Do_R18", "device=cpu", capsys=capsys)
    assert code == 1
    assert "of 20 photographs" in " ".join(shown.out.split())
