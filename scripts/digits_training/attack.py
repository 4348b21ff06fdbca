"""The attack of adversarial training."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def pgd(
    model: nn.Module, images: Tensor, labels: Tensor, epsilon: float, n_steps: int, step_size: float
) -> Tensor:
    """Projected gradient ascent on the cross-entropy from a random start, clipped to [0, 1].

    Args:
        model: images -> logits.
        images: ``[n, 1, h, w]`` in [0, 1].
        labels: ``[n]``.
        epsilon: l-infinity radius, in units of the [0, 1] range.
        n_steps: Ascent steps.
        step_size: Of one step, in units of ``epsilon``.

    Returns:
        The attacked images.
    """
    low, high = (images - epsilon).clamp(min=0), (images + epsilon).clamp(max=1)
    attacked = torch.lerp(low, high, torch.rand_like(images))
    for _ in range(n_steps):
        attacked.requires_grad_(True)
        (gradient,) = torch.autograd.grad(F.cross_entropy(model(attacked), labels), attacked)
        attacked = (attacked.detach() + step_size * epsilon * gradient.sign()).clamp(low, high)
    return attacked.detach()
