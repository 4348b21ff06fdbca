"""``status.json``: how the last job on a folder stands or ended, in its own words."""

import json
import os
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from controversy.files import write_text

STATUS = "status.json"


@dataclass(frozen=True, kw_only=True)
class Status:
    """A job's record of itself.

    Attributes:
        state: "running", "complete", "failed", or "interrupted" (asked to stop). A job that was killed
            could not say so: it stays "running" without a living owner.
        host: Where it ran.
        pid: Its process there.
        started: When, ISO 8601, UTC.
        ended: Likewise; None while it runs.
        slurm_job_id: Of Slurm, where it came from there; ARRAY_TASK for a job of an array.
        n_done: Stimuli that are stored.
        n_wanted: Of how many.
        error: What went wrong, in words; None unless it failed.
        traceback: Where, for errors that are no fault of the input.
    """

    state: Literal["running", "complete", "failed", "interrupted"]
    host: str
    pid: int
    started: str
    ended: str | None = None
    slurm_job_id: str | None = None
    n_done: int = 0
    n_wanted: int | None = None
    error: str | None = None
    traceback: str | None = None

    @property
    def owner(self) -> str:
        """Who it is or was, in words."""
        slurm = f", Slurm job {self.slurm_job_id}" if self.slurm_job_id else ""
        return f"process {self.pid} on {self.host}{slurm}, since {self.started}"


def now() -> str:
    """The time, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_status(n_wanted: int | None) -> Status:
    """That of a job which this process begins now."""
    array, task = (os.environ.get(f"SLURM_ARRAY_{name}_ID") for name in ("JOB", "TASK"))
    return Status(
        state="running",
        host=socket.gethostname(),
        pid=os.getpid(),
        started=now(),
        slurm_job_id=f"{array}_{task}" if array and task else os.environ.get("SLURM_JOB_ID"),
        n_wanted=n_wanted,
    )


def write_status(folder: Path, status: Status) -> None:
    """Writes ``status.json``, whole or not at all."""
    write_text(folder / STATUS, json.dumps(asdict(status), indent=2) + "\n")


def read_status(folder: Path) -> Status | None:
    """The status of the last job on ``folder``; None where there is none that can be read."""
    try:
        return Status(**json.loads((folder / STATUS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
