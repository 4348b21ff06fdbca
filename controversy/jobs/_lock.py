"""One process a folder.

filelock's lease rather than the kernel's locks: those are absent from many clusters' file systems, or do not
reach from node to node. The lease is a file made atomically, which names its owner (host, process, when that
process started) and is touched while the owner lives. A dead owner is known at once on its own host, and
elsewhere by a file that nobody has touched for the length of a lease.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import SoftFileLease, Timeout

from controversy.errors import ControversyError
from controversy.jobs._status import read_status

LOCK = ".lock"
LEASE_SECONDS = 60.0


@contextmanager
def folder_lock(folder: Path, wait: float = 0.0) -> Iterator[Callable[[], bool]]:
    """Keeps every other process off ``folder``.

    Args:
        folder: There already.
        wait: Seconds to wait for another owner. One on another host is watched for at least a lease.

    Yields:
        A function that says whether the lock is still ours: a process that was frozen for longer than a lease
        has lost it.

    Raises:
        ControversyError: A living process has the folder; the message says which, and since when.
    """
    lease = _lease(folder)
    status = read_status(folder)
    if status and status.host != socket.gethostname():
        wait = max(wait, 1.5 * LEASE_SECONDS)
    try:
        lease.acquire(timeout=wait)
    except Timeout:
        raise ControversyError(_taken(folder)) from None
    try:
        yield lambda: lease.compromise is None
    finally:
        lease.release()


def is_locked(folder: Path) -> bool:
    """Whether a process has ``folder``; one that died on another host counts until its lease has run out."""
    if not (folder / LOCK).exists():
        return False
    lease = _lease(folder)
    try:
        lease.acquire(timeout=0)
    except (Timeout, OSError):
        return True
    lease.release()
    return False


def _lease(folder: Path) -> SoftFileLease:
    return SoftFileLease(folder / LOCK, lease_duration=LEASE_SECONDS, thread_local=False)


def _taken(folder: Path) -> str:
    status = read_status(folder)
    owner = f": {status.owner}" if status else ""
    return (
        f"another job works on {folder}{owner}. Let it finish, choose another folder, or wait for it with "
        "wait=SECONDS. (A job that died is recognised, at once on its own host, after a minute elsewhere.)"
    )
