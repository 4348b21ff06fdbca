"""How a trial looks and what the page says: what the browser is told of the study."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from controversy.errors import ControversyError
from controversy.experiment._text import TEXTS, read_text, render

_MOST_LEVELS = 20
_LONGEST_MS = 600_000


@dataclass(frozen=True)
class PageSettings:
    """How the task looks.

    Attributes:
        title: Of the page.
        question: Above the two alternatives.
        image_ms: How long the image is shown; None: until the response.
        fixation_ms: How long the fixation cross before it.
        mask: Whether a mask follows the image.
        mask_ms: How long the mask; None: until the response.
        confidence: Labels of the scale, from least to most sure; None asks for no confidence.
        break_every: After how many trials a break is offered; None: never.
        image_scale: Screen pixels for each pixel of the image; None: the largest whole number that fits.
        keys: The keys for left and right.
        max_retry_s: Longest pause before an answer that did not arrive is sent again.
    """

    title: str = "What do you see?"
    question: str = "Which is it?"
    image_ms: int | None = None
    fixation_ms: int = 500
    mask: bool = False
    mask_ms: int | None = None
    confidence: tuple[str, ...] | None = ("guessing", "unsure", "fairly sure", "sure")
    break_every: int | None = 50
    image_scale: int | None = None
    keys: tuple[str, str] = ("f", "j")
    max_retry_s: int = 30

    def __post_init__(self) -> None:
        limits = {
            "image_ms": (1, _LONGEST_MS),
            "fixation_ms": (0, _LONGEST_MS),
            "mask_ms": (1, _LONGEST_MS),
            "break_every": (1, 10_000),
            "image_scale": (1, 100),
            "max_retry_s": (1, 600),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not low <= value <= high):
                raise ControversyError(f"page.{name} is {value}, but has to be {low} to {high}.")
        if self.confidence is not None and not 2 <= len(self.confidence) <= _MOST_LEVELS:
            raise ControversyError(
                f"page.confidence has {len(self.confidence)} labels, but needs 2 to {_MOST_LEVELS}, or null."
            )
        if len(set(self.keys)) != 2 or any(len(key) != 1 for key in self.keys):
            raise ControversyError(
                f"page.keys is {list(self.keys)}, but has to be two different single keys."
            )
        if self.image_ms is None and self.mask:
            raise ControversyError("page.mask needs page.image_ms: a mask follows an image that goes away.")

    @property
    def n_levels(self) -> int | None:
        """The number of confidence levels."""
        return None if self.confidence is None else len(self.confidence)


def study(
    settings: PageSettings, texts: dict[str, Path | None], image_size: tuple[int, int]
) -> dict[str, Any]:
    """What the browser is told of the study (`STUDY` of docs/experiment.md).

    Args:
        settings: How the task looks.
        texts: Markdown files for consent, instructions and thanks; None for the package's own.
        image_size: Width and height of the images.

    Raises:
        ControversyError: A text cannot be read.
    """
    told = {field.name: getattr(settings, field.name) for field in fields(settings)}
    told["confidence"] = None if settings.confidence is None else {"labels": list(settings.confidence)}
    told["keys"] = {"left": settings.keys[0], "right": settings.keys[1]}
    html = {f"{name}_html": render(read_text(name, texts.get(name))) for name in TEXTS}
    return {**told, **html, "image_size": list(image_size)}
