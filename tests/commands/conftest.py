import sys
from collections.abc import Callable

import pytest
from hydra.core.global_hydra import GlobalHydra

from controversy.commands import main

# A search that takes a second: what it finds does not matter to these tests.
QUICK = [
    "search.n_steps=6",
    "search.n_candidates=4",
    "search.n_attempts=1",
    "search.batch_size=16",
    "device=cpu",
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys) -> Callable[..., tuple[int, str, str]]:
    """Runs the console command in an empty folder: (exit status, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["controversy", *words])
        GlobalHydra.instance().clear()
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        out, err = capsys.readouterr()
        return status, out, err

    return run
