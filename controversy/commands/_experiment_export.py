"""``controversy experiment export`` and ``import``: files for other platforms, and their data."""

from pathlib import Path
from typing import Any

import pandas as pd

from controversy.commands._experiment_folder import opened, settings
from controversy.commands._experiment_serve import open_store, texts
from controversy.errors import ControversyError
from controversy.experiment import (
    Experiment,
    PageSettings,
    built_page,
    export_psych_ds,
    export_psychopy,
    export_static,
    judgments,
    study,
)
from controversy.files import write_text
from controversy.judgments import read_jspsych, validate

FORMATS = ("judgments", "static", "psychopy", "psych-ds")


def export(config: Any) -> None:
    """Writes ``config.out`` in ``config.format``.

    Raises:
        ControversyError: No such format, ``out`` is the experiment's own folder, or it cannot be written.
    """
    if config.format not in FORMATS:
        raise ControversyError(f"format is {config.format!r}, but has to be one of {', '.join(FORMATS)}")
    if config.experiment is None:
        raise ControversyError("say which experiment to export: experiment=DIR, the folder that `lists` made")
    experiment, out = opened(config), Path(config.out)
    if config.format == "judgments":
        table = _judgments(config, experiment)
        write_text(out, table.to_csv(index=False, lineterminator="\n"))
        print(f"{len(table)} judgments of {table['participant'].nunique()} participants")
        print(out)
    elif config.format == "static":
        told = study(PageSettings(**settings(config)), texts(config), experiment.image_size)
        key = export_static(experiment, out, built_page(), told)
        print(f"{out / 'index.html'}: publish this folder")
        print(f"{key}: the key to its data; keep it, and never publish it")
    elif config.format == "psychopy":
        n = export_psychopy(experiment, out)
        print(f"{n} conditions files and {len(experiment.image_paths)} images")
        print(out)
    else:
        _psych_ds(config, experiment, out)


def import_(config: Any) -> None:
    """Joins what a static page collected (``config.data``) with its key, and writes canonical judgments."""
    for name in ("data", "key"):
        if config[name] is None:
            raise ControversyError(f"say what to import: data=FILE key=FILE out=FILE ({name} is missing)")
    path = Path(config.key)
    if not path.is_file():
        raise ControversyError(f"there is no key {path}. It lies in the experiment's folder, as key.csv.")
    key = pd.read_csv(path, dtype={"trial_id": str, "stimulus_id": str})
    reading = read_jspsych(Path(config.data), dict(config.columns or {}), key)
    table = validate(reading.table, min_trials=0)
    write_text(Path(config.out), table.to_csv(index=False, lineterminator="\n"))
    for note in reading.notes:
        print(note)
    print(f"{len(table)} judgments of {table['participant'].nunique()} participants")
    print(config.out)


def _judgments(config: Any, experiment: Experiment) -> pd.DataFrame:
    store = open_store(config, experiment)
    try:
        return judgments(experiment.lists, store.sessions(), store.answers())
    finally:
        store.dispose()


def _psych_ds(config: Any, experiment: Experiment, out: Path) -> None:
    options = config.psych_ds
    table = _judgments(config, experiment)
    stimuli = experiment.stimuli.metadata
    names = export_psych_ds(
        table, stimuli, out, name=options.name, description=options.description, study=options.study
    )
    print(f"{len(table)} judgments of {table['participant'].nunique()} participants")
    for name in [*names, "dataset_description.json"]:
        print(out / name)
