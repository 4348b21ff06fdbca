"""Classifiers: images ``[n, 3, h, w]`` in [0, 1] -> logits ``[n, n_classes]``.

========================  =====================================================
`Classifier`              the contract, and the wrapper that keeps it
`Preprocessing`           resize and normalisation, differentiable and recorded
`load_classifier`         a classifier by name
`list_classifiers`        the names there are
========================  =====================================================
"""

from controversy.classifiers import _digits  # noqa: F401  (registers its models)
from controversy.classifiers._base import Classifier
from controversy.classifiers._preprocessing import Preprocessing
from controversy.classifiers._registry import CLASSIFIERS, list_classifiers, load_classifier

__all__ = ["CLASSIFIERS", "Classifier", "Preprocessing", "list_classifiers", "load_classifier"]
