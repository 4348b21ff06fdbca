"""Where a verb's items come from: a stimulus set, or tables of evidence and targets."""

from pathlib import Path
from typing import Any

import pandas as pd

from controversy.errors import ControversyError
from controversy.evidence import Items, items_from_set, items_from_tables
from controversy.stimuli import StimulusSet


def items_of(config: Any) -> tuple[Items | None, dict[str, Path]]:
    """The items that ``config.set`` or ``config.evidence`` names, and the images of a set by stimulus id.

    Raises:
        ControversyError: Both are given, or what is given cannot be read.
    """
    if config.set is not None and config.evidence is not None:
        raise ControversyError("set and evidence are both given. Give the one that was judged.")
    if config.targets is not None and config.evidence is None:
        raise ControversyError("targets are given without evidence=FILE, to which they belong.")
    models = None if config.models is None else list(config.models)
    if config.set is not None:
        stimuli = StimulusSet(Path(config.set))
        ids = stimuli.metadata["stimulus_id"].astype(str)
        return items_from_set(stimuli, models), {name: stimuli.image_path(i) for i, name in enumerate(ids)}
    if config.evidence is None:
        return None, {}
    targets = None if config.targets is None else _read(Path(config.targets))
    items = items_from_tables(_read(Path(config.evidence)), targets)
    return (items if models is None else items.select(models)), {}


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise ControversyError(f"there is no file {path}.")
    if path.suffix.lower() == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype={"item": str, "model": str}, encoding="utf-8-sig")
