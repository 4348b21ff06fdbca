import platform
import subprocess
import sys

import pytest
import torch

from controversy.devices import keep_freed_memory, resolve_device
from controversy.errors import ControversyError

# Pages that the system had to clear for ten blocks of 100 MB, one after the other, after ten uncounted ones.
FAULTS = """
import resource, sys, torch
from controversy.devices import keep_freed_memory
for keep in (False, True, False):
    assert keep_freed_memory(keep)
    for turn in range(20):
        torch.ones(25_000_000)
        if turn == 9:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the allocator is not glibc's")
def test_freed_memory_that_is_kept_costs_no_new_pages(monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    by_default, kept, undone = map(int, done.stdout.split())
    # 25,000 for each block, or 50 where the system gives huge pages.
    assert by_default >= 10 * 50
    assert kept < by_default / 10
    assert undone >= by_default / 2


def test_an_environment_that_tunes_the_allocator_has_its_way(monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert not keep_freed_memory()


def test_devices_by_name():
    assert resolve_device("cpu") == torch.device("cpu")
    assert resolve_device("auto").type in {"cpu", "cuda"}
    for name in ("gpu", "mps", "cuda:1000"):
        with pytest.raises(ControversyError, match=name):
            resolve_device(name)
