"""Work in the background, one piece after the other, with a bounded queue, and no failure lost."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from controversy.errors import ControversyError


class Background:
    """A thread that does pieces of work in the order in which they come.

    Args:
        at_most: Pieces that wait; one more makes `put` wait.
    """

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._thread = ThreadPoolExecutor(1, "stimulus-writer")
        self._pending: deque[Future[None]] = deque()

    def put(self, work: Callable[..., None], *arguments: Any) -> None:
        """Hands over a piece of work.

        Raises:
            ControversyError: Earlier ones failed; this one is not done. As `wait`.
        """
        while self._pending and (self._pending[0].done() or len(self._pending) >= self._at_most):
            self._take_first()
        self._pending.append(self._thread.submit(work, *arguments))

    def wait(self) -> None:
        """Waits until all that was handed over is done.

        Raises:
            ControversyError: Some failed: the first one's error, and how many more. Told once.
        """
        while self._pending:
            self._take_first()

    def close(self) -> None:
        """Waits, and ends the thread.

        Raises:
            ControversyError: As `wait`.
        """
        try:
            self.wait()
        finally:
            self._thread.shutdown()

    def _take_first(self) -> None:
        if (problem := self._pending.popleft().exception()) is None:
            return
        problems = [other for future in self._pending if (other := future.exception())]
        self._pending.clear()
        if not isinstance(problem, ControversyError):
            raise problem
        raise ControversyError(
            f"{problem}" + "".join(f"\n{other}" for other in problems[:3]) + ("\n..." if problems[3:] else "")
        ) from problem
