"""Devices by name, and the memory of the CPU."""

import ctypes
import os

import torch

from controversy.errors import ControversyError


def resolve_device(name: str) -> torch.device:
    """``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        ControversyError: The device is not known or not here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as problem:
        raise ControversyError(f"device is {name!r}, but has to be auto, cpu, cuda or cuda:N") from problem
    # torch takes cuda:1000 for cuda:-24.
    if device.type not in {"cpu", "cuda"} or str(device) != name:
        raise ControversyError(f"device is {name!r}, but has to be auto, cpu, cuda or cuda:N")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ControversyError(
            f"device is {name!r}, but this machine has {torch.cuda.device_count()} GPUs; try device=auto"
        )
    return device


# Of glibc's malloc.h, and what its thresholds grow to by themselves as large blocks are freed.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_MMAP_MAX = -1, -3, -4
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _MMAP_MAX = 32 * 2**20, 64 * 2**20, 65536
_SET_BY_USERS = ("GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_")


def keep_freed_memory(keep: bool = True) -> bool:
    """Has this process keep the memory of freed tensors for the next ones, on a CPU.

    By default glibc gives a large block back to the system when it is freed, and the system clears every
    page of the next one anew: half of the time of a classifier's forward pass (docs/performance.md). The
    commands of `controversy` call this; in Python it is yours to decide, as it changes the whole process.

    Args:
        keep: False undoes it and returns what is free.

    Returns:
        Whether it was done: not where the allocator is not glibc's, nor where the environment tunes it.
    """
    if any(name in os.environ for name in _SET_BY_USERS):
        return False
    try:
        library = ctypes.CDLL(None)
        mallopt, malloc_trim = library.mallopt, library.malloc_trim
    except (OSError, TypeError, AttributeError):
        return False
    if keep:
        return bool(mallopt(_M_MMAP_MAX, 0) and mallopt(_M_TRIM_THRESHOLD, -1))
    done = mallopt(_M_MMAP_MAX, _MMAP_MAX) and mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD)
    done = mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD) and done
    malloc_trim(0)
    return bool(done)
