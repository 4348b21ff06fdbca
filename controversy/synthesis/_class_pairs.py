"""Which class pairs: from a file, or of different basic categories."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from controversy.classes import class_index
from controversy.errors import ControversyError
from controversy.synthesis._design import class_pairs, explicit_pairs
from controversy.synthesis._request import Request


def read_class_pairs(path: Path | str, table: pd.DataFrame) -> list[tuple[int, int]]:
    """Ordered pairs from a CSV with the columns ``class_1`` and ``class_2``.

    Args:
        path: The file; classes by index, WordNet id or name.
        table: What they are, as `controversy.classes.class_table` gives it.

    Raises:
        ControversyError: There is no such file, a column is missing, or a class is unknown.
    """
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        words = list(zip(rows["class_1"], rows["class_2"], strict=True))
    except (OSError, KeyError, ValueError) as problem:
        raise ControversyError(
            f"class pairs are read from a CSV with columns class_1 and class_2; {path}: {problem}"
        ) from problem
    if not words:
        raise ControversyError(f"{path} has no class pairs")
    return [(class_index(first, table), class_index(second, table)) for first, second in words]


def basic_level_pairs(
    categories: Mapping[int, str], n_stimuli: int | None = None, *, seed: int = 0
) -> list[Request]:
    """Requests whose two classes a person would not call by one word.

    Pairs of categories are balanced as `class_pairs` balances classes: otherwise nearly all would be dogs
    against birds. Within a category, its classes take turns in a random order on each side.

    Args:
        categories: The basic category of each class that may be used, as
            `controversy.classes.basic_categories` gives it.
        n_stimuli: How many; by default one for each ordered pair of categories.
        seed: Of the study.

    Raises:
        ControversyError: There are fewer than two categories, or fewer than one stimulus.
    """
    members = defaultdict(list)
    for index, category in sorted(categories.items()):
        members[category].append(index)
    names = sorted(members)
    wanted = class_pairs(len(names), n_stimuli, seed=seed)
    rng = np.random.default_rng([seed, len(categories)])
    # Shuffled, so that turns in one category do not keep step with turns in another.
    pairs = [(request.class_1, request.class_2) for request in wanted]
    turns = [[rng.permutation(members[name]) for name in names] for _ in range(2)]
    used = [[0] * len(names) for _ in range(2)]
    chosen: list[list[int]] = [[0, 0] for _ in pairs]
    for i in rng.permutation(len(pairs)):
        for side, category in enumerate(pairs[i]):
            assert category is not None  # class_pairs always names both
            order = turns[side][category]
            chosen[i][side] = int(order[used[side][category] % len(order)])
            used[side][category] += 1
    return explicit_pairs([(first, second) for first, second in chosen], seed=seed)
