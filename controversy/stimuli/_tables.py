"""metadata.csv and classes.csv: written with full precision, read with the types they were written with."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.files import whole_file
from controversy.stimuli._layout import CLASS_COLUMNS


def write_table(path: Path, table: pd.DataFrame) -> None:
    r"""Writes a table as CSV: floats in their shortest exact form, ``\n`` newlines."""
    with whole_file(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def column_types(table: pd.DataFrame) -> dict[str, str]:
    """What `read_table` needs: one of str, bool, int64, uint64, float64 a column."""
    kinds = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64"}
    return {str(name): kinds.get(kind.kind, "str") for name, kind in table.dtypes.items()}


def read_table(path: Path, types: Mapping[str, str]) -> pd.DataFrame:
    """Reads a table that `write_table` wrote. Strings stay strings, also "7", "NA" and "".

    Raises:
        ControversyError: The file is missing or damaged, or a column is missing or of another type.
    """
    # pandas' own parser of floats is exact or not depending on its version: Python's always is.
    texts = {name: "str" if kind == "float64" else kind for name, kind in types.items()}
    try:
        table = pd.read_csv(path, dtype=texts, keep_default_na=False, encoding="utf-8")
        missing = [name for name in types if name not in table]
        if missing:
            raise ValueError(f"it lacks the column(s) {', '.join(missing)}")
        exact = {
            name: np.array(table[name].replace("", "nan").to_list(), np.float64)
            for name, kind in types.items()
            if kind == "float64"
        }
    except (OSError, ValueError, TypeError) as problem:
        raise ControversyError(
            f"cannot read {path}: {problem}. Restore it or make the set again."
        ) from problem
    return table.assign(**exact)


def read_classes(path: Path) -> pd.DataFrame:
    """classes.csv: index (int), wnid and name (str); one row a class, in the order of the logits."""
    return read_table(path, {"index": "int64", "wnid": "str", "name": "str"})


def checked_classes(classes: pd.DataFrame) -> pd.DataFrame:
    """The table of classes as a set holds it.

    Raises:
        ControversyError: It lacks a column, or its indices are not 0, 1, 2, ...
    """
    missing = [name for name in CLASS_COLUMNS if name not in classes]
    if missing:
        raise ControversyError(f"the table of classes lacks the column(s) {', '.join(missing)}")
    table = classes[list(CLASS_COLUMNS)].reset_index(drop=True)
    if not np.array_equal(table["index"], np.arange(len(table))):
        raise ControversyError("the table of classes must list the indices 0, 1, 2, ... in this order")
    text = table[["wnid", "name"]].astype(object).where(table[["wnid", "name"]].notna(), "").astype(str)
    return table.assign(index=table["index"].astype("int64"), wnid=text["wnid"], name=text["name"])


def class_labels(classes: pd.DataFrame) -> list[str]:
    """A label a class: its name, with the WNID where another class has the same name ("crane")."""
    repeated = classes["name"].duplicated(keep=False) & (classes["wnid"] != "")
    return classes["name"].where(~repeated, classes["name"] + " (" + classes["wnid"] + ")").tolist()
