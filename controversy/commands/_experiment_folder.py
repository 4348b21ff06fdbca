"""Where ``controversy experiment`` finds or makes the experiment that it works on."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from controversy.commands._models import make, resolve
from controversy.commands._step_bar import step_bar
from controversy.devices import resolve_device
from controversy.errors import ControversyError
from controversy.experiment import (
    CLEAR_FOLDER,
    Experiment,
    ListOptions,
    make_clear_images,
    make_lists,
    read_clear,
    read_experiment,
    write_experiment,
)
from controversy.stimuli import StimulusSet


def opened(config: Any) -> Experiment:
    """The experiment in ``config.experiment``, else in ``config.out``.

    Raises:
        ControversyError: There is none.
    """
    folder = config.experiment if config.experiment is not None else config.out
    return read_experiment(Path(folder), None if config.set is None else Path(config.set))


def made(config: Any) -> Experiment:
    """The experiment in ``config.out``: with these options, and made if there is none.

    Raises:
        ControversyError: There is one with other options, or it cannot be made.
    """
    folder, options = Path(config.out), ListOptions(**dict(config.lists))
    if (folder / "experiment.json").exists():
        experiment = opened(config)
        _check_same(experiment, options, config)
        return experiment
    if config.set is None:
        raise ControversyError(f"{folder} holds no experiment yet: say of which stimuli to make one, set=DIR")
    stimuli = StimulusSet(Path(config.set))
    clear = _clear_images(config, stimuli, options, folder) if options.n_catch + options.n_practice else None
    write_experiment(folder, stimuli, make_lists(stimuli.metadata, options, clear), options)
    experiment = read_experiment(folder, stimuli.folder)
    _print_summary(experiment)
    return experiment


def _check_same(experiment: Experiment, options: ListOptions, config: Any) -> None:
    asked, has = asdict(options), experiment.record["options"]
    changed = [
        f"{name}={asked[name]} (there: {has.get(name)})" for name in asked if asked[name] != has.get(name)
    ]
    if changed:
        raise ControversyError(
            f"{experiment.folder} holds an experiment with other lists: {', '.join(changed)}. Leave these "
            "options as "
            "they were, or choose another out=DIR: lists must not change once people are run."
        )


def _clear_images(config: Any, stimuli: StimulusSet, options: ListOptions, folder: Path) -> Any:
    """Clear images of the classes that the set has, by the generator and the models that it was made with."""
    clear = read_clear(folder)
    if clear is not None:
        return clear
    names = sorted({*stimuli.metadata["model_1"], *stimuli.metadata["model_2"]})
    if config.clear_images.models is not None:
        names = list(config.clear_images.models)
    device = resolve_device(config.device)
    classifiers = [resolve(name, config).to(device) for name in names]
    generator = make(config.generator, "generator").to(device)
    n = config.clear_images.n_images or max(2 * (options.n_catch + options.n_practice), 20)
    with step_bar("clear images", n) as advance:
        return make_clear_images(
            folder / CLEAR_FOLDER,
            generator,
            classifiers,
            n,
            classes=sorted({*stimuli.metadata["class_1"], *stimuli.metadata["class_2"]}),
            min_probability=config.clear_images.min_probability,
            seed=options.seed,
            advance=advance,
        )


def _print_summary(experiment: Experiment) -> None:
    lists = experiment.lists
    kinds = lists[lists["list"] == 0]["kind"].value_counts()
    each = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    main = lists[lists["kind"] == "main"]
    times = main["stimulus_id"].value_counts()
    left = main.groupby("list")["left_alternative"].agg(lambda sides: (sides == 1).mean())
    pairs = main.groupby(["list", "model_1", "model_2"]).size()
    print(f"{lists['list'].nunique()} lists of {len(lists[lists['list'] == 0])} trials: {each}")
    print(f"{times.size} stimuli, each in {times.min()} to {times.max()} lists")
    print(f"stimuli of a model pair in a list: {pairs.min()} to {pairs.max()}")
    print(f"first alternative on the left: {left.min():.0%} to {left.max():.0%} of a list")
    print(experiment.folder / "lists.csv")


def settings(config: Any) -> dict[str, Any]:
    """The options of the page as plain values."""
    options: dict[str, Any] = OmegaConf.to_container(config.page, resolve=True)  # type: ignore[assignment]
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
