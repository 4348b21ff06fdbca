"""How far an image is from a photograph, for generators that were never trained on any."""

from torch import Tensor

_HALF_LEVEL = 0.5 / 255


def image_deviation(images: Tensor) -> dict[str, Tensor]:
    """Measures of images ``[n, 3, h, w]`` in [0, 1], each ``[n]``.

    * ``rms_contrast``: standard deviation of the luminance (mean of the channels) over the image; about
      0.2 for photographs (Frazor & Geisler 2006), 0 for a grey field;
    * ``clipped``: share of the values that 8 bits make black or white.
    """
    luminance = images.mean(1).flatten(1)
    at_bound = (images < _HALF_LEVEL) | (images > 1 - _HALF_LEVEL)
    return {
        "rms_contrast": luminance.std(1, correction=0),
        "clipped": at_bound.flatten(1).float().mean(1),
    }
