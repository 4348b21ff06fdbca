"""Being asked to stop: a scheduler's signals, heard between two steps of work."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# Slurm sends SIGTERM on pre-emption and cancellation; with `sbatch --signal` SIGUSR1 is usual, and submitit
# chooses SIGUSR2.
_SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


class Interrupted(Exception):  # noqa: N818  (no error)
    """A job stopped because it was asked to; the same command goes on from the saved state."""


class Stop:
    """Whether a signal has asked to stop.

    Attributes:
        signal: The signal that asked; None while nobody has.
    """

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self.previous: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.signal is not None

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Takes a signal."""
        self.signal = signal.Signals(number)

    def pass_on(self) -> None:
        """Gives the signal to whoever handled it before: submitit, which puts its job back into the queue."""
        if self.signal is not None and callable(handler := self.previous.get(self.signal)):
            handler(self.signal, None)


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Makes SIGTERM, SIGUSR1 and SIGUSR2 ask to stop, instead of ending the process at once.

    Only the main thread hears signals: in any other, nothing changes.
    """
    stop = Stop()
    try:
        for number in _SIGNALS:
            stop.previous[number] = signal.signal(number, stop.hear)
    except ValueError:
        yield stop
        return
    try:
        yield stop
    finally:
        for heard, handler in stop.previous.items():
            signal.signal(heard, handler if handler is not None else signal.SIG_DFL)
