"""Synthesis: gradient ascent on a generator's latents until two models disagree.

| name                  | is |
|-----------------------|----|
| `synthesize`          | requests -> stimuli, as they get done |
| `Request`, `Stimulus` | what is asked for, and what comes out |
| `Settings`            | how hard to try, and what is good enough |
| `Snapshot`            | where a run stands, to go on from later |
| `fast_layouts`        | the same networks, faster, but for rounding |
| `class_pairs`         | the design of ordered class pairs |
| `explicit_pairs`      | given class pairs |
| `read_class_pairs`    | class pairs from a CSV |
| `basic_level_pairs`   | a design whose two classes are of different basic categories |
| `untargeted`          | a design that leaves the classes to the models |
"""

from controversy.synthesis._class_pairs import basic_level_pairs, read_class_pairs
from controversy.synthesis._design import class_pairs, explicit_pairs, untargeted
from controversy.synthesis._flight import Snapshot
from controversy.synthesis._layouts import fast_layouts
from controversy.synthesis._request import Request, derive_seed
from controversy.synthesis._settings import Settings
from controversy.synthesis._synthesize import Stimulus, synthesize

__all__ = [
    "Request",
    "Settings",
    "Snapshot",
    "Stimulus",
    "basic_level_pairs",
    "class_pairs",
    "derive_seed",
    "explicit_pairs",
    "fast_layouts",
    "read_class_pairs",
    "synthesize",
    "untargeted",
]
