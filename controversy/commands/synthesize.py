"""``controversy synthesize``: a stimulus set for one pair of models."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import torch
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import OmegaConf

from controversy.classes import basic_categories, class_index, class_table, read_class_names
from controversy.commands._interruption import stopping_well
from controversy.commands._models import make, resolve
from controversy.commands._progress import SynthesisProgress
from controversy.commands._types import check_types
from controversy.devices import resolve_device
from controversy.errors import ControversyError
from controversy.generators import Generator
from controversy.jobs import device_of_job, record_failure
from controversy.stimuli import StimulusSet, make_set
from controversy.synthesis import (
    Request,
    Settings,
    basic_level_pairs,
    class_pairs,
    explicit_pairs,
    read_class_pairs,
    untargeted,
)

# Overrides that do not make another set, or that a set's name says already.
_NOT_IN_NAME = {
    "pair",
    "seed",
    "out",
    "device",
    "threads",
    "snapshot_every",
    "wait",
    "study",
    "search.batch_size",
    "search.check_every",
    "search.checkpointing",
}


def run(config: Any) -> None:
    """Makes the set and prints what came of it; the last line is the path of the contact sheet.

    In a sweep nothing is raised: a job's failure is on record in its folder, and its neighbours go on.
    """
    hydra = HydraConfig.get()
    if hydra.mode != RunMode.MULTIRUN:
        return _make(config, Path(config.out) if config.out else Path("outputs") / _name(config, hydra))
    folder = folder_in_sweep(config, hydra)
    try:
        check_types(config, "synthesize")
        with device_of_job(config.device, hydra.job.num) as device:
            _make(OmegaConf.merge(config, {"device": device}), folder)
    except Exception as problem:
        record_failure(folder, problem)
        print(f"{folder}: {problem}", file=sys.stderr, flush=True)
    return None


def folder_in_sweep(config: Any, hydra: Any) -> Path:
    """The folder of one job of a sweep, named by what the job is."""
    return Path(str(config.out or "outputs")) / _name(config, hydra)


def _make(config: Any, folder: Path) -> None:
    names = _pair(config)
    settings = Settings(**dict(config.search))
    device = resolve_device(config.device)
    if not 0 <= config.success_threshold <= 1:
        raise ControversyError(
            f"success_threshold is {config.success_threshold}, but controversiality lies in [0, 1]"
        )
    _make_repeatable(config.threads)
    models = [resolve(name, config) for name in names]
    generator = make(config.generator, "generator")
    requests = _requests(config, generator)
    with (
        SynthesisProgress(len(requests), config.success_threshold) as progress,
        stopping_well() as stop,
    ):
        made = make_set(
            folder,
            generator,
            models[0],
            models[1],
            requests,
            objective=make(config.objective, "objective"),
            settings=settings,
            success_threshold=config.success_threshold,
            device=device,
            record={"config": OmegaConf.to_container(config, resolve=True)},
            class_names=_class_names(config.class_names),
            wait=_seconds("wait", config.wait),
            snapshot_every=_seconds("snapshot_every", config.snapshot_every),
            stop=stop,
            on_start=progress.begin,
            on_stimulus=progress.add,
        )
    _report(made)


def _class_names(given: Any) -> dict[str | int, str] | None:
    if given is None or isinstance(given, str):
        return read_class_names(given) if given else None
    if not OmegaConf.is_dict(given):
        raise ControversyError(
            f"class_names is {given}, but has to be like {{3: three, n02012849: heron}}, or a CSV with "
            "columns class and name"
        )
    return {word: str(name) for word, name in given.items()}


def _seconds(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or not value >= 0:
        raise ControversyError(f"{name} is {value!r}, but has to be a number of seconds, 0 or more")
    return float(value)


def _pair(config: Any) -> list[str]:
    pair = config.pair
    if OmegaConf.is_list(pair):
        pair = [str(name) for name in pair]
    if not isinstance(pair, list) or len(pair) != 2:
        raise ControversyError(f"pair is {config.pair}, but has to be two names: pair=[model_1,model_2]")
    if pair[0] == pair[1]:
        raise ControversyError(f"the pair is {pair[0]} twice: a model cannot disagree with itself")
    return pair


def _make_repeatable(threads: int | None) -> None:
    """Kernels that give the same bytes each time; tf32 and cuDNN's search for kernels do not."""
    if threads is None and "SLURM_CPUS_PER_TASK" in os.environ:
        threads = int(os.environ["SLURM_CPUS_PER_TASK"])
    if threads is not None:
        if threads < 1:
            raise ControversyError(f"threads is {threads}, but has to be 1 or more")
        torch.set_num_threads(threads)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True


def _requests(config: Any, generator: Generator) -> list[Request]:
    design, table = config.design, class_table(generator.class_set)
    if design.like is not None:
        return _like(design.like, config)
    if design.kind == "untargeted":
        n_pairs = generator.n_classes * (generator.n_classes - 1)
        return untargeted(n_pairs if config.n_stimuli is None else config.n_stimuli, seed=config.seed)
    if design.kind == "basic_level":
        if design.class_pairs is not None:
            raise ControversyError(
                "design.kind=basic_level chooses the class pairs: leave out design.class_pairs"
            )
        return basic_level_pairs(basic_categories(generator.class_set), config.n_stimuli, seed=config.seed)
    if design.kind != "class_pairs":
        raise ControversyError(
            f"design.kind is {design.kind!r}, but has to be class_pairs, basic_level or untargeted"
        )
    if design.class_pairs is None:
        return class_pairs(generator.n_classes, config.n_stimuli, seed=config.seed)
    if config.n_stimuli is not None:
        raise ControversyError("n_stimuli and design.class_pairs both say how many stimuli: give one of them")
    if isinstance(design.class_pairs, str):
        return explicit_pairs(read_class_pairs(design.class_pairs, table), seed=config.seed)
    if any(not OmegaConf.is_list(pair) or len(pair) != 2 for pair in design.class_pairs):
        raise ControversyError(
            f"design.class_pairs is {design.class_pairs}, but has to be like [[3,5],[4,9]]"
        )
    pairs = [(class_index(a, table), class_index(b, table)) for a, b in design.class_pairs]
    return explicit_pairs(pairs, seed=config.seed)


def _like(folder: str, config: Any) -> list[Request]:
    if config.n_stimuli is not None or config.design.class_pairs is not None:
        raise ControversyError(
            "design.like takes the design of a whole set: leave out n_stimuli and design.class_pairs"
        )
    rows = StimulusSet(folder).metadata
    ids, seeds = rows["stimulus_id"].astype(str), rows["seed"].astype(int)
    if config.design.kind == "untargeted":
        return [Request(name, None, None, seed) for name, seed in zip(ids, seeds, strict=True)]
    classes = rows["class_1"].astype(int), rows["class_2"].astype(int)
    return [Request(*row) for row in zip(ids, *classes, seeds, strict=True)]


def _name(config: Any, hydra: Any) -> str:
    names = _pair(config)
    words = [f"{names[0]}-vs-{names[1]}", f"seed{config.seed}"]
    for override in hydra.overrides.task:
        key, _, value = override.lstrip("+~").partition("=")
        if key not in _NOT_IN_NAME:
            words.append(re.sub(r"[^A-Za-z0-9.]+", "-", f"{key}-{value}").strip("-"))
    return "_".join(words)


def _report(made: StimulusSet) -> None:
    scores = made.metadata["controversiality"]
    pair = made.metadata[["model_1", "model_2"]].iloc[0]
    print(
        f"{len(made)} stimuli for {pair.model_1} against {pair.model_2}: "
        f"{(scores >= 0.75).mean():.1%} reach controversiality 0.75, {(scores >= 0.9).mean():.1%} reach 0.9, "
        f"median {scores.median():.3f}"
    )
    print(f"set: {made.folder}")
    print(f"browse: {made.folder / 'index.html'}")
    print(f"contact sheet: {made.folder / 'contact_sheet.png'}")
