"""RobustBench's own model factories, imported beside current packages. The only module that knows how.

``import robustbench`` (1.1.1) fails after a plain installation today. Its ``__init__`` imports
``loaders.py``, which imports ``pkg_resources``, gone from setuptools 82; and ``eval.py``, which imports
``autoattack``, a module that its dependency pyautoattack no longer installs since 0.2. The factories need
neither. So they are imported under an empty parent package, which is gone again afterwards: whoever imports
``robustbench`` later gets what they would have got.

The package pins ``timm==1.0.9``, whose module names it uses; within that, nothing is changed.
"""

import contextlib
import importlib
import importlib.util
import io
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torch import nn

from controversy.errors import ControversyError

_NAME = "robustbench"


def zoo() -> dict[str, Mapping[str, dict[str, Any]]]:
    """The ImageNet entries of the package, as it keeps them: threat model -> key -> facts."""
    imagenet = _imagenet()
    return {threat.value: entries for threat, entries in imagenet.imagenet_models.items()}


def build(key: str, threat: str) -> nn.Module:
    """The untrained network of an entry, normalising inside where the entry does.

    Args:
        key: As the package writes it.
        threat: "Linf" or "corruptions".
    """
    facts = zoo()[threat][key]
    import timm

    # The rule by which its `load_model` finds the entries that it registers with timm (XCiT, DeiT, AlexNet);
    # the factories it lists for them name other models, or download.
    registered = f"{key}_imagenet_{threat}".lower().replace("-", "_")
    if timm.is_model(registered):
        return _quietly(lambda: timm.create_model(registered, pretrained=False, num_classes=1000))
    if key == "Standard_R50":
        return _quietly(_standard_resnet50)
    return _quietly(facts["model"])


def _standard_resnet50() -> nn.Module:
    """As listed, without the download that ``pretrained=True`` is."""
    from torchvision.models import resnet50

    imagenet = _imagenet()
    return imagenet.normalize_model(resnet50(), imagenet.mu, imagenet.sigma)


def _quietly(make: Callable[[], nn.Module]) -> nn.Module:
    """Some factories print what they make, and use names that their libraries call old."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def _imagenet() -> Any:
    name = f"{_NAME}.model_zoo.imagenet"
    if name in sys.modules:
        return sys.modules[name]
    with _bare_parent(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


@contextlib.contextmanager
def _bare_parent() -> Iterator[None]:
    """While the block runs, ``robustbench`` is a package whose ``__init__`` does not run."""
    if _NAME in sys.modules:
        yield
        return
    found = importlib.util.find_spec(_NAME)
    if found is None or not found.submodule_search_locations:
        raise ControversyError("the package robustbench is not installed: pip install robustbench")
    parent = types.ModuleType(_NAME)
    parent.__path__ = list(found.submodule_search_locations)
    sys.modules[_NAME] = parent
    try:
        yield
    finally:
        del sys.modules[_NAME]
