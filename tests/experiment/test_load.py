"""Many people at once, and the server killed under them (scripts/load_experiment.py takes two hundred)."""

import http.client
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from controversy.experiment import Store, sqlite_url

PEOPLE, TRIALS = 20, 20


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    return None if request.param == "sqlite" else request.getfixturevalue("postgres_url")


def take_part(port: int, name: str, answer_to, acknowledged: dict, counted: threading.Semaphore) -> None:
    """Sends every answer until it is acknowledged, as the page does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers: dict[str, str] = {}

    def persist(path: str, content: dict) -> dict:
        while True:
            try:
                connection.request("POST", path, json.dumps(content), headers)
                reply = connection.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                time.sleep(0.1)
            else:
                assert reply.status == 200, text
                return json.loads(text)

    told = persist("/api/sessions", {"participant": name})
    headers["authorization"] = f"Bearer {told['session']}"
    for i, trial in enumerate(told["trials"]):
        side = ("left", "right")[(i + len(name)) % 2]
        assert persist("/api/trials", answer_to(trial, response=side))["stored"]
        acknowledged[(told["session"], trial["trial_id"])] = side
        counted.release()
    persist("/api/sessions/complete", {})
    connection.close()


def test_every_acknowledged_answer_is_there_once_though_the_server_was_killed(
    start_server, make_experiment, answer_to, database
):
    experiment = make_experiment(n_lists=PEOPLE, n_trials=TRIALS)
    server = start_server(experiment, database)
    port = int(server.url.rpartition(":")[2])
    acknowledged: dict[tuple[str, str], str] = {}
    counted = threading.Semaphore(0)
    with ThreadPoolExecutor(PEOPLE) as pool:
        names = [f"participant {i}" for i in range(PEOPLE)]
        people = [pool.submit(take_part, port, name, answer_to, acknowledged, counted) for name in names]
        for _ in range(PEOPLE * TRIALS // 2):
            assert counted.acquire(timeout=60)
        server.kill()
        again = start_server(experiment, database, port)
        for person in people:
            person.result(120)
    again.kill()
    digest = experiment.record["lists"]
    url = database or sqlite_url(experiment.folder / "answers.sqlite")
    store = Store(url, lists=digest, n_lists=PEOPLE, abandoned_after=timedelta(hours=1))
    sessions = {store.session(token).id: token for token, _ in acknowledged}
    answers, kept = store.answers(), store.sessions()
    store.dispose()
    assert len(acknowledged) == PEOPLE * TRIALS
    assert Counter((sessions[a["session"]], a["trial_id"]) for a in answers) == Counter(acknowledged.keys())
    assert {(sessions[a["session"]], a["trial_id"]): a["response"] for a in answers} == acknowledged
    assert sorted(session["list"] for session in kept) == list(range(PEOPLE))
    assert all(session["completed_at"] for session in kept)
