"""All generators by name."""

from functools import partial
from pathlib import Path
from typing import Any

from controversy.classes import DIGITS
from controversy.generators._base import Generator
from controversy.generators._biggan import load_biggan
from controversy.generators._fourier import FourierGenerator
from controversy.generators._pixels import PixelGenerator
from controversy.generators._released import RELEASED, load_released, released_downloads, released_files
from controversy.generators._untrained import load_untrained
from controversy.registry import Registry

GENERATORS: Registry[Generator] = Registry("generator")


def load_generator(name: str, **options: Any) -> Generator:
    """Loads a generator by name, on the CPU.

    Args:
        name: One of `list_generators`.
        **options: Of the generator, e.g. ``truncation`` and ``conditioning`` of `BigGANGenerator`.

    Raises:
        ControversyError: The name is unknown (the nearest are offered), weights are missing or do not
            fit, or an option is outside its values.
    """
    return GENERATORS[name].load(**options)


def list_generators() -> list[str]:
    """The names that `load_generator` knows."""
    return GENERATORS.names()


_DIGITS_FOLDER = Path(__file__).resolve().parent / "digits"
GENERATORS.add(
    "digits",
    partial(load_biggan, _DIGITS_FOLDER, name="digits", class_set=DIGITS),
    weights=(_DIGITS_FOLDER / "config.json", _DIGITS_FOLDER / "pytorch_model.bin"),
    summary="BigGAN-deep of handwritten digits, 10 classes, 32 px, embedded",
)
for _name, _side in RELEASED.items():
    GENERATORS.add(
        _name,
        partial(load_released, _name),
        weights=partial(released_files, _name),
        downloads=partial(released_downloads, _name),
        family="biggan-deep",
        summary=f"BigGAN-deep of ImageNet, 1000 classes, {_side} px, DeepMind's weights",
    )
GENERATORS.add(
    "biggan-untrained",
    load_untrained,
    family="untrained",
    summary="BigGAN-deep with random weights, 32 px: to try a study's code before weights are there",
)
GENERATORS.add(
    "fourier",
    partial(FourierGenerator, name="fourier"),
    family="no GAN",
    summary="Spectra in decorrelated colours (Olah, Mordvintsev & Schubert 2017), any size and classes",
)
GENERATORS.add(
    "pixels",
    partial(PixelGenerator, name="pixels"),
    family="no GAN",
    summary="One free number a pixel and channel, any size and classes",
)
