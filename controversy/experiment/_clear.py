"""Clear images for catch and practice trials: samples that every model calls by their own class."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from controversy.classes import class_table
from controversy.classifiers import Classifier
from controversy.errors import ControversyError
from controversy.files import write_text
from controversy.generators import Generator
from controversy.images import from_uint8, to_uint8, write_png

CLEAR_TABLE = "clear.csv"
_BATCH = 16


def make_clear_images(
    folder: Path,
    generator: Generator,
    classifiers: Sequence[Classifier],
    n: int,
    *,
    classes: Sequence[int] | None = None,
    min_probability: float = 0.9,
    max_draws: int = 2000,
    seed: int = 0,
    advance: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Draws images that nobody should doubt, and writes them.

    An image is an unoptimised sample of the generator for one class. It is clear when every classifier gives
    that class at least ``min_probability``, on the 8-bit image that is saved. Classes take turns.

    Args:
        folder: Gets ``clear.csv`` and ``images/``.
        generator: A class-conditional one.
        classifiers: All have to agree.
        n: How many images.
        classes: The classes that may occur; all by default.
        min_probability: How sure every classifier has to be.
        max_draws: After so many samples without ``n`` clear ones it is given up.
        seed: Of the samples.
        advance: Called with a word after every image that is found.

    Returns:
        The table that is in ``clear.csv``: ``stimulus_id, file_name, class, class_name, min_probability``
        (the least that any classifier gives the class).

    Raises:
        ControversyError: Samples are clear too rarely, or the classifiers have other classes.
    """
    names = class_table(generator.class_set)["name"]
    for classifier in classifiers:
        if classifier.class_set != generator.class_set:
            raise ControversyError(
                f"{classifier.name} knows the classes {classifier.class_set!r}, but the generator makes "
                f"{generator.class_set!r}: clear images cannot be checked."
            )
    wanted = list(range(generator.n_classes)) if classes is None else [int(c) for c in classes]
    rng = torch.Generator().manual_seed(seed)
    order = np.random.default_rng(seed).permutation(wanted)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    drawn, turn = 0, 0
    while len(rows) < n and drawn < max_draws:
        label = int(order[turn % len(order)])
        turn += 1
        images, sure = _sample(generator, classifiers, label, rng)
        drawn += len(images)
        clear = torch.nonzero(sure >= min_probability).flatten()
        if not len(clear):
            continue
        best = int(clear[0])
        name = f"clear-{label}-{len(rows):03d}"
        write_png(folder / "images" / f"{name}.png", images[best])
        rows.append(
            {
                "stimulus_id": name,
                "file_name": f"images/{name}.png",
                "class": label,
                "class_name": names[label],
                "min_probability": float(sure[best]),
            }
        )
        advance(name)
    if len(rows) < n:
        raise ControversyError(
            f"only {len(rows)} of {drawn} samples of {generator.name} were given their class with "
            f"{min_probability} "
            f"by all of {', '.join(c.name for c in classifiers)}, but {n} clear images are needed. Ask for "
            "fewer "
            "catch and practice trials or a lower clear_images.min_probability."
        )
    table = pd.DataFrame(rows)
    write_text(folder / CLEAR_TABLE, table.to_csv(index=False, lineterminator="\n"))
    return table


@torch.no_grad()
def _sample(
    generator: Generator, classifiers: Sequence[Classifier], label: int, rng: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Samples of one class, uint8, and the least probability that any classifier gives it."""
    device = next((p.device for p in generator.parameters()), torch.device("cpu"))
    latents = generator.sample(_BATCH, rng, (label, label))
    images = to_uint8(generator({name: value.to(device) for name, value in latents.items()}))
    probabilities = [
        classifier(from_uint8(images)).float().softmax(1)[:, label].cpu() for classifier in classifiers
    ]
    return images.cpu(), torch.stack(probabilities).amin(0)
