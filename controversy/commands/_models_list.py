"""What `controversy models` prints of each entry."""

import os.path
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

from controversy.classifiers import CLASSIFIERS
from controversy.commands._models import configured, resolve
from controversy.files import sha256
from controversy.generators import GENERATORS
from controversy.registry import Entry, Registry
from controversy.weights import weights_root

_DIGEST_SHOWN = 8
_WIDE = 160


def find_entries(names: Sequence[str]) -> list[tuple[str, Entry[Any]]]:
    """The entries called ``names``, each with its kind; all that are listed where none is named.

    Raises:
        ControversyError: A name is unknown.
    """
    registries: tuple[Registry[Any], ...] = (CLASSIFIERS, GENERATORS)
    listed = [(registry.kind, entry) for registry in registries for entry in registry]
    listed += [(CLASSIFIERS.kind, entry) for entry in _own_classifiers()]
    if not names:
        return listed
    by_name = {entry.name: (kind, entry) for kind, entry in listed}
    return [by_name.get(name) or (CLASSIFIERS.kind, CLASSIFIERS[name]) for name in names]


def _own_classifiers() -> list[Entry[Any]]:
    """The classifiers that only a configuration makes: the user's."""
    entries = []
    for name, path in configured("classifier").items():
        if name not in CLASSIFIERS:
            weights = OmegaConf.select(OmegaConf.load(path), "weights")
            files = (Path(weights).expanduser(),) if weights else ()
            entries.append(Entry(name, partial(resolve, name), files, "configured", str(path)))
    return entries


def wide_console() -> Console:
    """A console that folds no lines where it is no terminal: a pipe has no width."""
    console = Console(markup=False, highlight=False)
    return console if console.is_terminal else Console(markup=False, highlight=False, width=_WIDE)


def print_tables(names: Sequence[str], digests: bool) -> None:
    """Prints a table a family.

    Raises:
        ControversyError: A name is unknown.
    """
    console = wide_console()
    for (kind, family), group in groupby(find_entries(names), key=lambda pair: (pair[0], pair[1].family)):
        entries = [entry for _, entry in group]
        folder = _common_folder(entries)
        console.print(
            f"{kind}s, family {family}" + (f": weights are looked for in {folder}" if folder else "")
        )
        console.print(_table(entries, folder, digests))
    if not names:
        more = [f"{family}:NAME" for registry in (CLASSIFIERS, GENERATORS) for family in registry.families()]
        console.print(f"also by name, too many to list: {', '.join(more)}")
        console.print(f"folder of weights: {weights_root()} (weights_dir=DIR, or CONTROVERSY_WEIGHTS)")


def _common_folder(entries: list[Entry[Any]]) -> Path | None:
    folders = [path.parent for entry in entries for path in entry.weights]
    return Path(os.path.commonpath(folders)) if folders else None


def _table(entries: list[Entry[Any]], folder: Path | None, digests: bool) -> Table:
    table = Table("name", "weights", "here", "size", "sha256")
    table.columns[0].overflow = table.columns[1].overflow = "fold"
    table.columns[3].justify = "right"
    for entry in entries:
        if not entry.weights:
            table.add_row(entry.name, "none needed", "yes", "", "")
        for i, path in enumerate(entry.weights):
            table.add_row(
                "" if i else entry.name, str(path.relative_to(folder or "/")), *_facts(path, digests)
            )
    return table


def _facts(path: Path, digests: bool) -> tuple[str, str, str]:
    """Whether a file is there, how large it is, and which."""
    if not path.is_file():
        return "no", "", ""
    return "yes", decimal(path.stat().st_size), sha256(path)[:_DIGEST_SHOWN] if digests else ""
