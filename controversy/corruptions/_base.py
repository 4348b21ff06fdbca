"""The contract of a corruption, and the names there are."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from difflib import get_close_matches
from typing import ClassVar

import torch
from torch import Tensor

from controversy.errors import ControversyError


class Corruption(ABC):
    """A distortion of images with one continuous strength: 0 leaves an image as it is, 1 is the strongest.

    What is random in it is drawn once an image, from that image's seed alone (`draw`), and kept while the
    strength changes, so that an image becomes ever less visible and a strength can be found for any visual
    change. Lengths scale with the image's shorter side.

    To add one: a file with a sub-class and ``@register``, its import in ``__init__.py``, a row in the test
    table.
    """

    name: ClassVar[str]

    def draw(self, seeds: Tensor, height: int, width: int) -> Tensor:
        """Everything random about n images: a CPU tensor whose rows belong to them; by default nothing.

        Args:
            seeds: int64 ``[n]``.
            height: Of the images.
            width: Of the images.
        """
        del height, width
        return torch.zeros(len(seeds), 0)

    @abstractmethod
    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        """Distorts images ``[n, 3, h, w]`` by ``strength`` ``[n, 1, 1, 1]`` > 0; may leave [0, 1]."""

    def __call__(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        """Corrupted images ``[n, 3, h, w]`` in [0, 1].

        Args:
            images: ``[n, 3, h, w]`` in [0, 1].
            strength: ``[n]`` in [0, 1]; where it is 0 the image comes back bit for bit.
            drawn: What `draw` gave for these images, on the same device.

        Raises:
            ControversyError: A strength is outside [0, 1].
        """
        if not bool(((strength >= 0) & (strength <= 1)).all()):
            raise ControversyError(f"strength of {self.name} is {strength.tolist()}, but has to be in [0, 1]")
        strength = strength.to(images).reshape(-1, 1, 1, 1)
        return torch.where(strength > 0, self.distort(images, strength, drawn).clamp(0, 1), images)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


_CORRUPTIONS: dict[str, type[Corruption]] = {}


def register(corruption: type[Corruption]) -> type[Corruption]:
    """Makes a corruption known by its name."""
    _CORRUPTIONS[corruption.name] = corruption
    return corruption


def list_corruptions() -> list[str]:
    """The names of all corruptions, sorted."""
    return sorted(_CORRUPTIONS)


def load_corruption(name: str) -> Corruption:
    """The corruption called ``name``.

    Raises:
        ControversyError: There is none; the nearest names are offered.
    """
    if name not in _CORRUPTIONS:
        near = get_close_matches(name, _CORRUPTIONS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(list_corruptions())}."
        raise ControversyError(f"there is no corruption called {name!r}; {hint}")
    return _CORRUPTIONS[name]()


def per_image(seeds: Tensor, make: Callable[[torch.Generator], Tensor]) -> Tensor:
    """Stacks what ``make`` draws for every seed, each from a CPU generator of its own."""
    return torch.stack([make(torch.Generator().manual_seed(int(seed))) for seed in seeds])


def shorter_side(images: Tensor) -> int:
    """The unit of every length in a corruption."""
    return min(images.shape[-2:])
