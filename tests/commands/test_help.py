"""Asking for help costs nothing: no verb imports torch, or anything as heavy, before its job starts."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from controversy import __version__
from controversy.commands import VERBS, configuration_folder, main

HEAVY = {
    "torch",
    "torchvision",
    "timm",
    "robustbench",
    "pytorch_pretrained_biggan",
    "pandas",
    "scipy",
    "matplotlib",
}

# Runs the command line in a fresh interpreter, then writes the names of the packages it imported to a file.
PROGRAM = """
import json, sys
from controversy.commands import main
report, *words = sys.argv[1:]
try:
    main(words)
finally:
    with open(report, "w") as stream:
        json.dump(sorted({name.partition(".")[0] for name in sys.modules}), stream)
"""


@pytest.fixture
def run(tmp_path):
    """Runs the command line in an empty folder: the finished process, what it imported, and what it wrote."""
    here, report = tmp_path / "here", tmp_path / "imported.json"
    here.mkdir()

    def run(*words):
        command = [sys.executable, "-c", PROGRAM, str(report), *words]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
        return done, set(json.loads(report.read_text())), list(here.iterdir())

    return run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_module_and_a_configuration(verb):
    assert find_spec(f"controversy.commands.{verb}") is not None
    assert (configuration_folder() / f"{verb}.yaml").is_file()


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"], ["--version"]], ids=" ".join)
def test_the_command_alone_imports_neither_hydra_nor_anything_heavy(words, run):
    done, imported, _ = run(*words)
    assert done.returncode == 0, done.stderr
    assert imported.isdisjoint(HEAVY | {"hydra", "omegaconf"})


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("flags", [["--help"], ["--cfg", "job"]], ids=" ".join)
def test_help_of_a_verb_imports_nothing_heavy_and_writes_nothing(verb, flags, run):
    done, imported, written = run(verb, *flags)
    assert done.returncode == 0, done.stderr
    assert done.stdout != ""
    assert imported.isdisjoint(HEAVY)
    assert written == []


def test_help_lists_every_verb_with_what_it_does(capsys):
    main(["--help"])
    shown = capsys.readouterr().out
    for verb, does in VERBS.items():
        assert f"  {verb} " in shown
        assert does in shown


def test_version(capsys):
    main(["--version"])
    assert capsys.readouterr().out.strip() == __version__


def test_a_mistyped_verb_is_refused_and_the_nearest_offered(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["sinthesise"])
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert "no verb 'sinthesise'; did you mean 'synthesize'?" in shown.err
    assert shown.out == ""


def test_a_verb_like_no_other_is_refused_without_a_guess(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["42"])
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert "no verb '42'" in shown.err
    assert "did you mean" not in shown.err


def test_a_mistyped_option_is_refused_before_anything_heavy_is_imported(run):
    done, imported, written = run("verify", "sett=somewhere")
    assert done.returncode != 0
    assert "sett" in done.stderr
    assert imported.isdisjoint(HEAVY)
    assert written == []
