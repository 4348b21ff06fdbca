"""The untargeted objective: disagree, confidently, about whatever you like."""

import torch
from torch import Tensor


def jensen_shannon(
    logits_1: Tensor, logits_2: Tensor, class_1: Tensor, class_2: Tensor, *, confidence: float = 0.5
) -> Tensor:
    """Jensen-Shannon divergence of the two predictions, less their mean entropy.

    ``H((p1 + p2)/2) - (1 + confidence) * (H(p1) + H(p2))/2`` in nats. The divergence (Lin 1991) is
    largest, log 2, for predictions that share no class; the entropy term asks that each of them be
    sure of one.

    Args:
        logits_1: Of model 1, ``[n, k]``.
        logits_2: Of model 2, ``[n, k]``.
        class_1: Not used: the models choose the classes.
        class_2: Not used.
        confidence: Weight of the mean entropy, 0 or more.

    Returns:
        Scores ``[n]`` up to log 2, float32.
    """
    log_1, log_2 = logits_1.float().log_softmax(1), logits_2.float().log_softmax(1)
    mixture = torch.logaddexp(log_1, log_2) - torch.log(torch.tensor(2.0, device=log_1.device))
    mean_entropy = (_entropy(log_1) + _entropy(log_2)) / 2
    return _entropy(mixture) - (1 + confidence) * mean_entropy


def _entropy(log_probabilities: Tensor) -> Tensor:
    return -(log_probabilities.exp() * log_probabilities).sum(1)
