"""``controversy models``: every classifier and generator, and whether its weights are here."""

import os.path
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

from controversy.classifiers import CLASSIFIERS
from controversy.files import sha256
from controversy.generators import GENERATORS
from controversy.registry import Entry, Registry

_DIGEST_SHOWN = 8
_WIDE = 160


def run(config: Any) -> None:
    """Prints a table a family.

    Raises:
        ControversyError: A name of ``config.names`` is unknown.
    """
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        # A pipe has no width: whole lines are better there than folded ones.
        console = Console(markup=False, highlight=False, width=_WIDE)
    listed = _entries(list(config.names))
    for (kind, family), group in groupby(listed, key=lambda pair: (pair[0], pair[1].family)):
        entries = [entry for _, entry in group]
        folder = _common_folder(entries)
        console.print(
            f"{kind}s, family {family}" + (f": weights are looked for in {folder}" if folder else "")
        )
        console.print(_table(entries, folder, config.digests))


def _entries(names: list[str]) -> list[tuple[str, Entry[Any]]]:
    registries: tuple[Registry[Any], ...] = (CLASSIFIERS, GENERATORS)
    if not names:
        return [(registry.kind, entry) for registry in registries for entry in registry]
    return [
        ("generator", GENERATORS[n]) if n in GENERATORS else ("classifier", CLASSIFIERS[n]) for n in names
    ]


def _common_folder(entries: list[Entry[Any]]) -> Path | None:
    folders = [path.parent for entry in entries for path in entry.weights]
    return Path(os.path.commonpath(folders)) if folders else None


def _table(entries: list[Entry[Any]], folder: Path | None, digests: bool) -> Table:
    table = Table("name", "weights", "here", "size", "sha256")
    table.columns[0].overflow = table.columns[1].overflow = "fold"
    table.columns[3].justify = "right"
    for entry in entries:
        for name, path in zip(
            [entry.name, *[""] * len(entry.weights)], entry.weights or [None], strict=False
        ):
            if path is None or folder is None:
                table.add_row(name, "none needed", "yes", "", "")
            else:
                table.add_row(name, str(path.relative_to(folder)), *_facts(path, digests))
    return table


def _facts(path: Path, digests: bool) -> tuple[str, str, str]:
    """Whether a file is there, how large it is, and which."""
    if not path.is_file():
        return "no", "", ""
    return "yes", decimal(path.stat().st_size), sha256(path)[:_DIGEST_SHOWN] if digests else ""
