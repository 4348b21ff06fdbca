"""Names of a study's own, for what participants read."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from controversy.classes._table import class_index
from controversy.errors import ControversyError


def rename_classes(table: pd.DataFrame, names: Mapping[str | int, str]) -> pd.DataFrame:
    """A class table with other names for some classes.

    Args:
        table: As `class_table` gives it.
        names: Class (index, WordNet id or present name) -> what it is to be called.

    Raises:
        ControversyError: There is no such class, a name is empty, or two classes would share one.
    """
    renamed = table.copy()
    for word, name in names.items():
        if not name.strip():
            raise ControversyError(f"the name for class {word!r} is empty")
        renamed.loc[renamed["index"] == class_index(word, table), "name"] = name.strip()
    shared = renamed[renamed["name"].str.casefold().duplicated(keep=False)]
    if len(shared):
        same = ", ".join(f"{i} {name!r}" for i, name in zip(shared["index"], shared["name"], strict=True))
        raise ControversyError(f"classes would share a name, and people could not tell them apart: {same}")
    return renamed


def read_class_names(path: Path | str) -> dict[str | int, str]:
    """Names from a CSV with the columns ``class`` (index, WordNet id or name) and ``name``.

    Raises:
        ControversyError: There is no such file, a column is missing, or a class comes twice.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        classes, names = table["class"], table["name"]
    except (OSError, KeyError, ValueError) as problem:
        raise ControversyError(
            f"class names are read from a CSV with columns class and name; {path}: {problem}"
        ) from problem
    if classes.duplicated().any():
        raise ControversyError(f"{path} names {', '.join(classes[classes.duplicated()])} more than once")
    return dict(zip(classes, names, strict=True))
