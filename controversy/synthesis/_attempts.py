"""Which attempt runs next, and which of a request's attempts is its stimulus.

An attempt's outcome depends on its request and its number alone. So attempts may run in any order, also
two of one request at once: the rule below looks at their numbers, not at the clock, and slots that would
idle near the end of a run try further attempts of what is unfinished.
"""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from controversy.errors import ControversyError
from controversy.generators import Latents
from controversy.synthesis._request import Request

MOST_NON_FINITE = 10
"""So many attempts of one request may fail on infinite or undefined numbers before the run gives up."""


@dataclass(frozen=True)
class Outcome:
    """How one attempt ended.

    Attributes:
        finite: False where score or gradient became infinite or undefined; the rest then says nothing.
        reached: The target was reached and held.
        controversiality: Of its best image, before rounding to 8 bits.
        latents: Of that image, one row each, on the CPU.
        classes: (class_1, class_2) of that image: the request's, or what the models chose.
        n_steps: Steps that it took.
    """

    finite: bool
    reached: bool
    controversiality: float
    latents: Latents
    classes: tuple[int, int]
    n_steps: int


@dataclass(frozen=True)
class Choice:
    """The attempt that became a request's stimulus, and what the search took."""

    request: Request
    outcome: Outcome
    attempt: int
    n_attempts: int
    n_non_finite: int
    n_steps: int


class AttemptQueue:
    """Hands out attempts and decides.

    Args:
        requests: What to make.
        n_attempts: Attempts at one request that count; those that met a non-finite number do not.
    """

    def __init__(self, requests: Sequence[Request], n_attempts: int) -> None:
        self.requests, self.n_attempts = list(requests), n_attempts
        self._outcomes: list[dict[int, Outcome]] = [{} for _ in requests]
        self._handed_out = [0] * len(requests)
        self._fresh = deque(range(len(requests)))
        self._begun: dict[int, None] = {}  # begun and not decided, in order; never more than there are slots
        self._n_decided = 0

    @property
    def finished(self) -> bool:
        """Nothing is left to decide."""
        return self._n_decided == len(self.requests)

    def open_requests(self) -> list[tuple[int, dict[int, Outcome]]]:
        """The requests that are begun and not decided, in order, with their attempts' outcomes so far."""
        return [(index, dict(self._outcomes[index])) for index in self._begun]

    def resume(self, index: int, outcomes: dict[int, Outcome], in_flight: Collection[int]) -> list[int]:
        """Takes up a request where an earlier run left it.

        Args:
            index: Of a request that has not been begun here.
            outcomes: Of its ended attempts, by number.
            in_flight: Numbers of attempts that go on.

        Returns:
            Numbers below these that are neither: they have to be run again.
        """
        self._fresh.remove(index)
        self._begun[index] = None
        self._outcomes[index] = dict(outcomes)
        self._handed_out[index] = max([*outcomes, *in_flight], default=-1) + 1
        return [n for n in range(self._handed_out[index]) if n not in outcomes and n not in in_flight]

    def is_open(self, index: int) -> bool:
        """The request at ``index`` has been begun and has no stimulus yet."""
        return index in self._begun

    def next(self) -> tuple[int, int] | None:
        """(index of the request, number of the attempt) to run now, or None where all are running.

        First the first attempts in order, but for requests that were tried already, which come before;
        then further ones, fewest attempts first.
        """
        retry = [i for i in self._begun if self._handed_out[i] == len(self._outcomes[i]) > 0]
        if retry:
            return self._hand_out(retry[0])
        if self._fresh:
            self._begun[self._fresh[0]] = None
            return self._hand_out(self._fresh.popleft())
        ahead = [i for i in self._begun if self._handed_out[i] < self.n_attempts + self._non_finite(i)]
        return self._hand_out(min(ahead, key=lambda i: (self._handed_out[i], i))) if ahead else None

    def record(self, index: int, attempt: int, outcome: Outcome) -> Choice | None:
        """Takes an outcome; returns the request's stimulus once it is decided.

        Raises:
            ControversyError: Too many attempts at this request met non-finite numbers.
        """
        if not self.is_open(index):
            return None
        self._outcomes[index][attempt] = outcome
        return self._decide(index)

    def _decide(self, index: int) -> Choice | None:
        seen: list[tuple[int, Outcome]] = []
        n_non_finite, n_steps, attempt = 0, 0, 0
        while attempt in self._outcomes[index]:
            outcome = self._outcomes[index][attempt]
            n_steps += outcome.n_steps
            if outcome.finite:
                seen.append((attempt, outcome))
            else:
                n_non_finite += 1
            if n_non_finite > MOST_NON_FINITE:
                raise ControversyError(
                    f"stimulus {self.requests[index].stimulus_id}: {n_non_finite} attempts met an "
                    "infinite or undefined score or gradient. Check the models, or use precision=fp32."
                )
            attempt += 1
            if seen and (outcome.reached or len(seen) == self.n_attempts):
                del self._begun[index]
                self._n_decided += 1
                self._outcomes[index].clear()  # a long run does not keep the latents of all its attempts
                best = max(seen, key=lambda pair: (pair[1].reached, pair[1].controversiality, -pair[0]))
                return Choice(self.requests[index], best[1], best[0], attempt, n_non_finite, n_steps)
        return None

    def _non_finite(self, index: int) -> int:
        return sum(not outcome.finite for outcome in self._outcomes[index].values())

    def _hand_out(self, index: int) -> tuple[int, int]:
        attempt = self._handed_out[index]
        self._handed_out[index] += 1
        return index, attempt
