"""A job: the lock of a folder and its status, from beginning to end."""

import os
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from controversy.errors import ControversyError
from controversy.jobs._lock import folder_lock, is_locked
from controversy.jobs._status import Status, new_status, now, read_status, write_status
from controversy.jobs._stop import Interrupted

_SECONDS_BETWEEN_COUNTS = 30.0


class Job:
    """This process' work on a folder.

    Attributes:
        folder: The folder.
        status: As last written, but for the count.
    """

    def __init__(self, folder: Path, status: Status) -> None:
        self.folder, self.status = folder, status
        self._written = time.monotonic()

    def count(self, n_done: int) -> None:
        """Takes the number of stimuli that are stored; it reaches the disk now and then, and at the end."""
        self.status = replace(self.status, n_done=n_done)
        if time.monotonic() - self._written > _SECONDS_BETWEEN_COUNTS:
            self._written = time.monotonic()
            write_status(self.folder, self.status)

    def end(self, status: Status) -> None:
        """Writes how it ended. A full disk, for one, must not hide the error that is to be told."""
        self.status = replace(status, ended=now())
        with suppress(OSError):
            write_status(self.folder, self.status)


@contextmanager
def open_job(folder: Path, n_wanted: int | None = None, *, wait: float = 0.0) -> Iterator[Job]:
    """Locks a folder for this process, and keeps its ``status.json`` from "running" to the end.

    Args:
        folder: Made if need be.
        n_wanted: Stimuli that it is to hold.
        wait: Seconds to wait for another job on the same folder.

    Raises:
        ControversyError: Another job has the folder or took it over, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ControversyError(f"cannot make {folder}: {problem}") from problem
    with folder_lock(folder, wait) as still_ours:
        job = Job(folder, new_status(n_wanted))
        write_status(folder, job.status)
        try:
            yield job
            if not still_ours():
                raise ControversyError(
                    f"another job took {folder} over: this process was frozen for longer than its lock. "
                    "Run the same command again when the other has ended."
                )
        except (Interrupted, KeyboardInterrupt):
            job.end(replace(job.status, state="interrupted"))
            raise
        except BaseException as problem:
            job.end(failed(job.status, problem))
            raise
        job.end(replace(job.status, state="complete"))


def record_failure(folder: Path, problem: BaseException) -> None:
    """Says in ``folder`` that this process' job failed before it could begin.

    Where the job said so itself, or another one works there, their record stands.
    """
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        last = read_status(folder)
        said = last is not None and last.state == "failed" and last.pid == os.getpid() and last.n_wanted
        if not said and not is_locked(folder):
            write_status(folder, replace(failed(new_status(None), problem), ended=now()))


def failed(status: Status, problem: BaseException) -> Status:
    """The status of a job that ended with ``problem``."""
    words = str(problem) or type(problem).__name__
    if isinstance(problem, ControversyError):
        return replace(status, state="failed", error=words)
    trace = "".join(traceback.format_exception(problem))
    return replace(status, state="failed", error=f"{type(problem).__name__}: {words}", traceback=trace)
