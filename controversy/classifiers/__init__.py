"""Classifiers: images ``[n, 3, h, w]`` in [0, 1] -> logits ``[n, n_classes]``.

========================  =====================================================
`Classifier`              the contract, and the wrapper that keeps it
`Preprocessing`           resize and normalisation, differentiable and recorded
`load_classifier`         a classifier by name
`list_classifiers`        the names there are
`wrap_module`             any torch module, its preprocessing declared
========================  =====================================================
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

__all__ = ["CLASSIFIERS", "Classifier", "Preprocessing", "list_classifiers", "load_classifier", "wrap_module"]
