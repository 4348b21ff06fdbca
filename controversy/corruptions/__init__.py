"""Corruptions: images less and less visible, by one continuous strength.

| name                  | is |
|-----------------------|----|
| `Corruption`          | the contract: images and strengths in [0, 1], seeded per image |
| `load_corruption`     | a corruption by name |
| `list_corruptions`    | the names there are |
| `DEFAULT_CORRUPTIONS` | the fourteen of a VCR study |
"""

from controversy.corruptions import (  # noqa: F401  (each registers its corruption)
    _brightness,
    _color_jitter,
    _contrast,
    _defocus_blur,
    _frost,
    _gaussian_blur,
    _gaussian_noise,
    _glass_blur,
    _hue_saturation,
    _impulse_noise,
    _jpeg_compression,
    _median_blur,
    _motion_blur,
    _shot_noise,
    _uniform_noise,
)
from controversy.corruptions._base import Corruption, list_corruptions, load_corruption

DEFAULT_CORRUPTIONS = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "gaussian_blur",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "median_blur",
    "brightness",
    "contrast",
    "hue_saturation",
    "color_jitter",
    "jpeg_compression",
    "frost",
)

__all__ = ["DEFAULT_CORRUPTIONS", "Corruption", "list_corruptions", "load_corruption"]
