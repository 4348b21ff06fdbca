"""Exponential moving average of a network."""

import torch
from torch import nn


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, decay: float, step: int) -> None:
    """Moves weights and buffers of ``average`` towards ``model``'s; faster in the first steps.

    Args:
        average: What is moved.
        model: Of the same architecture.
        decay: What is kept of the average at each step, once steps are many.
        step: From 0.
    """
    decay = min(decay, (1 + step) / (10 + step))
    for kept, new in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
        if kept.is_floating_point():
            kept.lerp_(new, 1 - decay)
        else:
            kept.copy_(new)
