"""Generators: latents -> images ``[n, 3, h, w]`` in [0, 1].

| name               | is |
|--------------------|----|
| `Generator`        | the contract |
| `BigGANGenerator`  | BigGAN-deep at one truncation, class conditioning open |
| `load_biggan`      | one from a directory in the released package's format |
| `untrained_biggan` | random weights, finite images; `write_biggan` puts them in that format |
| `FourierGenerator` | spectra as latents, no GAN |
| `PixelGenerator`   | pixels as latents, no GAN |
| `load_generator`   | a generator by name |
| `list_generators`  | the names there are |
"""

from controversy.generators._base import Generator, Latents
from controversy.generators._biggan import BigGANGenerator, load_biggan
from controversy.generators._fourier import FourierGenerator
from controversy.generators._pixels import PixelGenerator
from controversy.generators._registry import GENERATORS, list_generators, load_generator
from controversy.generators._untrained import untrained_biggan, write_biggan

__all__ = [
    "GENERATORS",
    "BigGANGenerator",
    "FourierGenerator",
    "Generator",
    "Latents",
    "PixelGenerator",
    "list_generators",
    "load_biggan",
    "load_generator",
    "untrained_biggan",
    "write_biggan",
]
