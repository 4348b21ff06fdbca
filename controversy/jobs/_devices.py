"""Which GPU a job takes, where several jobs share a machine without a scheduler."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from filelock import FileLock, Timeout


def free_device(job_number: int, n_devices: int, taken: Collection[int]) -> int:
    """The first GPU from ``job_number`` on that nobody has; where all are taken, jobs share them evenly.

    Args:
        job_number: Of the job in its sweep, from 0.
        n_devices: GPUs of the machine, 1 or more.
        taken: Those that other jobs use.

    Returns:
        An index below ``n_devices``.
    """
    order = [(job_number + i) % n_devices for i in range(n_devices)]
    return next((device for device in order if device not in taken), order[0])


def claim_device(
    job_number: int, n_devices: int, folder: Path | None = None
) -> tuple[int, Callable[[], None]]:
    """Takes a GPU that no other job of this machine has taken by this function.

    The kernel's locks are right here: one machine, a local file system, and they end with their process.

    Args:
        job_number: Of the job in its sweep, from 0.
        n_devices: GPUs of the machine, 1 or more.
        folder: Of the locks; by default one a user among the temporary files.

    Returns:
        The index, and a function that gives it back.
    """
    folder = folder or Path(tempfile.gettempdir()) / f"controversy-devices-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[int] = set()
    while len(taken) < n_devices:
        device = free_device(job_number, n_devices, taken)
        lock = FileLock(folder / f"cuda-{device}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            taken.add(device)
            continue
        return device, lock.release
    return free_device(job_number, n_devices, taken), lambda: None


@contextmanager
def device_of_job(wanted: str, job_number: int) -> Iterator[str]:
    """The device for a job of a sweep: where it is "auto" and there are several GPUs, one that is free.

    Slurm and Ray show each job its own GPU, so that there is nothing to choose.
    """
    n_devices = torch.cuda.device_count() if wanted == "auto" else 0
    if n_devices < 2:
        yield wanted
        return
    device, release = claim_device(job_number, n_devices)
    try:
        yield f"cuda:{device}"
    finally:
        release()
