"""The default objective: a smooth minimum of both models' log-probabilities."""

import torch
from torch import Tensor

from controversy.objectives._shapes import of_class


def smooth_min(terms: Tensor, sharpness: float) -> Tensor:
    """``-1/a * log(mean(exp(-a * terms)))`` over the last axis, ``a`` the sharpness.

    Between the mean (a -> 0) and the minimum (a -> infinity), never below the minimum; unlike the
    minimum it has a gradient for every term. Golan, Raju & Kriegeskorte (2020), eq. 4, up to the
    constant log(n)/a.

    Args:
        terms: ``[..., n]``.
        sharpness: Above 0, in inverse units of the terms.

    Returns:
        ``[...]``.
    """
    n_terms = torch.tensor(float(terms.shape[-1]), device=terms.device)
    return -(torch.logsumexp(-sharpness * terms, dim=-1) - n_terms.log()) / sharpness


def smooth_minimum(
    logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor, *, sharpness: float = 1.0
) -> Tensor:
    """Smooth minimum of ``log p1(class_1)`` and ``log p2(class_2)``, softmax over all classes.

    Both models have to be confident in their own class: raising one alone soon stops paying.
    Golan, Raju & Kriegeskorte (2020), with softmax readouts.

    Args:
        logits_1: Of model 1, ``[n, k]``.
        logits_2: Of model 2, ``[n, k]``.
        class_1: Class that model 1 is to see, indices ``[n]``.
        class_2: Class that model 2 is to see, indices ``[n]``.
        sharpness: Of the smooth minimum.

    Returns:
        Scores ``[n]`` up to 0, float32.
    """
    terms = [
        of_class(logits_1.float().log_softmax(1), class_1),
        of_class(logits_2.float().log_softmax(1), class_2),
    ]
    return smooth_min(torch.stack(terms, dim=-1), sharpness)
