"""The shape of an objective, and the indexing that all of them share."""

from collections.abc import Callable

from torch import Tensor

Objective = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""(logits_1 [n, k], logits_2 [n, k], class_1 [n], class_2 [n]) -> score [n], larger = more controversial."""


def of_class(values: Tensor, index: Tensor) -> Tensor:
    """``values[i, index[i]]`` for each row ``i``: ``[n, k]`` and ``[n]`` -> ``[n]``."""
    return values.gather(1, index.unsqueeze(1)).squeeze(1)
