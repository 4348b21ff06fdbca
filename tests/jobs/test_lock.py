"""Two processes never work in one folder, and a dead one does not keep a living one out."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from controversy.errors import ControversyError
from controversy.jobs import _lock, is_locked, open_job, read_status
from controversy.jobs._status import write_status

HOLD = """
import sys, time
from pathlib import Path
from controversy.jobs import open_job
with open_job(Path(sys.argv[1]), 9):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        other.kill()


def test_a_folder_in_use_is_refused_and_the_message_says_who_and_since_when(holder, tmp_path):
    with pytest.raises(ControversyError) as refused, open_job(tmp_path):
        pass
    status = read_status(tmp_path)
    for words in (str(tmp_path), f"process {holder.pid}", socket.gethostname(), status.started):
        assert words in str(refused.value)
    assert (status.state, status.pid) == ("running", holder.pid)  # the owner's record is left alone


def test_the_lock_of_a_killed_process_is_taken_over(holder, tmp_path):
    assert is_locked(tmp_path)
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert not is_locked(tmp_path)
    with open_job(tmp_path):
        assert read_status(tmp_path).pid == os.getpid()


def test_a_new_process_with_the_number_of_a_dead_owner_is_not_the_owner(tmp_path):
    with open_job(tmp_path):
        marker = (tmp_path / _lock.LOCK).read_text()
    lines = [f"start={2**40}" if line.startswith("start=") else line for line in marker.splitlines()]
    assert f"pid={os.getpid()}" in lines
    assert f"start={2**40}" in lines
    (tmp_path / _lock.LOCK).write_text("\n".join(lines) + "\n")
    with open_job(tmp_path):
        pass


def test_an_owner_on_another_host_is_believed_while_its_lock_is_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(_lock, "LEASE_SECONDS", 1.0)
    with open_job(tmp_path):
        marker = (tmp_path / _lock.LOCK).read_text()
        status = replace(read_status(tmp_path), host="elsewhere")
    lines = ["host=elsewhere" if line.startswith("host=") else line for line in marker.splitlines()]
    (tmp_path / _lock.LOCK).write_text("\n".join(lines) + "\n")
    write_status(tmp_path, status)
    assert is_locked(tmp_path)
    begin = time.monotonic()
    with open_job(tmp_path):  # nobody touches it: a lease later it is ours
        assert time.monotonic() - begin >= 1.0


def test_one_can_wait_for_the_other(holder, tmp_path):
    begin = time.monotonic()
    holder.send_signal(signal.SIGINT)
    with open_job(tmp_path, wait=30):
        assert time.monotonic() - begin < 30


def test_a_job_records_how_it_ended(tmp_path):
    with open_job(tmp_path, 3) as job:
        assert read_status(tmp_path).state == "running"
        job.count(3)
    ended = read_status(tmp_path)
    assert (ended.state, ended.n_done, ended.n_wanted) == ("complete", 3, 3)
    assert ended.ended >= ended.started
    with pytest.raises(ValueError, match="of the world"), open_job(tmp_path):
        raise ValueError("end of the world")
    failed = read_status(tmp_path)
    assert (failed.state, failed.error) == ("failed", "ValueError: end of the world")
    assert "test_lock.py" in failed.traceback
    with pytest.raises(KeyboardInterrupt), open_job(tmp_path):
        raise KeyboardInterrupt
    assert read_status(tmp_path).state == "interrupted"
