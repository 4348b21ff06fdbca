"""From requests to a finished stimulus set."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from controversy.classes import class_table, rename_classes
from controversy.classifiers import Classifier
from controversy.errors import ControversyError
from controversy.generators import Generator
from controversy.jobs import open_job, read_status
from controversy.objectives import Objective, smooth_minimum
from controversy.stimuli._configuration import as_json, check_same_configuration
from controversy.stimuli._layout import MANIFEST
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._snapshots import SNAPSHOT_EVERY, Snapshots, read_snapshot
from controversy.stimuli._writer import SUCCESS_THRESHOLD, SetWriter
from controversy.synthesis import Request, Settings, Stimulus, synthesize

# They decide how fast a result comes, not which.
_SPEED_ONLY = ("batch_size", "check_every", "checkpointing")


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
    class_names: Mapping[str | int, str] | None = None,
    wait: float = 0.0,
    snapshot_every: float = SNAPSHOT_EVERY,
    stop: Callable[[], bool] | None = None,
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
        class_names: Class (index, WordNet id or name) -> what participants are to read in its place.
        wait: Seconds to wait for another job on the same folder before giving up.
        snapshot_every: Seconds between two snapshots of the images in the making, so that a killed run loses
            no more; 0: after every round.
        stop: Asked after each round of `Settings.check_every` steps: True saves a snapshot and stops.
        on_start: Called once with the number of stimuli that are there already.
        on_stimulus: Called with each stimulus; a thread is storing it.

    Raises:
        ControversyError: The folder holds something else (the message shows what differs), another job works
            on it, ``class_names`` names no class or two alike, a file cannot be written, or as
            `controversy.synthesis.synthesize`.
        controversy.jobs.Interrupted: ``stop`` said so.
    """
    settings = settings or Settings()
    classes = class_table(generator.class_set)
    if class_names:
        classes = rename_classes(classes, class_names)
    identity = {
        "pair": [model_1.name, model_2.name],
        "generator": generator.description(),
        "models": {model.name: model.weights_sha256 for model in (model_1, model_2)},
        "objective": _described(objective),
        "settings": _that_decide(settings),
        "success_threshold": success_threshold,
        "requests": [[r.stimulus_id, r.class_1, r.class_2, r.seed] for r in requests],
    }
    if class_names:  # absent otherwise: an unfinished set of an earlier version goes on
        identity["class_names"] = {str(word): name for word, name in class_names.items()}
    folder = Path(folder)
    check_same_configuration(folder, as_json(identity))
    status = read_status(folder)
    if (folder / MANIFEST).exists() and status and status.state == "complete":
        if on_start:
            on_start(len(requests))
        return StimulusSet(folder)
    with (
        open_job(folder, len(requests), wait=wait) as job,
        told_of_full_disks(folder),
        SetWriter(folder, identity, n_stimuli=len(requests)) as writer,
    ):
        n_done = len(requests) if writer.complete else len(writer.done)
        job.count(n_done)
        if on_start:
            on_start(n_done)
        if writer.complete:
            return StimulusSet(folder)
        snapshots = Snapshots(folder, snapshot_every, stop, before=writer.flush)
        stimuli = synthesize(
            generator,
            model_1,
            model_2,
            [request for request in requests if request.stimulus_id not in writer.done],
            objective=objective,
            settings=settings,
            device=device,
            snapshot=read_snapshot(folder),
            on_round=snapshots.after_round,
        )
        for stimulus in stimuli:
            row = _row(stimulus, model_1, model_2)
            writer.add(stimulus.request.stimulus_id, stimulus.image, stimulus.latents, row)
            n_done += 1
            job.count(n_done)
            if on_stimulus:
                on_stimulus(stimulus)
        return writer.finish(
            [request.stimulus_id for request in requests],
            {model.name: model for model in (model_1, model_2)},
            classes,
            {
                "generator": generator.description(),
                "success_threshold": success_threshold,
                "run": {
                    **asdict(settings),
                    "device": str(device),
                    "threads": torch.get_num_threads(),
                    "tf32": torch.backends.cuda.matmul.allow_tf32,
                },
                **(record or {}),
            },
        )


@contextmanager
def told_of_full_disks(folder: Path) -> Iterator[None]:
    """Turns a system's error into one that says that nothing is lost.

    Raises:
        ControversyError: A file could not be written.
    """
    try:
        yield
    except (OSError, SafetensorError) as problem:
        raise ControversyError(
            f"cannot write the set in {folder}: {problem}. Every stimulus that was stored is whole. "
            "Make room (or see who may write there) and run the same command again: it goes on from there."
        ) from problem


def _that_decide(settings: Settings) -> dict[str, Any]:
    """The settings that decide which stimuli come; younger options only where they are used."""
    given = {key: value for key, value in asdict(settings).items() if key not in _SPEED_ONLY}
    return {key: value for key, value in given.items() if (key, value) != ("layout", "plain")}


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
