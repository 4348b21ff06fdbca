"""The objective for models with sigmoid readouts."""

import torch
from torch import Tensor

from controversy.objectives._shapes import of_class
from controversy.objectives._smooth_minimum import smooth_min


def four_logits(
    logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor, *, sharpness: float = 1.0
) -> Tensor:
    """Smooth minimum of ``l1(c1), -l1(c2), l2(c2), -l2(c1)``: each model says one class and denies the other.

    Golan, Raju & Kriegeskorte (2020), eq. 4: logits, not probabilities, so that saturated sigmoids
    still have a gradient.

    Args:
        logits_1: Of model 1, ``[n, k]``.
        logits_2: Of model 2, ``[n, k]``.
        class_1: Class that model 1 is to see, indices ``[n]``.
        class_2: Class that model 2 is to see, indices ``[n]``.
        sharpness: Of the smooth minimum.

    Returns:
        Scores ``[n]`` without bound, float32.
    """
    first, second = logits_1.float(), logits_2.float()
    terms = [
        of_class(first, class_1),
        -of_class(first, class_2),
        of_class(second, class_2),
        -of_class(second, class_1),
    ]
    return smooth_min(torch.stack(terms, dim=-1), sharpness)
