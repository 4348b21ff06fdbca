"""Stimulus sets: folders that any tool can read (``docs/stimulus-set.md`` documents every field).

| name                       | is |
|----------------------------|----|
| `StimulusSet`              | reads a set: metadata, logits, images, latents, evidence |
| `make_set`                 | requests -> a finished set |
| `SetWriter`                | writes one, stimulus by stimulus; a stopped run resumes |
| `evaluate`                 | adds the logits of more models |
| `verify`                   | lists every difference between a set and what it says of itself |
| `collect`                  | many sets into one, balanced and selected |
| `check_same_configuration` | refuses a folder that holds the set of another configuration |
"""

from controversy.stimuli._collect import collect
from controversy.stimuli._configuration import check_same_configuration
from controversy.stimuli._evaluate import evaluate
from controversy.stimuli._logits import Progress as ScoringProgress
from controversy.stimuli._make import make_set
from controversy.stimuli._selection import select_per_pair
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._sources import find_sets
from controversy.stimuli._verify import Difference, verify
from controversy.stimuli._writer import SetWriter

__all__ = [
    "Difference",
    "ScoringProgress",
    "SetWriter",
    "StimulusSet",
    "check_same_configuration",
    "collect",
    "evaluate",
    "find_sets",
    "make_set",
    "select_per_pair",
    "verify",
]
