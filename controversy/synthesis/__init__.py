"""Synthesis: gradient ascent on a generator's latents until two models disagree.

========================  ================================================================
`synthesize`              requests -> stimuli, as they get done
`Request`, `Stimulus`     what is asked for, and what comes out
`Settings`                how hard to try, and what is good enough
`class_pairs`             the design of ordered class pairs
`explicit_pairs`          given class pairs
`untargeted`              a design that leaves the classes to the models
========================  ================================================================
"""

from controversy.synthesis._design import class_pairs, explicit_pairs, untargeted
from controversy.synthesis._request import Request, derive_seed
from controversy.synthesis._settings import Settings
from controversy.synthesis._synthesize import Stimulus, synthesize

__all__ = [
    "Request",
    "Settings",
    "Stimulus",
    "class_pairs",
    "derive_seed",
    "explicit_pairs",
    "synthesize",
    "untargeted",
]
