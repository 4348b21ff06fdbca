"""``controversy verify set=DIR``: re-hashes and re-scores a set; exits with 1 on any difference."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from controversy.commands._models import resolve
from controversy.commands._scoring_bar import scoring_bar
from controversy.devices import resolve_device
from controversy.stimuli import Difference, StimulusSet, verify

_SHOWN = 20


def run(config: Any) -> None:
    """Checks ``config.set``, with models taken by name from here and never from the set.

    Raises:
        ControversyError: There is no readable set, or a model of it is not known here.
        SystemExit: With status 1, where anything differs.
    """
    device = resolve_device(config.device)
    stimuli = StimulusSet(Path(config.set))
    names = list(config.models if config.models is not None else stimuli.models) if config.rescore else []
    classifiers = {name: resolve(name, config).to(device) for name in names}
    with scoring_bar("re-scoring") as progress:
        differences = verify(
            stimuli, classifiers, config.tolerance, batch_size=config.batch_size, progress=progress
        )
    print(_checked(stimuli, names))
    if not differences:
        print("no difference")
        return
    _print_table(differences)
    raise SystemExit(1)


def _checked(stimuli: StimulusSet, rescored: list[str]) -> str:
    left_out = [name for name in stimuli.models if name not in rescored]
    lines = [
        f"{stimuli.folder}: {len(stimuli)} stimuli, {len(stimuli.manifest['files'])} files re-hashed",
        f"logits recomputed from the images: {', '.join(rescored) or 'none'}",
    ]
    if left_out:
        lines.append(f"logits not recomputed: {', '.join(left_out)}")
    return "\n".join(lines)


def _print_table(differences: list[Difference]) -> None:
    table = Table("where", "difference", title=f"{len(differences)} differences", title_justify="left")
    for difference in differences[:_SHOWN]:
        table.add_row(difference.where, difference.problem)
    console = Console(markup=False)
    console.print(table)
    if len(differences) > _SHOWN:
        console.print(f"... and {len(differences) - _SHOWN} more")
