"""Many classes -> few categories that people know: what a model says of a category."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd
import torch
from torch import Tensor

from controversy.classes import IMAGENET, basic_categories
from controversy.errors import ControversyError

Pooling = Literal["mean", "sum"]


@dataclass(frozen=True)
class Superclasses:
    """A mapping of class indices to categories.

    Attributes:
        members: For each category, by name, the indices of its classes. Other classes do not count.
        pooling: Whether a category's probability is the "mean" of its classes' (no advantage to large
            categories; Geirhos et al. 2018) or their "sum" (the probability of the category).
    """

    members: dict[str, tuple[int, ...]]
    pooling: Pooling = "mean"

    def __post_init__(self) -> None:
        if self.pooling not in ("mean", "sum"):
            raise ControversyError(f"pooling is {self.pooling!r}, but has to be 'mean' or 'sum'")
        if len(self.members) < 2 or not all(self.members.values()):
            raise ControversyError("superclasses need at least two categories, each with a class")

    @property
    def names(self) -> list[str]:
        """The categories, in the order of their indices."""
        return list(self.members)

    @property
    def chance(self) -> float:
        """Accuracy of guessing."""
        return 1 / len(self.members)

    def __call__(self, logits: Tensor) -> Tensor:
        """Probabilities ``[n, categories]``, up to a factor, of ``[n, classes]`` logits.

        Raises:
            ControversyError: A category names a class that the logits do not have.
        """
        highest = max(max(indices) for indices in self.members.values())
        if highest >= logits.shape[1]:
            raise ControversyError(
                f"superclasses name class {highest}, but the model has {logits.shape[1]} classes"
            )
        probabilities = logits.float().softmax(1)
        columns = [probabilities[:, list(indices)] for indices in self.members.values()]
        return torch.stack([c.mean(1) if self.pooling == "mean" else c.sum(1) for c in columns], 1)


def load_superclasses(name: str, pooling: Pooling) -> Superclasses:
    """``basic16`` (the 16 basic categories of Geirhos et al. 2018), or a CSV with ``index, category``.

    Raises:
        ControversyError: There is no such file, or it has other columns.
    """
    try:
        if name == "basic16":
            table = pd.DataFrame(basic_categories(IMAGENET).items(), columns=["index", "category"])
        else:
            table = pd.read_csv(Path(name))
        grouped = table.groupby("category", sort=False)["index"]
    except (OSError, KeyError, ValueError) as problem:
        raise ControversyError(
            f"superclasses has to be basic16 or a CSV with columns index and category; {name}: {problem}"
        ) from problem
    return Superclasses({str(category): tuple(map(int, indices)) for category, indices in grouped}, pooling)
