"""Temperature scaling (Guo, Pleiss, Sun & Weinberger 2017), folded into the last layer.

Trained on attacked digits, a classifier is less sure of clean ones than its accuracy warrants. One factor
on all logits, fitted to clean digits, mends that; it changes no decision, so neither accuracy nor
robustness, but it makes "confident" mean the same for all four.
"""

import torch
import torch.nn.functional as F
from scipy.optimize import minimize_scalar
from torch import Tensor, nn


@torch.no_grad()
def fit_gain(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """The factor on the logits that minimises their negative log-likelihood.

    Args:
        model: In eval mode; ``[n, 1, 32, 32]`` -> logits.
        images: Clean digits that the model was not trained on.
        labels: ``[n]``.
    """
    logits = torch.cat([model(batch) for batch in torch.split(images, 500)]).double()
    found = minimize_scalar(
        lambda gain: F.cross_entropy(gain * logits, labels).item(), bounds=(0.2, 10), method="bounded"
    )
    return float(found.x)


@torch.no_grad()
def scale_logits(last: nn.Linear, gain: float) -> None:
    """Multiplies the logits that ``last`` gives by ``gain``."""
    last.weight.mul_(gain)
    last.bias.mul_(gain)
