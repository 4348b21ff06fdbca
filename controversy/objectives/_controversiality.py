"""The number that is reported of every stimulus."""

from dataclasses import dataclass

import torch
from torch import Tensor

from controversy.objectives._shapes import of_class


@dataclass(frozen=True)
class ClassProbabilities:
    """Both models' probabilities of both classes, each ``[n]`` in [0, 1].

    ``p1_class_2`` is what model 1 gives to class 2.
    """

    p1_class_1: Tensor
    p1_class_2: Tensor
    p2_class_1: Tensor
    p2_class_2: Tensor

    def controversiality(self) -> Tensor:
        """``min(p1(c1), 1 - p1(c2), p2(c2), 1 - p2(c1))``, in [0, 1]."""
        terms = [self.p1_class_1, 1 - self.p1_class_2, self.p2_class_2, 1 - self.p2_class_1]
        return torch.stack(terms).amin(0)


def class_probabilities(
    logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor
) -> ClassProbabilities:
    """Softmax probabilities (over all classes) of the two classes under the two models.

    Args:
        logits_1: Of model 1, ``[n, k]``; in float64 the result is too, else in float32.
        logits_2: Of model 2, ``[n, k]``.
        class_1: Class that model 1 is to see, indices ``[n]``.
        class_2: Class that model 2 is to see, indices ``[n]``.
    """
    first, second = (x if x.dtype == torch.float64 else x.float() for x in (logits_1, logits_2))
    p1, p2 = first.softmax(1), second.softmax(1)
    return ClassProbabilities(
        of_class(p1, class_1), of_class(p1, class_2), of_class(p2, class_1), of_class(p2, class_2)
    )


def controversiality(logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor) -> Tensor:
    """Hard controversiality of Golan, Raju & Kriegeskorte (2020): `ClassProbabilities.controversiality`.

    Returns:
        ``[n]`` in [0, 1]; 1 where both models are certain of their own class.
    """
    return class_probabilities(logits_1, logits_2, class_1, class_2).controversiality()
