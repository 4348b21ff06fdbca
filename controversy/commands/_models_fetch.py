"""``controversy models fetch NAME...``: downloads, each with a bar."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from controversy.commands._models_list import find_entries
from controversy.errors import ControversyError
from controversy.weights import Download, fetch


def fetch_all(names: Sequence[str], offline: bool) -> None:
    """Fetches the weights of every name; goes on past one that fails, and says at the end which did.

    Raises:
        ControversyError: No name, an unknown one, or some did not come.
    """
    if not names:
        raise ControversyError("say which models to fetch: controversy models fetch NAME ...")
    entries = [entry for _, entry in find_entries(names)]
    failed = []
    for entry in entries:
        if all(path.is_file() for path in entry.weights):
            print(f"{entry.name}: there already, or none needed")
            continue
        if not entry.downloads:
            failed.append(f"{entry.name} has no known place to download from: see docs/models.md")
        for download in entry.downloads:
            if offline:
                failed.append(f"offline=true forbids to fetch {entry.name}. {download.by_hand()}")
                continue
            try:
                _fetch(download)
                print(f"{entry.name}: {download.path}")
            except ControversyError as problem:
                failed.append(str(problem))
    if failed:
        raise ControversyError("\n".join(["not all came", *failed]))


def _fetch(download: Download) -> None:
    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(download.path.name, total=download.size)
        fetch(download, lambda done, total: bar.update(task, completed=done, total=total))
