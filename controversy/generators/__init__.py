"""Generators: latents -> images ``[n, 3, h, w]`` in [0, 1].

======================  ==========================================================
`Generator`             the contract
`BigGANGenerator`       BigGAN-deep at one truncation, class conditioning open
`load_biggan`           one from a directory in the released package's format
`load_generator`        a generator by name
`list_generators`       the names there are
======================  ==========================================================
"""

from controversy.generators._base import Generator, Latents
from controversy.generators._biggan import BigGANGenerator, load_biggan
from controversy.generators._registry import GENERATORS, list_generators, load_generator

__all__ = [
    "GENERATORS",
    "BigGANGenerator",
    "Generator",
    "Latents",
    "list_generators",
    "load_biggan",
    "load_generator",
]
