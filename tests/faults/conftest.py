"""The console command as a process of its own, which can be killed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = "from controversy.commands import main; main()"
# A few seconds of work; what it finds does not matter.
SYNTHESIZE = [
    "synthesize",
    "pair=[digits_resnet,digits_convnext]",
    "n_stimuli=6",
    "search.n_steps=40",
    "search.n_candidates=8",
    "search.n_attempts=3",
    "search.batch_size=16",
    "search.check_every=2",
    "device=cpu",
    "threads=1",
    "snapshot_every=0",
]
SAME_BYTES = ["metadata.csv", "logits.safetensors", "latents.safetensors", "classes.csv", "contact_sheet.png"]


def begin(*words: str, **options) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def contents(folder: Path) -> dict[str, bytes]:
    files = [folder / name for name in SAME_BYTES] + sorted((folder / "images").rglob("*.png"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture
def command() -> Callable[..., tuple[int, str]]:
    """Runs the console command: (exit status, what it said)."""

    def run(*words: str, **options) -> tuple[int, str]:
        process = begin(*words, **options)
        out, err = process.communicate(timeout=300)
        return process.returncode, out + err

    return run


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory) -> dict[str, bytes]:
    """The bytes of a set that was made in one go."""
    folder = tmp_path_factory.mktemp("uninterrupted") / "set"
    process = begin(*SYNTHESIZE, f"out={folder}")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return contents(folder)
