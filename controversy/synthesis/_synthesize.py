"""Synthesis: requests in, stimuli out, as they get done."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import torch
from torch import Tensor

from controversy.classifiers import Classifier
from controversy.generators import Generator, Latents
from controversy.images import to_uint8
from controversy.objectives import Objective, smooth_minimum
from controversy.synthesis._attempts import Choice
from controversy.synthesis._flight import Flight, Snapshot
from controversy.synthesis._layouts import fast_layouts
from controversy.synthesis._memory import batch_that_fits, out_of_memory
from controversy.synthesis._problem import Problem
from controversy.synthesis._request import Request
from controversy.synthesis._settings import Settings
from controversy.synthesis._validate import validate

OnRound = Callable[[Callable[[], Snapshot]], None]


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
    snapshot: Snapshot | None = None,
    on_round: OnRound | None = None,
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
        snapshot: Where an earlier run of these requests, or of more, stood: it goes on from there.
        on_round: Called every `Settings.check_every` steps, after the stimuli that got done were taken, with
            a function that gives a `Snapshot`. What it raises ends the run.

    Yields:
        Stimuli in the order in which they get done.

    Raises:
        ControversyError: Generator, models and objective do not go together (found before any work), or
            a stimulus met non-finite numbers again and again.
    """
    settings = settings or Settings()
    device = torch.device(device)
    problem = Problem(
        generator.to(device),
        (model_1.to(device), model_2.to(device)),
        objective,
        settings.precision,
        settings.checkpointing,
    )
    validate(problem, requests, device)
    return _run(problem, requests, settings, device, snapshot, on_round)


def _run(
    problem: Problem,
    requests: Sequence[Request],
    settings: Settings,
    device: torch.device,
    snapshot: Snapshot | None,
    on_round: OnRound | None,
) -> Iterator[Stimulus]:
    if not requests:
        return
    size = settings.batch_size
    if size == "auto":
        size = batch_that_fits(problem, len(requests), device)
    networks = (problem.generator, *problem.models)
    with fast_layouts(networks, device) if settings.layout == "fast" else nullcontext():
        flight = Flight(problem, settings, requests, size, device, snapshot)
        while not flight.queue.finished:
            if choices := flight.advance():
                yield from _rendered(problem, choices, flight, device)
            if on_round:
                on_round(flight.snapshot)


def _rendered(
    problem: Problem, choices: Sequence[Choice], flight: Flight, device: torch.device
) -> list[Stimulus]:
    """The stimuli of chosen attempts, made in full batches like every other image of the run."""
    while True:
        size = flight.batch_size
        parts = [choices[start : start + size] for start in range(0, len(choices), size)]
        try:
            return [stimulus for part in parts for stimulus in _render(problem, part, size, device)]
        except Exception as error:
            if not out_of_memory(error):
                raise
            said = str(error)
        flight.halve(said)


@torch.no_grad()
def _render(
    problem: Problem, choices: Sequence[Choice], batch_size: int, device: torch.device
) -> Iterator[Stimulus]:
    """Up to ``batch_size`` stimuli with their 8-bit images."""
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
