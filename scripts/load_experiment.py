"""Many people at once, and the server killed under them: is every acknowledged answer there, exactly once?

    python scripts/load_experiment.py --set outputs/six-pairs --database sqlite
    python scripts/load_experiment.py --set outputs/six-pairs --database postgresql
    python scripts/load_experiment.py --set outputs/six-pairs --pause 2     # people who think

Makes an experiment in a temporary folder, runs `controversy experiment serve` on this machine (127.0.0.1
only), and lets simulated participants answer all their trials. The server process is killed (SIGKILL) in the
middle and started again, twice by default; participants send what was not acknowledged once more. Then the
database is compared with what was acknowledged. PostgreSQL, if asked for, is a server of its own on a Unix
socket, with its default durability.
"""

import argparse
import http.client
import itertools
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from controversy.experiment import Store, read_experiment, sqlite_url

COMMAND = [sys.executable, "-c", "from controversy.commands import main; main()", "experiment"]
MOST_PARTICIPANTS, MOST_SECONDS = 1000, 900
RATE = "[1000000,1000000]"


class Server:
    """`controversy experiment serve` as a process that can be killed and started again."""

    def __init__(self, folder: Path, database: str | None, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        limits = [f"limits.{name}={RATE}" for name in ("per_session", "per_address", "joining")]
        options = [f"out={folder}", f"port={self.port}", f"database={json.dumps(database)}", *limits]
        record = json.loads((folder / "experiment.json").read_text())["options"]
        lists = [f"lists.{name}={'null' if value is None else value}" for name, value in record.items()]
        self._command, self._log = [*COMMAND, "serve", *options, *lists], log
        self.start()

    def start(self) -> None:
        """Starts it, and returns when it listens."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        while self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise SystemExit(f"the server did not start; see {self._log}:\n{self._log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Ends it at once: it gets no chance to write anything."""
        self.process.kill()
        self.process.wait()


class Load:
    """What the participants have been told so far, and how long it took."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, dict[str, str]] = {}
        self.latencies: list[float] = []
        self.after_retry: list[float] = []

    @property
    def n(self) -> int:
        """The number of acknowledged answers."""
        return len(self.latencies) + len(self.after_retry)


def take_part(server: Server, name: str, load: Load, pause: float) -> None:
    """One participant: joins, answers every trial until it is acknowledged, completes."""
    rng = random.Random(name)
    browser = Browser(server.port)
    told, _ = browser.persist("POST", "/api/sessions", {"participant": name})
    browser.session = told["session"]
    own = load.acknowledged.setdefault(told["session"], {})
    for trial in (trial for trial in told["trials"] if not trial["practice"]):
        if pause:
            time.sleep(rng.uniform(0.5, 1.5) * pause)
        answer = {
            "trial_id": trial["trial_id"],
            "response": rng.choice(["left", "right"]),
            "confidence": rng.randint(1, 4),
            "rt_ms": rng.uniform(300, 3000),
            "input": "key",
            "answered_at": "2026-01-01T12:00:00Z",
        }
        began = time.perf_counter()
        reply, retries = browser.persist("POST", "/api/trials", answer)
        (load.after_retry if retries else load.latencies).append(time.perf_counter() - began)
        assert reply["stored"]
        own[trial["trial_id"]] = answer["response"]
    browser.persist("POST", "/api/sessions/complete", {})


class Browser:
    """One connection to the server, kept open as a browser does."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.session = ""

    def persist(self, method: str, path: str, content: dict[str, Any]) -> tuple[Any, int]:
        """Sends until it is answered, as the page does: the answer, and how often it was sent again."""
        headers = {"authorization": f"Bearer {self.session}"} if self.session else {}
        for retries in itertools.count():
            try:
                self._connection.request(method, path, json.dumps(content), headers)
                reply = self._connection.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException):
                self._connection.close()
            else:
                if reply.status < 300:
                    return json.loads(text), retries
                if reply.status < 429:
                    raise SystemExit(f"{method} {path}: {reply.status} {text!r}")
            time.sleep(0.2)
        raise AssertionError


def run(
    server: Server, n_participants: int, n_kills: int, n_answers: int, pause: float
) -> tuple[Load, float]:
    """Lets everybody take part at once, each in a thread, and kills the server on the way."""
    load, began = Load(), time.perf_counter()
    with ThreadPoolExecutor(n_participants) as pool:
        people = [pool.submit(take_part, server, f"p{i}", load, pause) for i in range(n_participants)]
        for kill in range(n_kills):
            while load.n < (kill + 1) * n_answers / (n_kills + 1) and not any(p.done() for p in people):
                time.sleep(0.005)
            server.kill()
            print(f"killed after {load.n} acknowledged answers", flush=True)
            server.start()
        for person in people:
            person.result(MOST_SECONDS)
    return load, time.perf_counter() - began


def compare(folder: Path, url: str, load: Load) -> None:
    """Exits with a message where the database and what was acknowledged differ."""
    experiment = read_experiment(folder)
    n_lists = int(experiment.lists["list"].nunique())
    digest = experiment.record["lists"]
    store = Store(url, lists=digest, n_lists=n_lists, abandoned_after=timedelta(hours=1))
    stored = store.answers()
    sessions = {store.session(token).id: own for token, own in load.acknowledged.items()}  # type: ignore[union-attr]
    complete = sum(session["completed_at"] is not None for session in store.sessions())
    store.dispose()
    times = Counter((row["session"], row["trial_id"]) for row in stored)
    responses = {(row["session"], row["trial_id"]): row["response"] for row in stored}
    expected = {(s, trial): side for s, own in sessions.items() for trial, side in own.items()}
    lost = [place for place in expected if times[place] != 1]
    wrong = [place for place in expected if responses.get(place) != expected[place]]
    if lost or wrong or len(stored) != len(expected) or complete != len(sessions):
        raise SystemExit(
            f"{len(lost)} acknowledged answers are not there once, {len(wrong)} differ, {len(stored)} rows "
            f"for {len(expected)} answers, {complete} of {len(sessions)} sessions complete"
        )
    print(f"{len(stored)} answers of {len(sessions)} participants: each acknowledged one is there once")


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A PostgreSQL server that only this script can reach; it refuses to run as root."""
    initdb, postgres = shutil.which("initdb"), shutil.which("postgres")
    if initdb is None or postgres is None:
        raise SystemExit("--database postgresql needs initdb and postgres on the path")
    place = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        as_user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    data = str(place / "data")
    words = [initdb, "-D", data, "-U", "study", "-A", "trust", "--no-instructions"]
    subprocess.run(words, cwd=place, check=True, capture_output=True, **as_user)
    with (folder / "postgres.log").open("wb") as log:
        command = [postgres, "-D", data, "-k", str(place), "-c", "listen_addresses="]
        server = subprocess.Popen(command, cwd=place, stdout=log, stderr=log, **as_user)
    try:
        while not (place / ".s.PGSQL.5432").exists():
            time.sleep(0.05)
        time.sleep(1)
        yield f"postgresql+psycopg://study@/postgres?host={place}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
        shutil.rmtree(place)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=Path, required=True, help="a stimulus set")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--participants", type=int, default=200)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument(
        "--pause", type=float, default=0, help="mean seconds between two trials of a participant"
    )
    given = parser.parse_args()
    if not 1 <= given.participants <= MOST_PARTICIPANTS:
        raise SystemExit(f"1 to {MOST_PARTICIPANTS} participants, not {given.participants}")
    with tempfile.TemporaryDirectory(prefix="load") as temporary:
        folder, log = Path(temporary) / "experiment", Path(temporary) / "server.log"
        options = {"n_lists": given.participants, "n_trials": given.trials, "per_stimulus": 1}
        lists = [
            f"lists.{name}={value}" for name, value in {**options, "n_catch": 0, "n_practice": 0}.items()
        ]
        made = [*COMMAND, "lists", f"set={given.set}", f"out={folder}", *lists]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        with postgresql(Path(temporary)) if given.database == "postgresql" else _sqlite(folder) as url:
            server = Server(folder, url, log)
            try:
                n_answers = given.participants * given.trials
                load, seconds = run(server, given.participants, given.kills, n_answers, given.pause)
            finally:
                server.kill()
            compare(folder, url, load)
    report(given, load, seconds)


@contextmanager
def _sqlite(folder: Path) -> Iterator[str]:
    yield sqlite_url(folder / "answers.sqlite")


def report(given: argparse.Namespace, load: Load, seconds: float) -> None:
    """Prints what came of it; answers that were sent again have times of their own."""
    half, most, worst = np.percentile(np.array(load.latencies) * 1000, [50, 99, 100])
    print(
        f"{given.database}: {given.participants} participants x {given.trials} trials, {given.kills} kills, "
        f"pause {given.pause:g} s: {seconds:.1f} s, {load.n / seconds:.0f} answers a second; "
        f"latency median {half:.0f} ms, 99th percentile {most:.0f} ms, longest {worst:.0f} ms"
    )
    if load.after_retry:
        print(
            f"{len(load.after_retry)} answers were sent again, the longest for {max(load.after_retry):.1f} s"
        )


if __name__ == "__main__":
    main()
