"""Whatever happens to a run, the same command brings it to the very bytes of one that was left in peace."""

import functools
import random
import resource
import signal
import time
from pathlib import Path

import pytest

from controversy.images import read_png
from controversy.jobs import read_status

from .conftest import SYNTHESIZE, begin, contents

pytestmark = pytest.mark.faults


def is_at_work(process, folder: Path) -> bool:
    status = read_status(folder)
    return process.poll() is not None or (status is not None and status.pid == process.pid)


def test_killed_at_ten_random_moments(command, uninterrupted, tmp_path):
    folder = tmp_path / "set"
    rng = random.Random(4)
    n_snapshots = 0
    for number in range(10):
        process = begin(*SYNTHESIZE, f"out={folder}")
        # Two moments while it starts, the others while it works.
        while number >= 2 and not is_at_work(process, folder):
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.4))
        assert process.poll() is None, "it had ended before it was killed"
        process.kill()
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        n_snapshots += (folder / ".progress" / "in_flight.snapshot").exists()
    assert n_snapshots > 0
    status, said = command(*SYNTHESIZE, f"out={folder}")
    assert status == 0, said
    assert contents(folder) == uninterrupted
    assert not [path.name for path in folder.rglob(".*")]
    assert command("verify", f"set={folder}", "device=cpu")[0] == 0


def test_asked_to_stop_it_saves_its_state_and_ends_with_75(command, uninterrupted, tmp_path):
    folder = tmp_path / "set"
    for asked in (signal.SIGTERM, signal.SIGUSR1):
        process = begin(*SYNTHESIZE, f"out={folder}")
        while not is_at_work(process, folder):
            time.sleep(0.01)
        process.send_signal(asked)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 75, err
        assert "the same command goes on from here" in err
        assert read_status(folder).state == "interrupted"
        assert (folder / ".progress" / "in_flight.snapshot").exists()
    status, said = command(*SYNTHESIZE, f"out={folder}")
    assert status == 0, said
    assert contents(folder) == uninterrupted


def test_without_room_on_the_disk_it_says_so_and_goes_on_when_there_is(command, uninterrupted, tmp_path):
    folder = tmp_path / "set"
    # An early file does not fit (the first snapshot), and then a late one (the contact sheet).
    for room, every in ((2_500, 0), (20_000, 600)):
        status, said = command(
            *SYNTHESIZE,
            f"snapshot_every={every}",
            f"out={folder}",
            preexec_fn=functools.partial(limit_files, room),
        )
        assert status == 2, said
        assert "File too large" in said
        assert "run the same command again" in said
        assert "Traceback" not in said
        assert not (folder / "manifest.json").exists()
        assert not list(folder.rglob("*.tmp"))
        for image in (folder / "images").rglob("*.png"):
            read_png(image)
    status, said = command(*SYNTHESIZE, f"out={folder}")
    assert status == 0, said
    assert contents(folder) == uninterrupted


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_second_command_on_the_same_folder_refuses_and_disturbs_nothing(command, uninterrupted, tmp_path):
    folder = tmp_path / "set"
    first = begin(*SYNTHESIZE, f"out={folder}")
    while not is_at_work(first, folder):
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # so that it is there when the second comes
    status, said = command(*SYNTHESIZE, f"out={folder}")
    first.send_signal(signal.SIGCONT)
    assert status == 2
    assert f"another job works on {folder}: process {first.pid}" in said
    first.communicate(timeout=300)
    assert first.returncode == 0
    assert contents(folder) == uninterrupted
