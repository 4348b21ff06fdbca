"""The progress of scoring images: a live bar, or a line a minute where the output is no terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from controversy.stimuli import ScoringProgress

_SECONDS_BETWEEN_LINES = 60.0


@contextmanager
def scoring_bar(text: str) -> Iterator[ScoringProgress]:
    """Gives the callback that a scoring function reports to."""
    if not sys.stderr.isatty():
        yield _plain_lines(text)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _plain_lines(text: str) -> ScoringProgress:
    last = time.monotonic()

    def say(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{text}: {done} of {total} images", file=sys.stderr, flush=True)

    return say
