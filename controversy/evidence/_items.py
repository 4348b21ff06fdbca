"""Two-alternative items with what each model thinks of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from controversy.errors import ControversyError

SUBSETS = ("targeted", "other_pairs", "held_out", "all")


@dataclass(frozen=True, eq=False)
class Items:
    """What was judged, and the models' evidence on it.

    Attributes:
        ids: The items' names, ``stimulus_id`` for a stimulus set.
        models: The models' names.
        evidence: Log-odds of alternative 2 over alternative 1, ``[n_items, n_models]``; zero is a tie.
        targeted: Whether the item was made to set this model against another, ``[n_items, n_models]``.
        class_pairs: What the two alternatives were, as text, one an item; or None.
        correct: The correct alternative (1 or 2), one an item; or None where there is no truth.
    """

    ids: tuple[str, ...]
    models: tuple[str, ...]
    evidence: NDArray[np.float64]
    targeted: NDArray[np.bool_]
    class_pairs: tuple[str, ...] | None = None
    correct: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shape = (len(self.ids), len(self.models))
        for name in ("evidence", "targeted"):
            if getattr(self, name).shape != shape:
                raise ControversyError(
                    f"{name} has shape {getattr(self, name).shape}, "
                    f"but there are {shape[0]} items and {shape[1]} models."
                )
        if not shape[0] or not shape[1]:
            raise ControversyError(
                f"{shape[0]} items and {shape[1]} models: scoring needs at least one of each."
            )
        for name, values in (("item", self.ids), ("model", self.models)):
            if len(set(values)) < len(values):
                twice = next(value for value in values if values.count(value) > 1)
                raise ControversyError(
                    f"the {name} {twice!r} is there twice. Give each {name} a name of its own."
                )
        bad = np.argwhere(~np.isfinite(self.evidence))
        if len(bad):
            item, model = bad[0]
            raise ControversyError(
                f"the evidence of model {self.models[model]!r} on item {self.ids[item]!r} is "
                f"{self.evidence[item, model]} ({len(bad)} such values). "
                "Every model needs a finite number on every item."
            )

    @property
    def predictions(self) -> NDArray[np.float64]:
        """Each model's choice, ``[n_items, n_models]``: alternative 1 is 0, alternative 2 is 1, a tie 0.5."""
        return (np.sign(self.evidence) + 1) / 2

    @property
    def n_ties(self) -> NDArray[np.int64]:
        """The number of items on which each model favours neither alternative, ``[n_models]``."""
        return (self.evidence == 0).sum(axis=0)

    def subset(self, name: str) -> NDArray[np.bool_]:
        """Which items belong to a subset from each model's point of view, ``[n_items, n_models]``.

        ``targeted``: the model is one of the item's two. ``other_pairs``: the model was used in synthesis,
        but not for this item. ``held_out``: the model was never used in synthesis. ``all``: every item.

        Raises:
            ControversyError: No such subset.
        """
        synthesis = self.targeted.any(axis=0)
        masks = {
            "targeted": self.targeted,
            "other_pairs": ~self.targeted & synthesis,
            "held_out": np.broadcast_to(~synthesis, self.targeted.shape),
            "all": np.ones_like(self.targeted),
        }
        if name not in masks:
            raise ControversyError(f"no subset {name!r}. Choose from {', '.join(SUBSETS)}.")
        return masks[name]

    def take(self, indices: NDArray[np.intp]) -> "Items":
        """The items at ``indices``, in that order. Models keep their columns, wanted or not."""
        return replace(
            self,
            ids=tuple(self.ids[i] for i in indices),
            evidence=self.evidence[indices],
            targeted=self.targeted[indices],
            class_pairs=None if self.class_pairs is None else tuple(self.class_pairs[i] for i in indices),
            correct=None if self.correct is None else self.correct[indices],
        )

    def select(self, models: Sequence[str]) -> "Items":
        """The same items with only these models, in this order.

        Raises:
            ControversyError: A model is not among those of the items.
        """
        unknown = [model for model in models if model not in self.models]
        if unknown:
            raise ControversyError(
                f"no evidence of model {unknown[0]!r}. There is evidence of: {', '.join(self.models)}."
            )
        columns = [self.models.index(model) for model in models]
        return replace(
            self, models=tuple(models), evidence=self.evidence[:, columns], targeted=self.targeted[:, columns]
        )
