"""Sweeps through a real Slurm, with a worker killed and a worker pre-empted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controversy.jobs import Status, read_status, sweep_of
from controversy.stimuli import StimulusSet

pytestmark = pytest.mark.slurm

ROOT = Path(__file__).parents[2]
PAIRS = ["[digits_resnet,digits_convnext]", "[digits_convnext,digits_resnet]", "[digits_resnet,digits_vit]"]
SMALL = [
    "n_stimuli=6",
    "search.n_steps=40",
    "search.n_candidates=8",
    "search.n_attempts=3",
    "search.batch_size=16",
    "search.check_every=2",
    "device=cpu",
    "snapshot_every=1",
]
ON_SLURM = [
    "hydra/launcher=slurm",
    "hydra.launcher.gpus_per_task=null",
    "hydra.launcher.cpus_per_task=1",
    "hydra.launcher.mem_gb=2",
    "hydra.launcher.poll_seconds=1",
]
SAME_BYTES = ["metadata.csv", "logits.safetensors", "latents.safetensors", "contact_sheet.png"]


def begin(*words: str) -> subprocess.Popen:
    run = [sys.executable, "-c", "from controversy.commands import main; main()", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def command(*words: str) -> tuple[int, str]:
    process = begin(*words)
    out, err = process.communicate(timeout=240)
    return process.returncode, out + err


def at_work(folder: Path, n_done: int = 0) -> Status:
    """Waits until a job on ``folder`` works; returns its status."""
    for _ in range(1200):
        status = read_status(folder)
        if (
            status
            and status.state == "running"
            and len(list(folder.glob(".progress/**/*.safetensors"))) >= n_done
        ):
            return status
        time.sleep(0.05)
    raise AssertionError(f"no job began on {folder}")


def let_it_begin(job_id: str) -> None:
    """Slurm lets a job that is queued again wait for two minutes; waits until it is queued, and ends that."""
    for _ in range(600):
        state = subprocess.run(
            ["squeue", "--noheader", "--format=%T", "--jobs", job_id],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        if state == ["PENDING"]:
            time.sleep(3)  # within the second of its end it would start with a revoked credential
            subprocess.run(["scontrol", "update", f"JobId={job_id}", "StartTime=now"], check=True)
            return
        time.sleep(0.2)
    raise AssertionError(f"job {job_id} was not queued again")


def same_as_without_slurm(folder: Path, pair: str, tmp_path: Path) -> bool:
    status, said = command("synthesize", f"pair={pair}", f"out={tmp_path / 'plain'}", "threads=1", *SMALL)
    assert status == 0, said
    names = [*SAME_BYTES, *(path.relative_to(folder) for path in (folder / "images").rglob("*.png"))]
    return all((folder / name).read_bytes() == (tmp_path / "plain" / name).read_bytes() for name in names)


def test_of_a_sweep_with_a_killed_worker_the_rest_completes_and_a_rerun_fills_the_hole(tmp_path):
    out = tmp_path / "sweep"
    words = ["synthesize", "-m", f"pair={','.join(PAIRS)}", f"out={out}", *SMALL, *ON_SLURM]
    sweep = begin(*words)
    while not sweep_of(out).jobs:
        time.sleep(0.05)
    victim = sweep_of(out).jobs[0].folder
    os.kill(at_work(victim).pid, signal.SIGKILL)
    _, err = sweep.communicate(timeout=240)
    assert sweep.returncode == 1, err
    assert "2 of 3 jobs complete" in err
    assert f"{victim}: was killed (process" in err
    assert [job.state() for job in sweep_of(out).jobs] == ["killed", "complete", "complete"]
    status, said = command("collect", f"sets=['{out}/*']", f"out={tmp_path / 'all'}", "device=cpu")
    assert status == 2
    assert f"{victim}: was killed" in said

    before = {job.folder: (job.folder / "manifest.json").read_bytes() for job in sweep_of(out).jobs[1:]}
    status, said = command(*words)
    assert status == 0, said
    assert "3 of 3 jobs complete" in said
    assert all((folder / "manifest.json").read_bytes() == content for folder, content in before.items())
    assert same_as_without_slurm(victim, PAIRS[0], tmp_path)
    status, said = command(
        "collect", f"sets=['{out}/*']", f"out={tmp_path / 'all'}", "device=cpu", "evaluate_missing=true"
    )
    assert status == 0, said
    assert len(StimulusSet(tmp_path / "all")) == 18


@pytest.mark.parametrize(
    "interruption",
    [["scancel", "--signal=USR2"], ["scontrol", "requeue"]],
    ids=["its time is nearly up", "Slurm takes it back"],
)
def test_an_interrupted_job_saves_its_state_is_queued_again_and_completes(tmp_path, interruption):
    out = tmp_path / "sweep"
    sweep = begin("synthesize", "-m", f"pair={PAIRS[0]}", f"out={out}", *SMALL, *ON_SLURM)
    while not sweep_of(out).jobs:
        time.sleep(0.05)
    (job,) = sweep_of(out).jobs
    first = at_work(job.folder)
    subprocess.run([*interruption, first.slurm_job_id], check=True)
    let_it_begin(first.slurm_job_id)
    assert (job.folder / ".progress" / "in_flight.snapshot").exists()
    _, err = sweep.communicate(timeout=400)
    assert sweep.returncode == 0, err
    last = read_status(job.folder)
    assert (last.state, last.slurm_job_id) == ("complete", first.slurm_job_id)
    assert last.pid != first.pid
    assert same_as_without_slurm(job.folder, PAIRS[0], tmp_path)
