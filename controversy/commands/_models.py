"""Names on the command line -> classifiers and generators.

A name is looked up among the configurations first (``classifier/NAME.yaml`` in the package's folder, or in
one given by ``--config-dir``), then among those that the package knows by itself.
"""

from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import OmegaConf

from controversy.classifiers import CLASSIFIERS, Classifier, load_classifier
from controversy.errors import ControversyError
from controversy.registry import unknown_name


def configured(group: str) -> dict[str, Path]:
    """The options of a configuration group by name, in this run's search path; earlier folders win."""
    found: dict[str, Path] = {}
    for source in HydraConfig.get().runtime.config_sources:
        if source.schema == "file":
            for path in sorted((Path(source.path) / group).glob("*.yaml")):
                found.setdefault(path.stem, path)
    return found


def resolve(name: str, config: Any = None) -> Classifier:
    """The classifier called ``name``, loaded on the CPU.

    Args:
        name: An option of the group ``classifier``, or a name of `controversy.classifiers`.
        config: The job's configuration; not needed so far.

    Raises:
        ControversyError: There is none (the nearest names are offered), or it does not load.
    """
    configurations = configured("classifier")
    if name in configurations:
        model = make(OmegaConf.load(configurations[name]), f"classifier {name}")
        if not isinstance(model, Classifier):
            raise ControversyError(
                f"{configurations[name]} makes a {type(model).__name__}; "
                "wrap it in controversy.classifiers.Classifier"
            )
        return model
    if name in CLASSIFIERS:
        return load_classifier(name)
    raise unknown_name("classifier", name, sorted({*configurations, *CLASSIFIERS.names()}))


def make(config: Any, what: str) -> Any:
    """Instantiates a configuration with a ``_target_``.

    Raises:
        ControversyError: It has none, or making it failed; the cause is said, not Hydra's wrapping of it.
    """
    if "_target_" not in config:
        raise ControversyError(
            f"the configuration of the {what} has no _target_: name the class or function that makes it"
        )
    try:
        return instantiate(config)
    except InstantiationException as problem:
        cause = problem.__cause__
        if isinstance(cause, ControversyError):
            raise cause from None
        raise ControversyError(
            f"cannot make the {what} from its configuration: {cause or problem}"
        ) from problem
