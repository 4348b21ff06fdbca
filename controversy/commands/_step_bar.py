"""The progress of work in steps: a live bar, or a line a minute where the output is no terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_SECONDS_BETWEEN_LINES = 60.0


@contextmanager
def step_bar(text: str, total: int) -> Iterator[Callable[[str], None]]:
    """Gives a function to call with a few words at every step."""
    if not sys.stderr.isatty():
        yield _plain_lines(text, total)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total)
        yield lambda step: bar.update(task, advance=1, description=f"{text} {step}".strip())


def _plain_lines(text: str, total: int) -> Callable[[str], None]:
    last, done = time.monotonic(), 0

    def say(step: str) -> None:
        nonlocal last, done
        done += 1
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{text} {done} of {total} {step}".strip(), file=sys.stderr, flush=True)

    return say
