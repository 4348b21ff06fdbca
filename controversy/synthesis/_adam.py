"""Adam on a batch of independent problems."""

import torch
from torch import Tensor


class BatchAdam:
    """Adam (Kingma & Ba 2015), each row with its own step count, so that rows can begin at any time.

    Args:
        like: The tensors that will be optimised, ``[n, ...]`` each.
        learning_rate: Step size.
        betas: Decay of the two moments.
        epsilon: Added to the root of the second.
    """

    def __init__(
        self,
        like: dict[str, Tensor],
        learning_rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
    ) -> None:
        self.learning_rate, self.betas, self.epsilon = learning_rate, betas, epsilon
        self.first = {name: torch.zeros_like(value) for name, value in like.items()}
        self.second = {name: torch.zeros_like(value) for name, value in like.items()}

    def ascend(
        self, values: dict[str, Tensor], gradients: dict[str, Tensor], step: Tensor
    ) -> dict[str, Tensor]:
        """The values after one step uphill.

        Args:
            values: ``[n, ...]`` each.
            gradients: Of the same names and shapes.
            step: 1 for a row's first step, ``[n]``.
        """
        decay_1, decay_2 = self.betas
        moved = {}
        for name, gradient in gradients.items():
            self.first[name].lerp_(gradient, 1 - decay_1)
            self.second[name].lerp_(gradient.square(), 1 - decay_2)
            count = step.to(gradient.dtype).view(-1, *[1] * (gradient.dim() - 1))
            mean = self.first[name] / (1 - decay_1**count)
            scale = (self.second[name] / (1 - decay_2**count)).sqrt() + self.epsilon
            moved[name] = values[name] + self.learning_rate * mean / scale
        return moved

    def forget(self, rows: Tensor) -> None:
        """Clears the moments of rows (indices ``[k]``) that begin anew."""
        for moments in (self.first, self.second):
            for value in moments.values():
                value[rows] = 0
