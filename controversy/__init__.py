"""Controversial stimuli: find out which vision model sees the world as people do.

The names below are the everyday ones; each room (`controversy.generators`, `.classifiers`, `.objectives`,
`.synthesis`, `.stimuli`, ...) has its own. They are imported when used, so that ``import controversy``
costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from controversy.classifiers import Classifier, Preprocessing, list_classifiers, load_classifier
    from controversy.errors import ControversyError
    from controversy.generators import list_generators, load_generator
    from controversy.stimuli import StimulusSet, collect, evaluate, make_set, verify
    from controversy.synthesis import Settings, class_pairs, explicit_pairs, synthesize, untargeted

__version__ = "0.1.0"

_ROOMS = {
    "controversy.classifiers": ("Classifier", "Preprocessing", "list_classifiers", "load_classifier"),
    "controversy.errors": ("ControversyError",),
    "controversy.generators": ("list_generators", "load_generator"),
    "controversy.stimuli": ("StimulusSet", "collect", "evaluate", "make_set", "verify"),
    "controversy.synthesis": ("Settings", "class_pairs", "explicit_pairs", "synthesize", "untargeted"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Classifier",
    "ControversyError",
    "Preprocessing",
    "Settings",
    "StimulusSet",
    "class_pairs",
    "collect",
    "evaluate",
    "explicit_pairs",
    "list_classifiers",
    "list_generators",
    "load_classifier",
    "load_generator",
    "make_set",
    "synthesize",
    "untargeted",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        return getattr(importlib.import_module(_ROOM_OF[name]), name)
    raise AttributeError(f"module 'controversy' has no attribute {name!r}")
