"""All classifiers by name. A family adds its own in the file that knows how to load them."""

from typing import Any

from controversy.classifiers._base import Classifier
from controversy.registry import Registry

CLASSIFIERS: Registry[Classifier] = Registry("classifier")


def load_classifier(name: str, **options: Any) -> Classifier:
    """Loads a classifier by name, on the CPU.

    Args:
        name: One of `list_classifiers`.
        **options: The loader's own.

    Raises:
        ControversyError: The name is unknown (the nearest are offered), or its weights are missing
            or do not fit.
    """
    return CLASSIFIERS[name].load(**options)


def list_classifiers() -> list[str]:
    """The names that `load_classifier` knows."""
    return CLASSIFIERS.names()
