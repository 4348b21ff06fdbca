"""Progress of synthesis: a live bar on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from controversy.synthesis import Stimulus

_SECONDS_BETWEEN_LINES = 15.0


class SynthesisProgress:
    """Stimuli done, success rate, stimuli per minute, time left.

    Args:
        total: Stimuli of the whole set.
        success_threshold: Controversiality that counts as a success.
    """

    def __init__(self, total: int, success_threshold: float) -> None:
        self.total, self.success_threshold = total, success_threshold
        self._done = self._made = self._successes = 0
        self._start = self._last_line = time.monotonic()
        console = Console(file=sys.stderr)
        self._live = console.is_terminal
        self._bar = Progress(
            TextColumn("stimuli"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            disable=not self._live,
        )
        self._task = self._bar.add_task("stimuli", total=total, figures="")

    def __enter__(self) -> "SynthesisProgress":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, n_done: int) -> None:
        """Says how many stimuli an earlier run left."""
        self._done = n_done
        self._bar.update(self._task, completed=n_done)
        if n_done:
            print(f"{n_done} of {self.total} stimuli are there already", file=sys.stderr)

    def add(self, stimulus: Stimulus) -> None:
        """Counts a stimulus that has just been stored."""
        self._done += 1
        self._made += 1
        self._successes += stimulus.controversiality >= self.success_threshold
        now = time.monotonic()
        rate = 60 * self._made / max(now - self._start, 1e-9)
        figures = f"{self._successes / self._made:.0%} ≥ {self.success_threshold:g}, {rate:.0f} a minute"
        self._bar.update(self._task, completed=self._done, figures=figures)
        due = now - self._last_line > _SECONDS_BETWEEN_LINES or self._done == self.total
        if not self._live and due:
            self._last_line = now
            left = (self.total - self._done) / rate if rate else float("inf")
            line = f"{self._done}/{self.total} stimuli, {figures}, {60 * left:.0f} s left"
            print(line, file=sys.stderr, flush=True)
