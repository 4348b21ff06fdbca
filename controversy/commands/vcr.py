"""``controversy vcr models=[...] images=DIR``: robustness to corruptions over all visibilities."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from controversy.classes import class_index, class_table
from controversy.classifiers import Classifier
from controversy.commands._models import resolve
from controversy.corruptions import load_corruption
from controversy.devices import resolve_device
from controversy.errors import ControversyError
from controversy.vcr import (
    ESTIMATORS,
    PROPERTIES,
    Estimator,
    Evaluation,
    Facts,
    ImageSet,
    Monotone,
    People,
    Results,
    Sampler,
    Shen2024,
    Superclasses,
    alike_corruptions,
    corruption_sheet,
    digits,
    draw_curves,
    draw_robustness,
    images_at,
    load_superclasses,
    pooled,
    read_people,
    score,
    write_report,
    write_table,
)
from controversy.visual_change import VisualChange

_SECONDS_BETWEEN_LINES = 30.0


def run(config: Any) -> None:
    """Evaluates ``config.models`` on corrupted ``config.images`` and scores them.

    Raises:
        ControversyError: An option cannot be; said before any work.
    """
    estimator = _estimator(config)
    people = read_people(Path(config.people)) if config.people else {}
    superclasses = load_superclasses(config.superclasses, config.pooling) if config.superclasses else None
    evaluation = _evaluation(config, superclasses)
    with _bar(evaluation.total) as progress:
        originals, observations = evaluation.run(progress)
    options = {"n_bootstrap": config.n_bootstrap, "seed": config.seed}
    results = score(originals, observations, people, list(evaluation.models), estimator, **options)
    facts = _facts(config, evaluation, originals, estimator, superclasses)
    _write(evaluation, results, facts, _groups(people, config.seed))
    _say(evaluation.folder, results, facts)


def _evaluation(config: Any, superclasses: Superclasses | None) -> Evaluation:
    if not config.models or not config.corruptions:
        raise ControversyError(
            "models and corruptions each need at least one name, e.g. models=[digits_resnet]"
        )
    device = resolve_device(config.device)
    measure = VisualChange(config.visual_change)
    corruptions = {name: load_corruption(name) for name in config.corruptions}
    sampler = Sampler(measure, config.per_image, batch_size=2 * config.batch_size)
    models = {name: resolve(name, config).to(device) for name in config.models}
    return Evaluation(
        images=_images(config, list(models.values()), superclasses),
        corruptions=corruptions,
        models={name: _looking(model, superclasses) for name, model in models.items()},
        sampler=sampler,
        seed=config.seed,
        device=device,
        batch_size=config.batch_size,
        folder=Path(config.out),
        record=_record(config, measure, models, superclasses),
        save_images=config.save_images,
    )


def _facts(
    config: Any,
    evaluation: Evaluation,
    originals: pd.DataFrame,
    estimator: Estimator,
    superclasses: Superclasses | None,
) -> Facts:
    predictions = {name: originals[f"prediction_{name}"] for name in evaluation.models}
    return Facts(
        n_images=len(evaluation.images),
        images=str(config.images),
        per_image=config.per_image,
        visual_change=evaluation.sampler.measure.description(*evaluation.images.sizes[0]),
        estimator=repr(estimator),
        n_bootstrap=config.n_bootstrap,
        seed=config.seed,
        people=str(config.people) if config.people else None,
        chance=1 / evaluation.record["n_classes"],
        superclasses=f"{config.superclasses}, probabilities by {config.pooling}" if superclasses else None,
        clean={name: float((said == originals["label"]).mean()) for name, said in predictions.items()},
    )


def _estimator(config: Any) -> Estimator:
    if config.estimator not in ESTIMATORS:
        raise ControversyError(
            f"estimator is {config.estimator!r}, but has to be one of {', '.join(ESTIMATORS)}"
        )
    return (
        Monotone(bins=config.bins) if config.estimator == "monotone" else Shen2024(smoothing=config.smoothing)
    )


def _images(config: Any, models: list[Classifier], superclasses: Superclasses | None) -> ImageSet:
    class_sets = {model.class_set for model in models}
    if len(class_sets) > 1:
        raise ControversyError(
            f"the models know different classes ({', '.join(sorted(class_sets))}): evaluate them apart"
        )
    if config.images == "digits":
        return digits(config.n_images or 50, seed=config.seed)
    table = class_table(class_sets.pop())

    def label_of(word: str) -> int:
        if superclasses is None:
            return class_index(word, table)
        if word not in superclasses.names:
            raise ControversyError(
                f"there is no category {word!r}; there are {', '.join(superclasses.names)}"
            )
        return superclasses.names.index(word)

    return images_at(Path(config.images), label_of, size=config.size, at_most=config.n_images)


def _looking(model: Classifier, superclasses: Superclasses | None) -> Callable[[torch.Tensor], torch.Tensor]:
    return model if superclasses is None else lambda images: superclasses(model(images))


def _record(
    config: Any, measure: VisualChange, models: dict[str, Classifier], superclasses: Superclasses | None
) -> dict[str, Any]:
    n_classes = next(iter(models.values())).n_classes
    return {
        "n_classes": len(superclasses.names) if superclasses else n_classes,
        "source": str(config.images),
        "size": config.size,
        "visual_change": repr(measure),
        "superclasses": config.superclasses,
        "pooling": config.pooling,
        "weights": {name: model.weights_sha256 for name, model in models.items()},
    }


def _groups(people: People, seed: int) -> dict[str, tuple[pd.DataFrame, dict[str, int]]]:
    """Pairs and groups of corruptions, for each property that people were asked about under two or more."""
    seen = {name: pooled(people, name) for name in PROPERTIES}
    return {name: alike_corruptions(curves, seed=seed) for name, curves in seen.items() if len(curves) > 1}


def _write(
    evaluation: Evaluation,
    results: Results,
    facts: Facts,
    groups: dict[str, tuple[pd.DataFrame, dict[str, int]]],
) -> None:
    folder, images, measure = evaluation.folder, evaluation.images, evaluation.sampler.measure
    table = results.table.assign(
        chance=facts.chance, visual_change=facts.visual_change, estimator=facts.estimator
    )
    write_table(folder / "vcr.csv", table)
    for name in PROPERTIES:
        draw_curves(results, name, folder / f"curves_{name}", chance=facts.chance)
        draw_robustness(results, name, folder / f"robustness_{name}")
    for name, (pairs, _) in groups.items():
        write_table(folder / f"groups_{name}.csv", pairs)
    sheet = folder / "corruptions.png"
    if not sheet.exists():
        example = images.read(0), images.names[0]
        corruption_sheet(*example, evaluation.corruptions, measure, sheet, seed=evaluation.seed)
    write_report(folder, results, facts, {name: numbers for name, (_, numbers) in groups.items()})


def _say(folder: Path, results: Results, facts: Facts) -> None:
    means = results.table[(results.table["corruption"] == "mean") & (results.table["property"] == "accuracy")]
    columns = ["model", "robustness", "robustness_low", "robustness_high"]
    for model, value, low, high in means[columns].itertuples(index=False):
        print(
            f"{model}: accuracy {facts.clean[model]:.3f} untouched, "
            f"robustness {value:.3f} [{low:.3f}, {high:.3f}], mean of {len(results.averaged)} corruptions"
        )
    print(f"{folder / 'report.html'}")


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Corrupted images done and a second: a live bar on a terminal, a line now and then elsewhere."""
    start = last = time.monotonic()
    done = 0
    console = Console(stderr=True)
    columns = (TextColumn("corrupted images"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)

        def add(n: int) -> None:
            nonlocal done, last
            done += n
            bar.update(task, completed=done)
            if not console.is_terminal and time.monotonic() - last > _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                print(f"{done} of {total} corrupted images", file=sys.stderr, flush=True)

        yield add
    seconds = time.monotonic() - start
    print(f"{total} corrupted images in {seconds:.0f} s ({total / seconds:.1f} a second)", file=sys.stderr)
