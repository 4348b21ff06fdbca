"""Many answers, one commit: each is acknowledged after the transaction that holds it is durable."""

import asyncio
from collections.abc import Callable, Sequence

from controversy.experiment._store import Answer

_MOST_AT_ONCE = 500


class GroupCommit:
    """Collects the answers that arrive while a transaction is being written, and writes them in the next.

    One sync of the disk then serves all of them, and SQLite never has two writers that wait for each other.

    Args:
        record: Writes answers in one transaction and says of each whether it was new; called in a thread.
    """

    def __init__(self, record: Callable[[Sequence[Answer]], list[bool]]) -> None:
        self._record = record
        self._queue: asyncio.Queue[tuple[Answer, asyncio.Future[bool]]] = asyncio.Queue()

    async def store(self, answer: Answer) -> bool:
        """Returns after the answer is durable: whether it was new.

        Raises:
            Exception: Whatever the database says; the answer is then not stored.
        """
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((answer, done))
        return await done

    async def run(self) -> None:
        """Writes until it is cancelled."""
        while True:
            waiting = [await self._queue.get()]
            while not self._queue.empty() and len(waiting) < _MOST_AT_ONCE:
                waiting.append(self._queue.get_nowait())
            try:
                results = await asyncio.to_thread(self._record, [answer for answer, _ in waiting])
            except Exception as problem:
                for _, done in waiting:
                    if not done.cancelled():
                        done.set_exception(problem)
                continue
            for (_, done), new in zip(waiting, results, strict=True):
                # A browser that went away meanwhile has cancelled its request; its answer is stored all the
                # same.
                if not done.cancelled():
                    done.set_result(new)
