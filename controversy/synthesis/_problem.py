"""One look at a batch: images, both models' logits, score; and its gradient."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from controversy.classifiers import Classifier
from controversy.generators import Generator, Latents
from controversy.objectives import Objective, controversiality


@dataclass(frozen=True)
class Look:
    """A batch seen by both models.

    Attributes:
        score: The objective, ``[n]`` float32.
        controversiality: The hard measure, ``[n]`` float32, of the image before rounding.
        classes: (class_1, class_2), ``[n]`` each.
    """

    score: Tensor
    controversiality: Tensor
    classes: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Problem:
    """What is optimised: a generator, two models and an objective, on one device.

    Attributes:
        generator: Latents -> images.
        models: The ordered pair.
        objective: Both models' logits and the classes -> score.
        precision: Of the networks, "fp32" or "bf16".
        checkpointing: Whether networks' activations are computed again instead of kept.
    """

    generator: Generator
    models: tuple[Classifier, Classifier]
    objective: Objective
    precision: str
    checkpointing: bool = False

    def look(self, latents: Latents, class_1: Tensor, class_2: Tensor) -> Look:
        """Generates and scores; a class of -1 is chosen by its model."""
        images = self.images(latents)
        with self._autocast(images.device):
            first, second = (self._through(model, images) for model in self.models)
        first, second = first.float(), second.float()
        with torch.no_grad():
            classes = _named_classes(first, second, class_1, class_2)
            hard = controversiality(first, second, *classes)
        return Look(self.objective(first, second, *classes), hard, classes)

    def images(self, latents: Latents) -> Tensor:
        """Images in float32, ``[n, 3, h, w]``."""
        with self._autocast(next(iter(latents.values())).device):
            images = self._through(self.generator, latents)
        return images.float()

    def look_with_gradient(
        self, latents: Latents, class_1: Tensor, class_2: Tensor
    ) -> tuple[Look, dict[str, Tensor]]:
        """A look, and the gradient of each row's score in the free latents."""
        free = {name: latents[name].detach().requires_grad_(True) for name in self.generator.free}
        look = self.look({**latents, **free}, class_1, class_2)
        gradients = torch.autograd.grad(look.score.sum(), list(free.values()))
        return look, dict(zip(free, gradients, strict=True))

    def _through(self, network: nn.Module, given: Any) -> Tensor:
        if self.checkpointing and torch.is_grad_enabled():
            # Networks draw nothing at random: there is no state of a generator to keep.
            return checkpoint(network, given, use_reentrant=False, preserve_rng_state=False)
        return network(given)

    def _autocast(self, device: torch.device) -> torch.autocast:
        return torch.autocast(device.type, torch.bfloat16, enabled=self.precision == "bf16")


def _named_classes(first: Tensor, second: Tensor, class_1: Tensor, class_2: Tensor) -> tuple[Tensor, Tensor]:
    """The classes asked for; for -1, the favourite of model 1, and of model 2 among the others."""
    favourite_1 = first.argmax(1)
    favourite_2 = second.scatter(1, favourite_1.unsqueeze(1), -torch.inf).argmax(1)
    return torch.where(class_1 < 0, favourite_1, class_1), torch.where(class_2 < 0, favourite_2, class_2)
