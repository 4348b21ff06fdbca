"""Jobs: one process that fills one folder - alone, on record, and able to stop and go on.

| name                 | is |
|----------------------|----|
| `open_job`           | locks a folder for one process and keeps its `status.json` |
| `Status`             | how the last job on a folder stands or ended |
| `read_status`        | reads it |
| `folder_lock`        | the lock alone |
| `is_locked`          | whether a living process works on a folder |
| `Interrupted`        | a job stopped because it was asked to, after it had saved its state |
| `Stop`               | whether a signal has asked to stop |
| `stop_on_signals`    | SIGTERM, SIGUSR1 and SIGUSR2 ask a job to stop |
| `Sweep`              | the jobs that a sweep was to run, and how each of them stands |
| `record_failure`     | says in a folder that its job failed before it could begin |
| `device_of_job`      | where a job of a sweep runs |
| `claim_device`       | a GPU that no other job of this machine uses |
| `free_device`        | the rule that it follows |
"""

from controversy.jobs._devices import claim_device, device_of_job, free_device
from controversy.jobs._job import Job, open_job, record_failure
from controversy.jobs._lock import LOCK, folder_lock, is_locked
from controversy.jobs._status import STATUS, Status, read_status
from controversy.jobs._stop import Interrupted, Stop, stop_on_signals
from controversy.jobs._sweep import Sweep, SweepJob, sweep_of

__all__ = [
    "LOCK",
    "STATUS",
    "Interrupted",
    "Job",
    "Status",
    "Stop",
    "Sweep",
    "SweepJob",
    "claim_device",
    "device_of_job",
    "folder_lock",
    "free_device",
    "is_locked",
    "open_job",
    "read_status",
    "record_failure",
    "stop_on_signals",
    "sweep_of",
]
