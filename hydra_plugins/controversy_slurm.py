"""Hydra's submitit launcher for Slurm, but waiting for every job, also where one was killed.

The one it builds on waits for results in order and takes the first job without one for the end of the sweep;
and it learns from Slurm's accounting alone that a job is gone, which many clusters do not have. It lies here
since Hydra loads launchers from the package ``hydra_plugins`` only; conf/hydra/launcher/slurm.yaml names it.
"""

import logging
import subprocess
import time
from collections.abc import Collection, Sequence
from typing import Any

from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus, filter_overrides
from hydra.plugins.launcher import Launcher

try:
    from hydra_plugins.hydra_submitit_launcher.config import BaseQueueConf
    from hydra_plugins.hydra_submitit_launcher.submitit_launcher import SlurmLauncher
except ImportError:
    # Hydra imports every plugin at every start: without the extra this one is there, and says what it lacks.
    SlurmLauncher = Launcher

log = logging.getLogger(__name__)


class PatientSlurmLauncher(SlurmLauncher):  # type: ignore[misc]
    """Submits the jobs of a sweep as one array and waits until each of them has a result or is gone.

    Args:
        poll_seconds: Between two looks at the queue.
        params: As `hydra_plugins.hydra_submitit_launcher.submitit_launcher.SlurmLauncher` takes them.
    """

    def __init__(self, poll_seconds: float = 15.0, **params: Any) -> None:
        if SlurmLauncher is Launcher:
            raise ImportError("sweeps on Slurm need an extra: pip install 'controversy[slurm]'")
        super().__init__(**params)
        self.poll_seconds = poll_seconds

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Runs the jobs. A job without a result is none of Hydra's business: its own record tells."""
        calls = []
        for number, overrides in enumerate(job_overrides, start=initial_job_idx):
            log.info(f"job {number}: {' '.join(filter_overrides(overrides))}")
            state = Singleton.get_state()
            calls.append((list(overrides), "hydra.sweep.dir", number, f"job_id_for_{number}", state))
        jobs = self._executor().map_array(self, *zip(*calls, strict=True))
        log.info(f"in Slurm's queue: {', '.join(job.job_id for job in jobs)}")
        self._wait(jobs)
        return [_result(job) for job in jobs]

    def _executor(self) -> Any:
        import submitit

        params = {name: value for name, value in self.params.items() if value is not None}
        executor = submitit.AutoExecutor(
            folder=params.pop("submitit_folder"),
            cluster="slurm",
            slurm_max_num_timeout=params.pop("max_num_timeout", 0),
        )
        shared = BaseQueueConf.__dataclass_fields__
        executor.update_parameters(
            **{name if name in shared else f"slurm_{name}": value for name, value in params.items()}
        )
        return executor

    def _wait(self, jobs: Sequence[Any]) -> None:
        waiting = {job.job_id: job for job in jobs}
        suspects: set[str] = set()  # gone from the queue once; a job that is put back into it may be
        while waiting:
            time.sleep(self.poll_seconds)
            waiting = {name: job for name, job in waiting.items() if not job.paths.result_pickle.exists()}
            queue = queued()
            gone = set() if queue is None else waiting.keys() - queue
            waiting = {name: job for name, job in waiting.items() if name not in gone & suspects}
            suspects = gone


def queued() -> Collection[str] | None:
    """The ids of this user's jobs that Slurm has not finished with; None where it does not answer now."""
    command = ["squeue", "--noheader", "--array", "--me", "--format=%i"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return set(answer.stdout.split()) if answer.returncode == 0 else None


def _result(job: Any) -> JobReturn:
    problem = job.exception() if job.paths.result_pickle.exists() else "it was killed, or asked to stop"
    if problem is not None:
        log.warning(f"Slurm job {job.job_id} left no result ({problem}); its log is {job.paths.stdout}")
    return JobReturn(status=JobStatus.COMPLETED)
