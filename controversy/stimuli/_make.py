"""From requests to a finished stimulus set."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from controversy.classes import class_table
from controversy.classifiers import Classifier
from controversy.generators import Generator
from controversy.objectives import Objective, smooth_minimum
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._writer import SUCCESS_THRESHOLD, SetWriter
from controversy.synthesis import Request, Settings, Stimulus, synthesize

# They decide how fast a result comes, not which.
_SPEED_ONLY = ("batch_size", "check_every")


def make_set(
    folder: str | Path,
    generator: Generator,
    model_1: Classifier,
    model_2: Classifier,
    requests: Sequence[Request],
    *,
    objective: Objective = smooth_minimum,
    settings: Settings | None = None,
    success_threshold: float = SUCCESS_THRESHOLD,
    device: torch.device | str = "cpu",
    record: Mapping[str, Any] | None = None,
    on_start: Callable[[int], None] | None = None,
    on_stimulus: Callable[[Stimulus], None] | None = None,
) -> StimulusSet:
    """Synthesises the stimuli that ``folder`` lacks, and completes the set.

    A set that is complete is opened and left alone; one that a stopped run left is finished.

    Args:
        folder: Where the set is to be.
        generator: Latents -> images.
        model_1: The classifier that is to see class 1.
        model_2: The classifier that is to see class 2.
        requests: What to make; rows of the set come in this order.
        objective: What is climbed.
        settings: How hard.
        success_threshold: Hard controversiality from which a stimulus counts as a success.
        device: Where.
        record: More for the manifest, e.g. the configuration of a command.
        on_start: Called once with the number of stimuli that are there already.
        on_stimulus: Called with each stimulus after it is stored.

    Raises:
        ControversyError: The folder holds something else (the message shows what differs), or as
            `controversy.synthesis.synthesize`.
    """
    settings = settings or Settings()
    identity = {
        "pair": [model_1.name, model_2.name],
        "generator": generator.description(),
        "models": {model.name: model.weights_sha256 for model in (model_1, model_2)},
        "objective": _described(objective),
        "settings": {key: value for key, value in asdict(settings).items() if key not in _SPEED_ONLY},
        "success_threshold": success_threshold,
        "requests": [[r.stimulus_id, r.class_1, r.class_2, r.seed] for r in requests],
    }
    writer = SetWriter(folder, identity)
    if on_start:
        on_start(len(requests) if writer.complete else len(writer.done))
    if writer.complete:
        return StimulusSet(folder)
    remaining = [request for request in requests if request.stimulus_id not in writer.done]
    stimuli = synthesize(
        generator, model_1, model_2, remaining, objective=objective, settings=settings, device=device
    )
    for stimulus in stimuli:
        row = _row(stimulus, model_1, model_2)
        writer.add(stimulus.request.stimulus_id, stimulus.image, stimulus.latents, row)
        if on_stimulus:
            on_stimulus(stimulus)
    return writer.finish(
        [request.stimulus_id for request in requests],
        {model.name: model for model in (model_1, model_2)},
        class_table(generator.class_set),
        {
            "generator": generator.description(),
            "success_threshold": success_threshold,
            "run": {**asdict(settings), "device": str(device), "threads": torch.get_num_threads()},
            **(record or {}),
        },
    )


def _row(stimulus: Stimulus, model_1: Classifier, model_2: Classifier) -> dict[str, int | float | str | bool]:
    return {
        "stimulus_id": stimulus.request.stimulus_id,
        "model_1": model_1.name,
        "model_2": model_2.name,
        "class_1": stimulus.class_1,
        "class_2": stimulus.class_2,
        "seed": stimulus.request.seed,
        "n_steps": stimulus.n_steps,
        "n_attempts": stimulus.n_attempts,
        "n_non_finite": stimulus.n_non_finite,
        **stimulus.deviation,
    }


def _described(objective: Objective) -> dict[str, Any]:
    """Name and options of an objective, also of one whose options were bound by `functools.partial`."""
    if isinstance(objective, functools.partial):
        return {"name": objective.func.__name__, **objective.keywords}
    return {"name": getattr(objective, "__name__", repr(objective))}
