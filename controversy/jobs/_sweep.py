"""The jobs that a sweep was to run, kept beside their folders, so that a missing one is missed."""

import json
from dataclasses import dataclass
from pathlib import Path

from controversy.files import write_text
from controversy.jobs._lock import is_locked
from controversy.jobs._status import read_status

RECORD = ".sweep/jobs.json"


@dataclass(frozen=True)
class SweepJob:
    """One job of a sweep.

    Attributes:
        folder: Where its output is to be.
        overrides: What distinguishes it, as on the command line.
    """

    folder: Path
    overrides: tuple[str, ...] = ()

    def state(self) -> str:
        """Complete | running | failed | interrupted | killed | missing."""
        status = read_status(self.folder)
        if status is None:
            return "missing"
        return "killed" if status.state == "running" and not is_locked(self.folder) else status.state

    @property
    def is_mistaken(self) -> bool:
        """Whether it failed by what it was given, and so would fail again."""
        status = read_status(self.folder)
        return status is not None and status.state == "failed" and status.traceback is None

    def problem(self) -> str | None:
        """What keeps it from being complete, in words; None where nothing does."""
        state, status = self.state(), read_status(self.folder)
        if state == "complete":
            return None
        if state == "missing" or status is None:
            return f"{self.folder}: missing, it has not begun"
        done = f"{status.n_done} of {status.n_wanted} stimuli are stored"
        words = {
            "failed": f"failed: {status.error}",
            "interrupted": f"was asked to stop; {done}",
            "killed": f"was killed ({status.owner}); what it had stored is kept",
            "running": f"is running ({status.owner})",
        }
        return f"{self.folder}: {words[state]}"


@dataclass(frozen=True)
class Sweep:
    """The jobs of all sweeps into one folder.

    Attributes:
        folder: The folder that holds the jobs' folders.
        jobs: Each once, in the order in which they were first asked for.
    """

    folder: Path
    jobs: tuple[SweepJob, ...]

    def record(self) -> None:
        """Writes it down, together with what earlier sweeps into the same folder asked for."""
        known = {job.folder.name: job for job in sweep_of(self.folder).jobs}
        known |= {job.folder.name: job for job in self.jobs}
        path = self.folder / RECORD
        path.parent.mkdir(parents=True, exist_ok=True)
        content = [{"folder": name, "overrides": list(job.overrides)} for name, job in known.items()]
        write_text(path, json.dumps(content, indent=2) + "\n")

    def problems(self) -> list[str]:
        """A line for each job that is not complete."""
        return [problem for job in self.jobs if (problem := job.problem())]


def sweep_of(folder: Path) -> Sweep:
    """The sweeps whose jobs' folders lie in ``folder``; without jobs where there was none."""
    try:
        content = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        jobs = [SweepJob(folder / job["folder"], tuple(job["overrides"])) for job in content]
    except (OSError, ValueError, TypeError, KeyError):
        jobs = []
    return Sweep(folder, tuple(jobs))
