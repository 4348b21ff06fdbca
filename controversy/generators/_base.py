"""The contract of a generator: latents in, an image out."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

Latents = dict[str, Tensor]
"""A named set of tensors, row ``i`` of each belonging to image ``i``."""


class Generator(nn.Module, ABC):
    """Latents -> images ``[n, 3, h, w]`` in [0, 1]; always in eval mode, parameters frozen.

    Attributes:
        name: What users and manifests call it.
        n_classes: Number of classes that it can be conditioned on.
        class_set: What they are: a name that `controversy.classes.class_table` knows.
        image_size: Side of its square images, in pixels.
        free: Names of the latents that synthesis may change; the others stay as they were sampled.
    """

    name: str
    n_classes: int
    class_set: str
    image_size: int
    free: tuple[str, ...]

    @abstractmethod
    def sample(self, n: int, rng: torch.Generator, alternatives: tuple[int, int] | None = None) -> Latents:
        """Draws latents where the generator was trained, on the CPU.

        Args:
            n: How many.
            rng: A CPU generator: the same seed gives the same latents whatever the device.
            alternatives: The two classes that the images are to lie between; by default any two.
        """

    @abstractmethod
    def forward(self, latents: Latents) -> Tensor:
        """Images ``[n, 3, h, w]`` in [0, 1]; differentiable in the latents named in ``free``."""

    @abstractmethod
    def constrain(self, latents: Latents) -> Latents:
        """The nearest latents that are allowed; those that already are come back unchanged."""

    @abstractmethod
    def deviation(self, latents: Latents) -> dict[str, Tensor]:
        """How far latents are from where the generator was trained: named measures, each ``[n]``."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """What a manifest records."""

    def train(self, mode: bool = True) -> "Generator":
        """Stays in eval mode whatever is asked."""
        super().train(False)
        return self
