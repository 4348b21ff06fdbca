"""Images as latents of their own: parametrisations without a GAN, the baselines of the field."""

from typing import Any

import torch
from torch import Tensor

from controversy.classes import class_table
from controversy.errors import ControversyError
from controversy.generators._base import Generator, Latents
from controversy.generators._image_statistics import image_deviation


class ImageParametrization(Generator):
    """A generator of one latent, ``[n, *latent_shape]`` real numbers around 0, where 0 is mid-grey.

    No class conditions it, and nothing but its own coordinates keeps its images near photographs.

    Args:
        name: What users and manifests call it.
        image_size: Side of its images, in pixels.
        class_set: The classes of the models that it is to be used with: a name that
            `controversy.classes.class_table` knows.
        n_classes: Their number; by default that of the set.
        std: Standard deviation of the latents that synthesis starts from.

    Raises:
        ControversyError: An option is outside its values, or there is no such set of classes.
    """

    latent: str

    def __init__(
        self,
        *,
        name: str,
        image_size: int = 224,
        class_set: str = "imagenet",
        n_classes: int | None = None,
        std: float = 0.01,
    ) -> None:
        super().__init__()
        if image_size < 2:
            raise ControversyError(f"image_size is {image_size}, but has to be 2 pixels or more")
        if not std >= 0:
            raise ControversyError(f"std is {std}, but has to be 0 or more")
        self.name, self.image_size, self.class_set, self.std = name, image_size, class_set, std
        self.n_classes = len(class_table(class_set)) if n_classes is None else n_classes
        self.free = (self.latent,)
        self.train(False)

    @property
    def latent_shape(self) -> tuple[int, ...]:
        """Shape of one image's latent."""
        return (3, self.image_size, self.image_size)

    def sample(self, n: int, rng: torch.Generator, alternatives: tuple[int, int] | None = None) -> Latents:
        """Normal numbers of standard deviation ``std``; the alternatives do not matter."""
        return {self.latent: self.std * torch.randn(n, *self.latent_shape, generator=rng)}

    def constrain(self, latents: Latents) -> Latents:
        """Everything is allowed: the images are in [0, 1] whatever the latents."""
        return latents

    def deviation(self, latents: Latents) -> dict[str, Tensor]:
        """Contrast and clipping of the images: `image_deviation`."""
        return image_deviation(self(latents))

    def description(self) -> dict[str, Any]:
        """What a manifest records."""
        return {
            "name": self.name,
            "class_set": self.class_set,
            "n_classes": self.n_classes,
            "image_size": self.image_size,
            "std": self.std,
        }
