"""All of a run that is not finished: attempts in their slots, those that wait for one, what they found.

It can be taken out as a `Snapshot` and put back, into as many slots as there then are. Rows keep their
numbers, so nothing about a stimulus depends on when or how often that happens.
"""

import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from controversy.errors import ControversyError
from controversy.synthesis._attempts import AttemptQueue, Choice, Outcome
from controversy.synthesis._candidates import best_candidates
from controversy.synthesis._memory import out_of_memory, release_memory
from controversy.synthesis._problem import Problem
from controversy.synthesis._request import Request
from controversy.synthesis._settings import Settings
from controversy.synthesis._slots import Report, Slots

State = dict[str, Tensor]


@dataclass(frozen=True)
class Snapshot:
    """The state of a run between two steps, apart from the models: numbers and words, no objects.

    Attributes:
        tensors: ``slots.NAME [n, ...]``, a row an attempt in flight; ``outcomes.NAME [m, ...]``, the latents
            that ended attempts of undecided requests left, a row each.
        facts: JSON-able: which attempts the rows are, and how the ended ones ended.
    """

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


@dataclass(frozen=True)
class _Waiting:
    """An attempt without a slot: as it stood, or None where it has to begin anew."""

    index: int
    attempt: int
    state: State | None


class Flight:
    """The slots of a run and what belongs in them.

    Args:
        problem: What is optimised.
        settings: The budget.
        requests: What to make.
        batch_size: Slots to begin with.
        device: Where.
        snapshot: Of an earlier run of the same requests or more; what it says of others is left out.
    """

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        requests: Sequence[Request],
        batch_size: int,
        device: torch.device,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.problem, self.settings, self.device = problem, settings, device
        self.queue = AttemptQueue(requests, settings.n_attempts)
        self._slots = self._new_slots(batch_size)
        self._running: dict[int, tuple[int, int]] = {}  # slot -> (request, attempt)
        self._waiting: deque[_Waiting] = deque()
        if snapshot:
            self._restore(snapshot)

    @property
    def batch_size(self) -> int:
        """Slots; fewer than at first where memory ran out."""
        return self._slots.size

    def advance(self) -> list[Choice]:
        """Fills free slots, takes `Settings.check_every` steps, and returns what is decided.

        Where memory runs out the number of slots halves, nothing is lost, and nothing is decided this time.

        Raises:
            ControversyError: There is no memory for a single image.
        """
        try:
            self._fill()
            for _ in range(self.settings.check_every):
                self._slots.step()
        except Exception as problem:
            if not out_of_memory(problem):
                raise
            said = str(problem)
        else:
            return self._collect()
        # Not above: while an error is handled, its traceback keeps the tensors that were too many.
        self.halve(said)
        return []

    def halve(self, why: str) -> None:
        """Goes on with half the slots; attempts without one wait for one, as they stand.

        Raises:
            ControversyError: There is one slot only.
        """
        size = self.batch_size // 2
        if size == 0:
            raise ControversyError(
                f"there is not enough memory on {self.device} for one image: {why}. Choose a smaller "
                "generator or smaller models, search.precision=bf16, or another device."
            )
        self._waiting.extendleft(reversed(self._taken_out()))
        self._running.clear()
        del self._slots
        release_memory(self.device)
        self._slots = self._new_slots(size)
        warnings.warn(
            f"memory ran out with {2 * size} images side by side; going on with {size}",
            RuntimeWarning,
            stacklevel=2,
        )

    def snapshot(self) -> Snapshot:
        """All that is in flight."""
        open_requests = self.queue.open_requests()
        in_flight = [
            w for w in (*self._taken_out(), *self._waiting) if w.state and self.queue.is_open(w.index)
        ]
        ended = [
            (index, number, outcome) for index, kept in open_requests for number, outcome in kept.items()
        ]
        names = {index: self.queue.requests[index].stimulus_id for index, _ in open_requests}
        tensors = _stacked("slots", [w.state for w in in_flight if w.state])
        tensors |= _stacked("outcomes", [outcome.latents for _, _, outcome in ended])
        return Snapshot(
            tensors,
            {
                "begun": list(names.values()),
                "in_flight": [[names[w.index], w.attempt] for w in in_flight],
                "ended": [[names[index], number, *_words(outcome)] for index, number, outcome in ended],
            },
        )

    def _restore(self, snapshot: Snapshot) -> None:
        places = {request.stimulus_id: i for i, request in enumerate(self.queue.requests)}
        ended: dict[int, dict[int, Outcome]] = {places[n]: {} for n in snapshot.facts["begun"] if n in places}
        latents = _rows(snapshot.tensors, "outcomes", len(snapshot.facts["ended"]))
        for row, (name, number, *words) in enumerate(snapshot.facts["ended"]):
            if name in places:
                ended[places[name]][number] = _outcome_of(words, latents[row])
        states = _rows(snapshot.tensors, "slots", len(snapshot.facts["in_flight"]))
        for row, (name, number) in enumerate(snapshot.facts["in_flight"]):
            if name in places:
                state = {key: value[0] for key, value in states[row].items()}
                self._waiting.append(_Waiting(places[name], number, state))
        for index, outcomes in ended.items():
            attempts = {w.attempt for w in self._waiting if w.index == index}
            lost = self.queue.resume(index, outcomes, attempts)
            self._waiting.extend(_Waiting(index, number, None) for number in lost)

    def _new_slots(self, size: int) -> Slots:
        start = self.problem.generator.sample(1, torch.Generator(), (0, 1))
        return Slots(self.problem, self.settings, start, self.device, size)

    def _taken_out(self) -> list[_Waiting]:
        """The attempts in slots as they stand; to be begun anew where a step was cut short."""
        states = None if self._slots.torn else self._slots.states(list(self._running))
        return [
            _Waiting(index, attempt, states and {name: value[row] for name, value in states.items()})
            for row, (index, attempt) in enumerate(self._running.values())
        ]

    def _fill(self) -> None:
        """Gives every free slot an attempt, while there are any."""
        taken: dict[int, _Waiting] = {}
        for slot in range(self.batch_size):
            if slot not in self._running and (waiting := self._next()):
                taken[slot] = waiting
        try:
            self._go_on({slot: w for slot, w in taken.items() if w.state})
            self._begin({slot: w for slot, w in taken.items() if not w.state})
        except Exception:
            self._waiting.extendleft(reversed(taken.values()))
            raise
        self._running.update({slot: (w.index, w.attempt) for slot, w in taken.items()})

    def _next(self) -> _Waiting | None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if self.queue.is_open(waiting.index):
                return waiting
        attempt = self.queue.next()
        return _Waiting(*attempt, None) if attempt else None

    def _go_on(self, taken: Mapping[int, _Waiting]) -> None:
        for slot, waiting in taken.items():
            assert waiting.state is not None
            self._slots.put_back(slot, waiting.state)

    def _begin(self, taken: Mapping[int, _Waiting]) -> None:
        if not taken:
            return
        attempts = [(self.queue.requests[w.index], w.attempt) for w in taken.values()]
        latents, finite = best_candidates(
            self.problem, attempts, self.settings.n_candidates, self.batch_size, self.device
        )
        asked = torch.tensor(
            [request.alternatives or (-1, -1) for request, _ in attempts], device=self.device
        )
        self._slots.begin(list(taken), latents, asked[:, 0], asked[:, 1], finite)

    def _collect(self) -> list[Choice]:
        """Frees the slots of attempts that ended or that nobody waits for; returns what is decided."""
        report = self._slots.report()
        choices = []
        for slot in [slot for slot in self._running if report.finished[slot]]:
            index, attempt = self._running.pop(slot)
            if self.queue.is_open(index) and (
                choice := self.queue.record(index, attempt, _outcome(self._slots, report, slot))
            ):
                choices.append(choice)
            self._slots.release([slot])
        abandoned = [slot for slot, (index, _) in self._running.items() if not self.queue.is_open(index)]
        for slot in abandoned:
            del self._running[slot]
        self._slots.release(abandoned)
        return choices


def _outcome(slots: Slots, report: Report, slot: int) -> Outcome:
    return Outcome(
        finite=bool(report.finite[slot]),
        reached=bool(report.reached[slot]),
        controversiality=float(report.best[slot]),
        latents=slots.best_of(slot),
        classes=(int(report.class_1[slot]), int(report.class_2[slot])),
        n_steps=int(report.n_steps[slot]),
    )


def _words(outcome: Outcome) -> list[Any]:
    """An outcome without its latents, for JSON, which gives back the very same floats."""
    return [
        outcome.finite,
        outcome.reached,
        outcome.controversiality,
        list(outcome.classes),
        outcome.n_steps,
    ]


def _outcome_of(words: Sequence[Any], latents: State) -> Outcome:
    finite, reached, controversiality, classes, n_steps = words
    return Outcome(finite, reached, controversiality, latents, (classes[0], classes[1]), n_steps)


def _stacked(prefix: str, states: Sequence[State]) -> State:
    """Rows of one state each -> tensors of all; latents of outcomes have a row axis already."""
    if not states:
        return {}
    join = torch.cat if prefix == "outcomes" else torch.stack
    return {f"{prefix}.{name}": join([state[name] for state in states]) for name in states[0]}


def _rows(tensors: Mapping[str, Tensor], prefix: str, n: int) -> list[State]:
    named = {name.removeprefix(f"{prefix}."): value for name, value in tensors.items()}
    mine = {name: value for name, value in named.items() if name not in tensors}
    return [{name: value[row : row + 1].clone() for name, value in mine.items()} for row in range(n)]
