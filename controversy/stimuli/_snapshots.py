"""The state of a run in its set's folder: written now and then and on a signal, believed only if whole."""

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from controversy.errors import ControversyError
from controversy.jobs import Interrupted
from controversy.stimuli._layout import SNAPSHOT
from controversy.stimuli._tensors import digest, read_tensors, write_tensors
from controversy.synthesis import Snapshot

SNAPSHOT_EVERY = 300.0


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Writes a snapshot in one file, whole or not at all, with a digest of all that it says."""
    facts = json.dumps(snapshot.facts)
    note = json.dumps({"facts": facts, "sha256": digest(snapshot.tensors, facts)})
    write_tensors(folder / SNAPSHOT, snapshot.tensors, note)


def read_snapshot(folder: Path) -> Snapshot | None:
    """The snapshot that an earlier run left; None, with a warning, where it is damaged."""
    path = folder / SNAPSHOT
    if not path.exists():
        return None
    try:
        tensors, note = read_tensors(path)
        content = json.loads(note or "")
        if digest(tensors, content["facts"]) == content["sha256"]:
            return Snapshot(tensors, json.loads(content["facts"]))
        problem = "its bytes are not those that were written"
    except (ControversyError, ValueError, KeyError, TypeError) as error:
        problem = str(error)
    warnings.warn(
        f"{path} is damaged ({problem}) and left out: images that were in the making begin anew, which "
        "costs time and changes nothing",
        RuntimeWarning,
        stacklevel=2,
    )
    path.unlink()
    return None


class Snapshots:
    """When a run's state is written.

    Args:
        folder: Of the set.
        every: Seconds between two snapshots; 0: after every round.
        stop: Says whether to stop; None: never.
        before: Called before each, to bring to the disk what the run has finished: it is in no snapshot.
    """

    def __init__(
        self, folder: Path, every: float, stop: Callable[[], bool] | None, before: Callable[[], None]
    ) -> None:
        self.folder, self.every, self.stop, self.before = folder, every, stop, before
        self._last = time.monotonic()

    def after_round(self, take: Callable[[], Snapshot]) -> None:
        """Writes a snapshot if it is time to.

        Raises:
            Interrupted: The run was asked to stop; the snapshot is written.
        """
        stopping = self.stop is not None and self.stop()
        if stopping or time.monotonic() - self._last >= self.every:
            self.before()
            write_snapshot(self.folder, take())
            self._last = time.monotonic()
        if stopping:
            raise Interrupted(f"{self.folder}: stopped as asked to; the same command goes on from here")
