"""What is kept, and what two people or two processes at once can do to it."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from controversy.errors import ControversyError
from controversy.experiment import NoListFreeError, Store, StudyClosedError, sqlite_url
from controversy.experiment._store import Answer

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOURS = timedelta(hours=1)


def answer(session: int, trial: str = "t1", position: int = 1, **changes) -> Answer:
    values = {
        "session": session,
        "trial_id": trial,
        "position": position,
        "response": "left",
        "confidence": 2,
        "rt_ms": 812.5,
        "onset_ms": None,
        "shown_ms": 1000.0,
        "input": "key",
        "answered_at": "2026-01-01T12:00:00Z",
    }
    return Answer(**(values | changes))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "answers.sqlite")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def open_store(url):
    opened = []

    def open_(n_lists: int = 3, lists: str = "digest") -> Store:
        opened.append(Store(url, lists=lists, n_lists=n_lists, abandoned_after=2 * HOURS))
        return opened[-1]

    yield open_
    for store in opened:
        store.dispose()


def test_the_file_of_answers_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "answers.sqlite"
    Store(sqlite_url(path), lists="x", n_lists=1, abandoned_after=HOURS).dispose()
    assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir()} == {0}


def test_a_participant_who_returns_continues_the_same_list(open_store):
    store = open_store()
    first = store.join("ann", "token-a", START)
    assert store.join("ann", "token-a", START + HOURS) == first
    assert store.session("token-a") == first
    assert store.session("token-b") is None


def test_everybody_gets_a_list_of_their_own_until_none_is_left(open_store):
    store = open_store()
    assert {store.join(name, name, START).list for name in "abc"} == {0, 1, 2}
    with pytest.raises(NoListFreeError):
        store.join("d", "d", START)


def test_a_hundred_people_at_once_in_two_processes_never_share_a_list(open_store):
    stores = [open_store(n_lists=100), open_store(n_lists=100)]
    with ThreadPoolExecutor(16) as pool:
        given = list(pool.map(lambda i: stores[i % 2].join(f"p{i}", f"t{i}", START).list, range(100)))
    assert sorted(given) == list(range(100))


def test_one_participant_who_comes_many_times_at_once_has_one_session(open_store):
    stores = [open_store(), open_store()]
    with ThreadPoolExecutor(8) as pool:
        sessions = set(pool.map(lambda i: stores[i % 2].join("ann", "token", START), range(16)))
    assert len(sessions) == 1


def test_an_abandoned_list_returns_and_a_finished_one_does_not(open_store):
    store = open_store(n_lists=2)
    gone, done = store.join("gone", "g", START), store.join("done", "d", START)
    store.complete(done.id, START)
    with pytest.raises(NoListFreeError):
        store.join("new", "n", START + 1.9 * HOURS)
    assert store.join("new", "n", START + 2.1 * HOURS).list == gone.list
    with pytest.raises(NoListFreeError):
        store.join("late", "l", START + 2.1 * HOURS)


def test_who_answers_has_not_abandoned_the_list(open_store):
    store = open_store(n_lists=1)
    session = store.join("slow", "s", START)
    store.record([answer(session.id)], START + 1.5 * HOURS)
    with pytest.raises(NoListFreeError):
        store.join("new", "n", START + 3 * HOURS)


def test_the_first_answer_to_a_trial_stays(open_store):
    store = open_store()
    session = store.join("ann", "a", START)
    assert store.record([answer(session.id)], START) == [True]
    assert store.record([answer(session.id, response="right"), answer(session.id, "t2", 2)], START) == [
        False,
        True,
    ]
    kept = store.answers()
    assert [(row["trial_id"], row["response"]) for row in kept] == [("t1", "left"), ("t2", "left")]
    assert store.answered(session.id) == ["t1", "t2"]


def test_the_same_answer_twice_in_one_transaction_is_stored_once(open_store):
    store = open_store()
    session = store.join("ann", "a", START)
    assert store.record([answer(session.id), answer(session.id)], START) == [True, False]


def test_a_closed_study_takes_nobody_new_but_lets_others_finish(open_store):
    store = open_store()
    session = store.join("ann", "a", START)
    store.close(True)
    assert store.closed
    assert store.join("ann", "a", START) == session
    with pytest.raises(StudyClosedError):
        store.join("bob", "b", START)
    store.close(False)
    assert store.join("bob", "b", START).list != session.list


def test_everything_is_there_after_the_store_is_opened_again(open_store):
    store = open_store()
    session = store.join("ann", "a", START)
    store.record([answer(session.id, rt_ms=1234.56789)], START)
    store.set_environment(session.id, {"screen": {"width": 1280}}, START)
    store.complete(session.id, START + HOURS)
    store.dispose()
    (kept,) = open_store().sessions()
    assert kept["participant"] == "ann"
    assert kept["n_answers"] == 1
    assert kept["environment"] == {"screen": {"width": 1280}}
    assert (kept["started_at"], kept["completed_at"]) == (START, START + HOURS)
    assert open_store().answers()[0]["rt_ms"] == 1234.56789


def test_a_database_of_other_lists_is_refused(open_store):
    open_store()
    with pytest.raises(ControversyError, match="other lists"):
        open_store(lists="another digest")


def test_a_password_is_not_repeated_in_an_error():
    with pytest.raises(ControversyError, match="cannot use the database") as refused:
        Store(
            "postgresql+psycopg://me:hunter2@127.0.0.1:1/none?connect_timeout=1",
            lists="",
            n_lists=1,
            abandoned_after=HOURS,
        )
    assert "hunter2" not in str(refused.value)


def test_sqlite_syncs_at_every_commit_and_keeps_no_token(tmp_path):
    """Without synchronous=FULL an acknowledged answer can be lost with the machine's power."""
    path = tmp_path / "answers.sqlite"
    store = Store(sqlite_url(path), lists="digest", n_lists=1, abandoned_after=HOURS)
    with store._reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    store.join("ann", "the-token-itself", START)
    store.dispose()
    with sqlite3.connect(path) as raw:
        assert "the-token-itself" not in "\n".join(raw.iterdump())
