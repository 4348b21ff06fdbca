"""The batch: a fixed number of slots, each with one attempt, all on the device.

Its shape never changes during a run, so that an image's numbers do not depend on how many others run
beside it. Nothing here waits for the device but `Slots.report`.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from controversy.generators import Latents
from controversy.synthesis._adam import BatchAdam
from controversy.synthesis._problem import Problem
from controversy.synthesis._settings import Settings

_RISE = 0.02
"""What the score has to gain, in its own units (nats for most), for an attempt not to have stalled."""


@dataclass(frozen=True)
class Report:
    """Where each slot stands, on the CPU; each field ``[batch_size]``."""

    finished: Tensor
    finite: Tensor
    reached: Tensor
    best: Tensor
    class_1: Tensor
    class_2: Tensor
    n_steps: Tensor


class Slots:
    """Attempts side by side.

    Args:
        problem: What is optimised.
        settings: The budget.
        latents: Rows of the right shapes to start from; their values do not matter.
        device: Where.
        size: How many.

    Attributes:
        torn: A step was cut short while it changed the slots: they agree with nothing any more.
    """

    def __init__(
        self, problem: Problem, settings: Settings, latents: Latents, device: torch.device, size: int
    ) -> None:
        self.problem, self.settings, self.device, self.size = problem, settings, device, size
        self.torn = False
        self.latents = {
            name: value[:1].to(device).repeat_interleave(size, 0) for name, value in latents.items()
        }
        self.best_latents = {name: value.clone() for name, value in self.latents.items()}
        self.adam = BatchAdam(
            {name: self.latents[name] for name in problem.generator.free}, settings.learning_rate
        )
        self.asked_1 = torch.zeros(size, dtype=torch.long, device=device)
        self.asked_2 = torch.ones_like(self.asked_1)
        self.best_1, self.best_2 = torch.zeros_like(self.asked_1), torch.zeros_like(self.asked_1)
        self.best = torch.full((size,), -1.0, device=device)
        self.n_steps = torch.zeros_like(self.asked_1)
        self.streak = torch.zeros_like(self.asked_1)
        self.mark = torch.full((size,), -torch.inf, device=device)
        self.since_mark = torch.zeros_like(self.asked_1)
        self.finite = torch.ones(size, dtype=torch.bool, device=device)
        self.occupied = torch.zeros_like(self.finite)

    def begin(
        self, rows: list[int], latents: Latents, class_1: Tensor, class_2: Tensor, finite: Tensor
    ) -> None:
        """Starts attempts in ``rows`` from ``latents`` (a row each); those not ``finite`` fail at once."""
        index = torch.tensor(rows, device=self.device)
        for name, value in latents.items():
            self.latents[name][index] = value
            self.best_latents[name][index] = value
        self.adam.forget(index)
        self.asked_1[index], self.asked_2[index] = class_1, class_2
        self.best[index] = -1.0
        self.n_steps[index] = 0
        self.streak[index] = 0
        self.mark[index] = -torch.inf
        self.since_mark[index] = 0
        self.finite[index] = finite
        self.occupied[index] = True

    def release(self, rows: list[int]) -> None:
        """Frees slots."""
        self.occupied[rows] = False

    def states(self, rows: list[int]) -> dict[str, Tensor]:
        """All that is known of the attempts in ``rows``, a row each, on the CPU."""
        return {name: value.cpu()[rows] for name, value in self._tensors().items()}

    def put_back(self, row: int, state: dict[str, Tensor]) -> None:
        """Goes on with an attempt that `states` took from any slot of any run."""
        for name, value in self._tensors().items():
            value[row] = state[name].to(value)

    def step(self) -> None:
        """Looks at every image, keeps what is best, and moves those that go on uphill."""
        running = self._running()
        look, gradients = self.problem.look_with_gradient(self.latents, self.asked_1, self.asked_2)
        self.torn = True  # memory runs out in the look, if anywhere: up to here nothing has changed
        finite = look.score.isfinite() & look.controversiality.isfinite()
        for gradient in gradients.values():
            finite &= gradient.isfinite().flatten(1).all(1)
        self.finite &= finite | ~running
        self._keep_best(
            running & finite & (look.controversiality > self.best), look.controversiality, look.classes
        )
        good = look.controversiality >= self.settings.target
        self.streak = torch.where(running, torch.where(good, self.streak + 1, 0), self.streak)
        risen = look.score.detach() > self.mark + _RISE
        self.mark = torch.where(running & risen, look.score.detach(), self.mark)
        self.since_mark = torch.where(running, torch.where(risen, 0, self.since_mark + 1), self.since_mark)
        self.n_steps += running
        # A row that has stopped, or met a non-finite number, stands still and leaves its neighbours alone.
        moving = self._running()
        gradients = {name: torch.where(_rows(moving, value), value, 0) for name, value in gradients.items()}
        current = {name: self.latents[name] for name in gradients}
        moved = {**self.latents, **self.adam.ascend(current, gradients, self.n_steps.clamp(min=1))}
        allowed = self.problem.generator.constrain(moved)
        for name in gradients:
            self.latents[name] = torch.where(_rows(moving, current[name]), allowed[name], current[name])
        self.torn = False

    def report(self) -> Report:
        """Where each slot stands. Waits for the device: once every `Settings.check_every` steps."""
        finished = self.occupied & ~self._running()
        table = torch.stack(
            [
                finished.double(),
                self.finite.double(),
                (self.streak >= self.settings.patience).double(),
                self.best.double(),
                self.best_1.double(),
                self.best_2.double(),
                self.n_steps.double(),
            ]
        ).cpu()
        flags, best, counts = table[:3].bool(), table[3], table[4:].long()
        return Report(flags[0], flags[1], flags[2], best, counts[0], counts[1], counts[2])

    def best_of(self, row: int) -> Latents:
        """The best latents of a slot, one row each, on the CPU."""
        return {name: value[row : row + 1].cpu().clone() for name, value in self.best_latents.items()}

    def _tensors(self) -> dict[str, Tensor]:
        named = {
            "latents": self.latents,
            "best_latents": self.best_latents,
            "adam_first": self.adam.first,
            "adam_second": self.adam.second,
        }
        plain = ("asked_1", "asked_2", "best_1", "best_2", "best", "n_steps", "streak", "mark", "since_mark")
        return {
            **{f"{group}.{name}": value for group, values in named.items() for name, value in values.items()},
            **{name: getattr(self, name) for name in (*plain, "finite", "occupied")},
        }

    def _running(self) -> Tensor:
        settings = self.settings
        unfinished = (self.n_steps < settings.n_steps) & (self.streak < settings.patience)
        return self.occupied & self.finite & unfinished & (self.since_mark < settings.stall)

    def _keep_best(self, better: Tensor, value: Tensor, classes: tuple[Tensor, Tensor]) -> None:
        self.best = torch.where(better, value, self.best)
        self.best_1 = torch.where(better, classes[0], self.best_1)
        self.best_2 = torch.where(better, classes[1], self.best_2)
        for name, kept in self.best_latents.items():
            self.best_latents[name] = torch.where(_rows(better, kept), self.latents[name], kept)


def _rows(mask: Tensor, like: Tensor) -> Tensor:
    """``mask [n]`` with as many axes as ``like [n, ...]``."""
    return mask.view(-1, *[1] * (like.dim() - 1))
