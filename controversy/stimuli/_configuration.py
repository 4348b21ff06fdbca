"""A folder holds the set of one configuration: another one is refused, with the difference shown."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controversy.errors import ControversyError
from controversy.jobs import LOCK, STATUS
from controversy.stimuli._layout import IDENTITY, MANIFEST, PROGRESS
from controversy.stimuli._manifest import read_json, read_manifest

_ABSENT = "(absent)"


def as_json(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration as JSON gives it back: tuples are lists, keys are strings."""
    try:
        return json.loads(json.dumps(configuration))
    except (TypeError, ValueError) as problem:
        raise ControversyError(f"a set's configuration must be JSON: {problem}") from problem


def recorded_configuration(folder: Path) -> dict[str, Any] | None:
    """The configuration of the set that ``folder`` holds, finished or not; None where it holds nothing yet.

    Raises:
        ControversyError: The folder holds something else.
    """
    if folder.is_file():
        raise ControversyError(f"{folder} is a file; choose another folder for the set")
    if (folder / MANIFEST).exists():
        return read_manifest(folder)["configuration"]
    if (folder / IDENTITY).exists():
        return read_json(folder / IDENTITY)
    # All that a run killed in its first moment leaves, or a job that failed before it could begin.
    ours = {PROGRESS, STATUS}
    names = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    foreign = [name for name in names if name not in ours and not name.startswith(LOCK)]
    if foreign:
        shown = ", ".join(foreign[:5]) + (", ..." if len(foreign) > 5 else "")
        raise ControversyError(
            f"{folder} is not empty and is no stimulus set (it holds {shown}). "
            "Choose an empty or a new folder."
        )
    return None


def check_same_configuration(folder: Path, identity: Mapping[str, Any]) -> None:
    """Refuses a folder that holds the set of another configuration, or anything but a set.

    Args:
        folder: Where a set is to be made or finished.
        identity: Everything that determines the result, as JSON-able values.

    Raises:
        ControversyError: It holds another; the message lists each difference as ``key: there -> asked``.
    """
    recorded = recorded_configuration(folder)
    if recorded is None:
        return
    differences = configuration_differences(recorded, as_json(identity))
    if differences:
        raise ControversyError(
            f"{folder} holds a set of another configuration (there -> asked for):\n  "
            + "\n  ".join(differences)
            + "\nChoose another folder, or delete this one if you no longer need it."
        )


def configuration_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every leaf that differs, as ``dotted.key: old -> new``, sorted by key."""
    before, after = _flat(old), _flat(new)
    return [
        f"{key}: {before.get(key, _ABSENT)} -> {after.get(key, _ABSENT)}"
        for key in sorted(before.keys() | after.keys())
        if before.get(key, _ABSENT) != after.get(key, _ABSENT)
    ]


def _flat(value: Any, prefix: str = "") -> dict[str, str]:
    if isinstance(value, Mapping) and value:
        parts = value.items()
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        parts = {str(i): item for i, item in enumerate(value)}.items()
    else:
        return {prefix: json.dumps(value, ensure_ascii=False)}
    return {
        k: v
        for name, part in parts
        for k, v in _flat(part, f"{prefix}.{name}" if prefix else str(name)).items()
    }
