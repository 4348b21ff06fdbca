"""Synthesis: requests in, stimuli out, as they get done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from controversy.classifiers import Classifier
from controversy.generators import Generator, Latents
from controversy.images import to_uint8
from controversy.objectives import Objective, smooth_minimum
from controversy.synthesis._attempts import AttemptQueue, Choice, Outcome
from controversy.synthesis._candidates import best_candidates
from controversy.synthesis._problem import Problem
from controversy.synthesis._request import Request
from controversy.synthesis._settings import Settings
from controversy.synthesis._slots import Report, Slots
from controversy.synthesis._validate import validate


@dataclass(frozen=True)
class Stimulus:
    """A finished stimulus.

    Attributes:
        request: What was asked for.
        image: uint8 ``[3, h, w]``.
        latents: What regenerates it, without a batch axis.
        class_1: Index of the class that model 1 is to see: the request's, or the models' choice.
        class_2: Index of the class that model 2 is to see.
        controversiality: Before rounding to 8 bits; what is reported is computed after it.
        n_steps: Steps of all attempts that counted.
        n_attempts: How many these were.
        n_non_finite: How many of them met an infinite or undefined number and were made again.
        deviation: How far the latents are from where the generator was trained, by measure.
    """

    request: Request
    image: Tensor
    latents: Latents
    class_1: int
    class_2: int
    controversiality: float
    n_steps: int
    n_attempts: int
    n_non_finite: int
    deviation: dict[str, float] = field(default_factory=dict)


def synthesize(
    generator: Generator,
    model_1: Classifier,
    model_2: Classifier,
    requests: Sequence[Request],
    *,
    objective: Objective = smooth_minimum,
    settings: Settings | None = None,
    device: torch.device | str = "cpu",
) -> Iterator[Stimulus]:
    """Makes controversial stimuli by gradient ascent on the latents of a generator.

    Golan, Raju & Kriegeskorte (2020), with the generator of a GAN as the space of images. A stimulus
    depends on its request, the models and the settings that say how hard to try; not on the other
    requests, nor on the order in which they get done.

    Args:
        generator: Latents -> images.
        model_1: The classifier that is to see class 1.
        model_2: The classifier that is to see class 2.
        requests: What to make.
        objective: What is climbed.
        settings: How hard.
        device: Where; generator and models are moved there.

    Yields:
        Stimuli in the order in which they get done.

    Raises:
        ControversyError: Generator, models and objective do not go together (found before any work), or
            a stimulus met non-finite numbers again and again.
    """
    settings = settings or Settings()
    device = torch.device(device)
    problem = Problem(
        generator.to(device), (model_1.to(device), model_2.to(device)), objective, settings.precision
    )
    validate(problem, requests, device)
    return _run(problem, requests, settings, device)


def _run(
    problem: Problem, requests: Sequence[Request], settings: Settings, device: torch.device
) -> Iterator[Stimulus]:
    if not requests:
        return
    queue = AttemptQueue(requests, settings.n_attempts)
    slots = Slots(problem, settings, problem.generator.sample(1, torch.Generator(), (0, 1)), device)
    running: dict[int, tuple[int, int]] = {}  # slot -> (request, attempt)
    while not queue.finished:
        _fill(slots, queue, running)
        for _ in range(settings.check_every):
            slots.step()
        choices = _collect(slots, queue, running)
        if choices:
            yield from _render(problem, choices, settings.batch_size, device)


def _fill(slots: Slots, queue: AttemptQueue, running: dict[int, tuple[int, int]]) -> None:
    """Gives every free slot an attempt, while there are any."""
    taken: dict[int, tuple[int, int]] = {}
    for slot in range(slots.settings.batch_size):
        if slot not in running and (attempt := queue.next()):
            taken[slot] = attempt
    if not taken:
        return
    attempts = [(queue.requests[index], number) for index, number in taken.values()]
    latents, finite = best_candidates(
        slots.problem, attempts, slots.settings.n_candidates, slots.settings.batch_size, slots.device
    )
    asked = torch.tensor([request.alternatives or (-1, -1) for request, _ in attempts], device=slots.device)
    slots.begin(list(taken), latents, asked[:, 0], asked[:, 1], finite)
    running.update(taken)


def _collect(slots: Slots, queue: AttemptQueue, running: dict[int, tuple[int, int]]) -> list[Choice]:
    """Frees the slots of finished attempts, and of those that nobody waits for; returns what is decided."""
    report = slots.report()
    choices = []
    for slot in [slot for slot in running if report.finished[slot]]:
        index, attempt = running.pop(slot)
        if queue.is_open(index) and (choice := queue.record(index, attempt, _outcome(slots, report, slot))):
            choices.append(choice)
        slots.release([slot])
    abandoned = [slot for slot, (index, _) in running.items() if not queue.is_open(index)]
    for slot in abandoned:
        del running[slot]
    slots.release(abandoned)
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


@torch.no_grad()
def _render(
    problem: Problem, choices: list[Choice], batch_size: int, device: torch.device
) -> Iterator[Stimulus]:
    """The 8-bit images of chosen latents, made in full batches like every other image of the run."""
    latents = {
        name: torch.cat([choice.outcome.latents[name] for choice in choices])
        for name in choices[0].outcome.latents
    }
    index = torch.arange(batch_size).remainder(len(choices))
    on_device = {name: value[index].to(device) for name, value in latents.items()}
    images = to_uint8(problem.images(on_device)).cpu()
    deviation = {name: value.cpu() for name, value in problem.generator.deviation(on_device).items()}
    for row, choice in enumerate(choices):
        yield Stimulus(
            request=choice.request,
            image=images[row],
            latents={name: value[row] for name, value in latents.items()},
            class_1=choice.outcome.classes[0],
            class_2=choice.outcome.classes[1],
            controversiality=choice.outcome.controversiality,
            n_steps=choice.n_steps,
            n_attempts=choice.n_attempts,
            n_non_finite=choice.n_non_finite,
            deviation={name: float(value[row]) for name, value in deviation.items()},
        )
