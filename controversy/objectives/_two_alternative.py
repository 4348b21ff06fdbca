"""The objective of the task that people are given: two alternatives, nothing else."""

import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.objectives._shapes import of_class
from controversy.objectives._smooth_minimum import smooth_min


def two_alternative(
    logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor, *, sharpness: float = 1.0
) -> Tensor:
    """Smooth minimum of both models' log-probabilities in a softmax over just the two classes.

    ``log sigmoid(l1(c1) - l1(c2))`` and ``log sigmoid(l2(c2) - l2(c1))``: what the models would choose
    if they, like people, had only these alternatives. A third class may win over both.

    Args:
        logits_1: Of model 1, ``[n, k]``.
        logits_2: Of model 2, ``[n, k]``.
        class_1: Class that model 1 is to choose, indices ``[n]``.
        class_2: Class that model 2 is to choose, indices ``[n]``.
        sharpness: Of the smooth minimum.

    Returns:
        Scores ``[n]`` up to 0, float32.
    """
    first, second = logits_1.float(), logits_2.float()
    terms = [
        F.logsigmoid(of_class(first, class_1) - of_class(first, class_2)),
        F.logsigmoid(of_class(second, class_2) - of_class(second, class_1)),
    ]
    return smooth_min(torch.stack(terms, dim=-1), sharpness)
