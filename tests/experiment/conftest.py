"""Small experiments that need no model, databases, and servers that really run."""

import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.numpy import save_file

from controversy.experiment import (
    Experiment,
    ListOptions,
    PageFiles,
    make_lists,
    read_experiment,
    write_experiment,
)
from controversy.images import write_png
from controversy.stimuli import StimulusSet

MODELS = ("digits_resnet", "digits_vit", "digits_convnext", "digits_swin")


def metadata(n_classes: int = 4, per_cell: int = 1, models: tuple[str, ...] = MODELS) -> pd.DataFrame:
    """Every ordered class pair for every pair of models, as `controversy collect` leaves them."""
    rows = [
        {
            "file_name": f"images/{a}-{b}-{c}-{d}-{i}.png",
            "stimulus_id": f"{a}-{b}-{c}-{d}-{i}",
            "model_1": a,
            "model_2": b,
            "class_1": c,
            "class_2": d,
            "class_1_name": f"name {c}",
            "class_2_name": f"name {d}",
        }
        for a, b in combinations(models, 2)
        for c, d in permutations(range(n_classes), 2)
        for i in range(per_cell)
    ]
    return pd.DataFrame(rows)


def clear_table(n: int = 12, n_classes: int = 4) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "stimulus_id": [f"clear-{i % n_classes}-{i:03d}" for i in range(n)],
            "file_name": [f"images/clear-{i % n_classes}-{i:03d}.png" for i in range(n)],
            "class": [i % n_classes for i in range(n)],
            "class_name": [f"name {i % n_classes}" for i in range(n)],
        }
    )


@pytest.fixture(scope="session")
def stimulus_table() -> Callable[..., pd.DataFrame]:
    """Makes the metadata of a set of n classes with so many stimuli for each cell of the design."""
    return metadata


@pytest.fixture(scope="session")
def clear_images() -> pd.DataFrame:
    """A table of twelve clear images of four classes."""
    return clear_table()


@pytest.fixture(scope="session")
def bare_set(tmp_path_factory) -> StimulusSet:
    """A stimulus set of noise, with logits drawn at random: no generator and no classifier."""
    folder, table = tmp_path_factory.mktemp("stimuli") / "set", metadata()
    (folder / "images").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name in table["file_name"]:
        write_png(folder / name, torch.from_numpy(rng.integers(0, 256, (3, 8, 8), dtype=np.uint8)))
    probabilities = {"p1_class_1": 0.95, "p1_class_2": 0.05, "p2_class_1": 0.05, "p2_class_2": 0.95}
    rest = {
        "seed": 0,
        "n_steps": 0,
        "controversiality": 0.95,
        **probabilities,
        "success": True,
        "sha256": "0",
    }
    table.assign(**rest).to_csv(folder / "metadata.csv", index=False)
    names = pd.DataFrame({"index": range(4), "wnid": "", "name": [f"name {i}" for i in range(4)]})
    names.to_csv(folder / "classes.csv", index=False)
    logits = {model: rng.normal(size=(len(table), 4)).astype(np.float32) for model in MODELS}
    save_file(logits, folder / "logits.safetensors")
    files = ["metadata.csv", "classes.csv", "logits.safetensors", *table["file_name"]]
    manifest = {
        "kind": "stimulus set",
        "format_version": 1,
        "n_stimuli": len(table),
        "configuration": {},
        "models": {model: {} for model in MODELS},
        "success_threshold": 0.75,
        "columns": {},
        "image_size": [8, 8],
        "files": dict.fromkeys(files, "0"),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return StimulusSet(folder)


def build_experiment(folder: Path, stimuli: StimulusSet, **options: int) -> Experiment:
    asked = ListOptions(**{"n_lists": 6, "per_stimulus": 2, **options})
    clear = clear_table() if asked.n_clear else None
    if clear is not None:
        (folder / "clear" / "images").mkdir(parents=True)
        for file in clear["file_name"]:
            write_png(folder / "clear" / file, torch.full((3, 8, 8), 200, dtype=torch.uint8))
    write_experiment(folder, stimuli, make_lists(stimuli.metadata, asked, clear), asked)
    return read_experiment(folder)


@pytest.fixture
def make_experiment(bare_set, tmp_path) -> Callable[..., Experiment]:
    """Makes an experiment on the bare set in an empty folder."""

    def make(name: str = "experiment", **options: int) -> Experiment:
        return build_experiment(tmp_path / name, bare_set, **options)

    return make


@pytest.fixture(scope="module")
def short_experiment(bare_set, tmp_path_factory) -> Experiment:
    """Lists that somebody is through with in a few seconds: one practice trial and six more."""
    options = {"n_lists": 18, "per_stimulus": 1, "n_repeats": 1, "min_lag": 2, "n_catch": 1, "n_practice": 1}
    return build_experiment(tmp_path_factory.mktemp("short") / "experiment", bare_set, **options)


@pytest.fixture(scope="session")
def page(tmp_path_factory) -> PageFiles:
    """A page that does nothing: what the server is asked for, not what a browser does with it."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "index.html").write_text('<meta name="controversy-mode" content="server">')
    for name in ("app.js", "app.css"):
        (folder / name).write_text("")
    return PageFiles(folder / "index.html", {name: folder / name for name in ("app.js", "app.css")})


@pytest.fixture(scope="session")
def postgres(tmp_path_factory) -> Iterator[str]:
    """A PostgreSQL server of its own on a Unix socket; skips where there is no PostgreSQL."""
    found = {name: shutil.which(name) for name in ("initdb", "postgres")}
    if None in found.values():
        pytest.skip("needs PostgreSQL: initdb and postgres on the path")
    # It refuses to run as root, and its socket's path has to be short.
    root = os.geteuid() == 0
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    user = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.geteuid())
    os.chown(folder, user.pw_uid, user.pw_gid)
    as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if root else {}
    options = {"cwd": folder, "env": {**os.environ, "HOME": str(folder)}, "check": True, **as_user}
    data = folder / "data"
    initialise = [found["initdb"], "-D", data, "-U", "study", "-A", "trust", "-N", "--no-instructions"]
    subprocess.run(initialise, capture_output=True, **options)
    options.pop("check")
    command = [found["postgres"], "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, **options)
    try:
        wait_until(lambda: (folder / ".s.PGSQL.5432").exists())
        yield f"postgresql+psycopg://study@/{{name}}?host={folder}"
    finally:
        # A fast shutdown, which does not wait for clients.
        server.send_signal(signal.SIGINT)
        server.wait(30)
        shutil.rmtree(folder)


@pytest.fixture
def postgres_url(postgres) -> str:
    """An empty database on that server."""
    import sqlalchemy as sa

    name = f"study_{secrets.token_hex(4)}"
    url = postgres.format(name="postgres")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    wait_until(lambda: _answers(engine))
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    return postgres.format(name=name)


def _answers(engine) -> bool:
    import sqlalchemy as sa

    try:
        with engine.connect():
            return True
    except sa.exc.OperationalError:
        return False


def wait_until(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.02)


# A real server process; the options are those of `controversy experiment`, the page is the test's own.
PROGRAM = """
import json, logging, sys
from datetime import timedelta
from pathlib import Path
from controversy.experiment import PageFiles, PageSettings, Store, read_experiment, sqlite_url, study
from controversy.experiment.server import Rate, ServerOptions, make_app, serve

told = json.loads(sys.argv[1])
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
folder, page = Path(told["folder"]), Path(told["page"])
experiment, settings = read_experiment(folder), PageSettings(**told["settings"])
store = Store(
    told["database"] or sqlite_url(folder / "answers.sqlite"),
    lists=experiment.record["lists"],
    n_lists=experiment.lists["list"].nunique(),
    abandoned_after=timedelta(hours=2),
)
options = ServerOptions(
    study=study(settings, {}, experiment.image_size),
    n_levels=settings.n_levels,
    completion_url="https://example.org/done",
    completion_code="C0DE",
    **{name: Rate(*rate) for name, rate in told["limits"].items()},
)
assets = {name: page / name for name in ("app.js", "app.css")}
serve(make_app(experiment, store, PageFiles(page / "index.html", assets), options), port=told["port"])
"""
OPEN = {"per_session": [1e6, 10**6], "per_address": [1e6, 10**6], "joining": [1e6, 10**6]}


@dataclass
class Running:
    """A server process, and the way to it."""

    experiment: Experiment
    process: subprocess.Popen
    url: str
    log: Path

    def client(self, session: str | None = None) -> httpx.Client:
        headers = {} if session is None else {"authorization": f"Bearer {session}".encode()}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


@pytest.fixture(scope="module")
def start_server(bare_set, page, tmp_path_factory) -> Iterator[Callable[..., Running]]:
    """Starts a server on a free port of this machine; with the same experiment and port, again."""
    started: list[Running] = []

    def start(
        experiment: Experiment | None = None,
        database: str | None = None,
        port: int | None = None,
        settings: dict | None = None,
        page: PageFiles = page,
        **limits,
    ) -> Running:
        folder = tmp_path_factory.mktemp("server")
        if experiment is None:
            options = {"n_catch": 2, "n_practice": 1, "n_repeats": 2, "min_lag": 3}
            experiment = build_experiment(folder / "experiment", bare_set, **options)
        if port is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
        told = {
            "folder": str(experiment.folder),
            "page": str(page.index.parent),
            "database": database,
            "port": port,
            "settings": settings or {"title": "<b>Test</b>"},
            "limits": {**OPEN, **limits},
        }
        log = folder / "log"
        with log.open("wb") as stream:
            process = subprocess.Popen([sys.executable, "-c", PROGRAM, json.dumps(told)], stderr=stream)
        running = Running(experiment, process, f"http://127.0.0.1:{port}", log)
        started.append(running)
        wait_until(lambda: process.poll() is not None or _listening(port), 60)
        assert process.poll() is None, log.read_text()
        return running

    yield start
    for running in started:
        running.kill()


def _listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def answer_to() -> Callable[..., dict]:
    """What a page sends for a trial."""

    def answer(trial: dict, **changes) -> dict:
        sent = {
            "trial_id": trial["trial_id"],
            "response": "left",
            "confidence": 2,
            "rt_ms": 850.25,
            "onset_ms": 1200.5,
            "shown_ms": 1000.0,
            "input": "key",
            "answered_at": "2026-01-01T12:00:00.000Z",
        }
        return sent | changes

    return answer
