"""What kind of value each setting takes, so that a wrong one is told by name before anything is done.

A setting whose value in ``conf/<verb>.yaml`` is not null takes values of the same kind. For the others, and
for the few that take less or more, the kinds are here. Ranges are the library's to check.
"""

from collections.abc import Callable, Iterator
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf

from controversy.commands import configuration_folder
from controversy.errors import ControversyError

SWITCH, INTEGER, NUMBER, TEXT = "true or false", "an integer", "a number", "text"
NAMES, INTEGERS, MAPPING = "a list of names", "a list of integers", "a mapping"
SEED, RANGE, NUMBERS = "an integer, 0 or more", "two numbers", "a list of numbers"
LABELS = "a list of labels"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list_of(accepts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, ListConfig) and all(map(accepts, value))


_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    SWITCH: lambda value: isinstance(value, bool),
    INTEGER: _is_integer,
    SEED: lambda value: _is_integer(value) and value >= 0,
    NUMBER: _is_number,
    TEXT: lambda value: isinstance(value, str),
    NAMES: _list_of(lambda value: isinstance(value, str)),
    INTEGERS: _list_of(_is_integer),
    LABELS: _list_of(lambda value: isinstance(value, str) or _is_number(value)),
    NUMBERS: _list_of(_is_number),
    RANGE: lambda value: _list_of(_is_number)(value) and len(value) == 2,
    MAPPING: lambda value: isinstance(value, DictConfig),
}

KINDS = {
    # folders, files and addresses
    **dict.fromkeys(("weights_dir", "set", "out", "evidence", "targets", "judgments", "people"), TEXT),
    **dict.fromkeys(("design.like", "superclasses", "photographs", "experiment", "data", "key"), TEXT),
    **dict.fromkeys(("text.consent", "text.instructions", "text.thanks", "database"), TEXT),
    **dict.fromkeys(("completion.url", "completion.code", "trusted_proxy", "power.model"), TEXT),
    # how many
    **dict.fromkeys(("n_stimuli", "threads", "per_pair", "n_seen", "size", "exclude.min_trials"), INTEGER),
    **dict.fromkeys(("lists.n_trials", "clear_images.n_images", "page.image_scale"), INTEGER),
    **dict.fromkeys(("power.participants", "power.stimuli"), INTEGERS),
    **dict.fromkeys(("seed", "bootstrap.seed", "lists.seed", "generator.jitter_seed"), SEED),
    # how much
    **dict.fromkeys(("snapshot_every", "wait", "abandoned_after_h", "page.max_retry_s"), NUMBER),
    **dict.fromkeys(("page.image_ms", "page.fixation_ms", "page.mask_ms"), NUMBER),
    **dict.fromkeys(("exclude.min_catch_accuracy", "exclude.min_repeat_consistency"), NUMBER),
    **dict.fromkeys(("exclude.max_same_response", "exclude.min_rt", "exclude.max_rt"), NUMBER),
    **dict.fromkeys(("objective.sharpness", "objective.confidence"), NUMBER),
    **dict.fromkeys(("page.confidence", "page.keys"), LABELS),
    "confidence_range": RANGE,
    "reference.held_out": NUMBERS,
    **dict.fromkeys(("limits.per_session", "limits.per_address", "limits.joining"), RANGE),
    # which
    **dict.fromkeys(("models", "sets", "measures", "clear_images.models"), NAMES),
    **dict.fromkeys(("columns", "observer.mixture"), MAPPING),
    **dict.fromkeys(("generator.released_statistics", "generator.download"), SWITCH),
}
# These say of their own what they take.
UNCHECKED = {"pair", "class_names", "design.class_pairs"}
# Not null by default, but null has a meaning.
NULLABLE = {"n_images", "page.confidence", "page.break_every"}


def check_types(config: DictConfig, verb: str) -> None:
    """Raises where a setting has a value of another kind than it takes; numbers become text where it is due.

    Args:
        config: As composed; changed in place.
        verb: Whose.

    Raises:
        ControversyError: The setting, the value, and what it has to be.
    """
    written = dict(_leaves(OmegaConf.load(configuration_folder() / f"{verb}.yaml")))
    for key in {**written, **KINDS}:
        if key in UNCHECKED or OmegaConf.is_missing(config, key):
            continue
        default, value = written.get(key), OmegaConf.select(config, key)
        kind = KINDS.get(key) or kind_of(default)
        nullable = default is None or key in NULLABLE
        if kind == TEXT and _is_number(value):
            OmegaConf.update(config, key, str(value))
        elif not (nullable if value is None else _ACCEPTS[kind](value)):
            said = "null" if value is None else value
            raise ControversyError(f"{key} is {said}, but has to be {kind}{', or null' if nullable else ''}")
        elif kind == LABELS and value is not None:
            OmegaConf.update(config, key, [str(label) for label in value])


def kind_of(default: Any) -> str:
    """The kind of a setting by its default.

    Raises:
        KeyError: It does not tell.
    """
    if isinstance(default, ListConfig):
        return NAMES
    return {bool: SWITCH, int: INTEGER, float: NUMBER, str: TEXT}[type(default)]


def _leaves(config: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of a verb's own settings, as written; not what is Hydra's."""
    for name in config:
        key = f"{before}{name}"
        if key in {"defaults", "hydra"}:
            continue
        value = "???" if OmegaConf.is_missing(config, name) else config[name]
        if isinstance(value, DictConfig) and value:
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value
