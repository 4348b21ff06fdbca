"""How much one participant or one address may ask for, and how large a request may be."""

import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from controversy.errors import ControversyError
from controversy.experiment.server._refusal import RefusalError

MAX_BODY = 16 * 1024
# The least recently seen are forgotten, so that a flood of addresses cannot fill the memory.
_REMEMBERED = 20_000


@dataclass(frozen=True)
class Rate:
    """A token bucket.

    Attributes:
        per_second: How many requests a second in the long run.
        burst: How many at once.
    """

    per_second: float
    burst: int

    def __post_init__(self) -> None:
        if not self.per_second > 0 or self.burst < 1:
            raise ControversyError(
                f"a limit of {self.per_second} requests a second, {self.burst} at once, lets nothing "
                "through. "
                "Give more than 0, and 1 or more."
            )


class RateLimiter:
    """Counts requests by key.

    Args:
        rate: What each key may do.
        clock: Seconds; only differences count.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Counts one request.

        Raises:
            RefusalError: 429, with the time after which there is room again.
        """
        now = self._clock()
        left, last = self._buckets.pop(key, (float(self._rate.burst), now))
        left = min(self._rate.burst, left + (now - last) * self._rate.per_second)
        self._buckets[key] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self._rate.per_second)
            raise RefusalError(429, "too many requests", retry_after=max(1, wait))


async def read_body(stream: AsyncIterator[bytes], declared: str | None, limit: int = MAX_BODY) -> bytes:
    """Reads a request's body, no further than the limit.

    Args:
        stream: Its parts.
        declared: The header Content-Length, where there is one.
        limit: In bytes.

    Raises:
        RefusalError: 413, before anything is read where the length is declared.
    """
    if declared is not None and (not declared.isdecimal() or int(declared) > limit):
        raise RefusalError(413, f"the body is larger than {limit} bytes")
    parts, size = [], 0
    async for part in stream:
        size += len(part)
        if size > limit:
            raise RefusalError(413, f"the body is larger than {limit} bytes")
        parts.append(part)
    return b"".join(parts)
