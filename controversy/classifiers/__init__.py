"""Classifiers: images ``[n, 3, h, w]`` in [0, 1] -> logits ``[n, n_classes]``.

| name               | is |
|--------------------|----|
| `Classifier`       | the contract, and the wrapper that keeps it |
| `Preprocessing`    | resize and normalisation, differentiable and recorded |
| `load_classifier`  | a classifier by name |
| `list_classifiers` | the names there are |
| `wrap_module`      | any torch module, its preprocessing declared |
| `examine`          | is a loaded one what was published? photographs tell |
"""

from controversy.classifiers import (  # noqa: F401  (they register their models)
    _digits,
    _efficientnet_lite,
    _robustbench,
    _timm,
    _torchvision,
    _untrained,
)
from controversy.classifiers._base import Classifier
from controversy.classifiers._module import wrap_module
from controversy.classifiers._preprocessing import Preprocessing
from controversy.classifiers._registry import CLASSIFIERS, list_classifiers, load_classifier
from controversy.classifiers._sanity import Photograph, Sanity, examine, find_photographs, read_photographs

__all__ = [
    "CLASSIFIERS",
    "Classifier",
    "Photograph",
    "Preprocessing",
    "Sanity",
    "examine",
    "find_photographs",
    "list_classifiers",
    "load_classifier",
    "read_photographs",
    "wrap_module",
]
