"""Tables from files and folders, each row labelled by where it came from."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from controversy.errors import ControversyError

# Ids such as "007" are names, not numbers.
_TEXT = ("participant", "stimulus_id")


def files_of(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The file itself, or a folder's files with one of the suffixes, sorted.

    Raises:
        ControversyError: Nothing is there.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in suffixes)
        if not files:
            raise ControversyError(f"the folder {path} has no {' or '.join(suffixes)} file.")
        return files
    if not path.is_file():
        raise ControversyError(f"there is no file {path}. Check judgments=...")
    return [path]


def read_table(path: Path, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One CSV or Parquet file, its columns renamed: ``columns`` has names in the file -> names here.

    Raises:
        ControversyError: Its bytes are no such table.
    """
    names = dict(columns or {})
    try:
        if path.suffix.lower() == ".parquet":
            return pd.read_parquet(path).rename(columns=names)
        text = dict.fromkeys(_TEXT, str) | {name: str for name, new in names.items() if new in _TEXT}
        return pd.read_csv(path, dtype=text, encoding="utf-8-sig").rename(columns=names)
    except (OSError, ValueError, pd.errors.ParserError) as problem:
        raise ControversyError(f"cannot read {path} as a table: {problem}") from problem


def read_json_rows(path: Path, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One file of JSON trials: a list, lists in a list, an object with ``trials``, or one such thing a line.

    Columns are renamed as by `read_table`.

    Columns are renamed as by `read_table`.

    Raises:
        ControversyError: Its text is no JSON, or holds no trials.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        try:
            documents = [json.loads(text)]
        except json.JSONDecodeError:
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        rows = list(_flatten(documents))
    except (json.JSONDecodeError, TypeError) as problem:
        raise ControversyError(f"cannot read {path} as JSON trials: {problem}") from problem
    if not rows:
        raise ControversyError(f"{path} holds no trials.")
    return pd.DataFrame(rows).rename(columns=dict(columns or {}))


def stack(files: list[Path], read: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    """All files in one table; the index says each row's place, counted from 1 after the header."""
    tables = []
    for file in files:
        table = read(file)
        prefix = f"{file.name} " if len(files) > 1 else ""
        table.index = pd.Index([f"{prefix}row {i + 1}" for i in range(len(table))])
        tables.append(table)
    return pd.concat(tables)


def _flatten(node: Any) -> Iterable[dict[str, Any]]:
    if isinstance(node, list):
        for part in node:
            yield from _flatten(part)
    elif isinstance(node, dict) and isinstance(node.get("trials"), list):
        yield from _flatten(node["trials"])
    elif isinstance(node, dict):
        yield node
    else:
        raise TypeError(f"a trial is an object, not {node!r}")
