"""What a command does when a scheduler asks it to stop."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from controversy.jobs import Interrupted, Stop, stop_on_signals

RUN_ME_AGAIN = 75
"""EX_TEMPFAIL of sysexits.h: for Slurm's ``RequeueExit=75``, or a script that runs the command once more."""


@contextmanager
def stopping_well() -> Iterator[Stop]:
    """Lets SIGTERM, SIGUSR1 and SIGUSR2 ask the work in the block to stop.

    Raises:
        SystemExit: With status 75, once it has stopped. Under submitit its own handler comes first: on the
            signal that Slurm sends before the time is up, it puts the job back into the queue.
    """
    with stop_on_signals() as stop:
        try:
            yield stop
        except Interrupted as told:
            print(told, file=sys.stderr, flush=True)
            stop.pass_on()
            raise SystemExit(RUN_ME_AGAIN) from None
