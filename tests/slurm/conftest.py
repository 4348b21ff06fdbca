import shutil
import subprocess

import pytest


@pytest.fixture(autouse=True, scope="session")
def slurm() -> None:
    """A Slurm that takes jobs; where there is none, what needs it is skipped."""
    if shutil.which("sbatch") is None:
        pytest.skip("there is no Slurm here: scripts/slurm_localhost.sh install, then start")
    answer = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False
    )
    if answer.returncode or not {"idle", "mixed", "allocated"} & set(answer.stdout.split()):
        pytest.skip('no Slurm answers: eval "$(scripts/slurm_localhost.sh start)"')
