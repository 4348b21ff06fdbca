"""The folder of an experiment: its lists, clear images and secret, and which stimulus set it shows."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from controversy.errors import ControversyError
from controversy.experiment._clear import CLEAR_TABLE
from controversy.experiment._lists import LIST_COLUMNS, ListOptions
from controversy.experiment._secrets import Secret, create_secret, read_secret
from controversy.files import sha256, write_text
from controversy.stimuli import StimulusSet

FORMAT_VERSION = 1
METADATA = "metadata.csv"
LISTS_FILE = "lists.csv"
RECORD_FILE = "experiment.json"
CLEAR_FOLDER = "clear"
_TYPES = {"stimulus_id": "str", "class_1_name": "str", "class_2_name": "str", "correct": "Int64"}
_FROM_CLEAR = ("catch", "practice")


@dataclass(frozen=True)
class Experiment:
    """An experiment that is ready to be run or exported.

    Attributes:
        folder: Where it lies.
        stimuli: The stimulus set that it shows.
        lists: The lists (`make_lists`), with ``trial_id`` and ``image_name``, what the browser calls them.
        secret: Its secret.
        record: What ``experiment.json`` holds.
    """

    folder: Path
    stimuli: StimulusSet
    lists: pd.DataFrame
    secret: Secret
    record: dict[str, Any]

    @cached_property
    def image_paths(self) -> dict[str, Path]:
        """The image file behind every name that the browser knows."""
        shown = self.lists.drop_duplicates("image_name")
        clear = self.folder / CLEAR_FOLDER
        return {
            str(name): (clear if kind in _FROM_CLEAR else self.stimuli.folder) / str(file)
            for name, kind, file in zip(shown["image_name"], shown["kind"], shown["file_name"], strict=True)
        }

    @property
    def image_size(self) -> tuple[int, int]:
        """Width and height of its images in pixels."""
        height, width = self.stimuli.manifest["image_size"]
        return int(width), int(height)


def write_experiment(folder: Path, stimuli: StimulusSet, lists: pd.DataFrame, options: ListOptions) -> None:
    """Writes the lists, a new secret, and last the record that marks the folder complete.

    Raises:
        ControversyError: There is an experiment in the folder already.
    """
    if (folder / RECORD_FILE).exists():
        raise ControversyError(f"{folder} holds an experiment already. Choose another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / LISTS_FILE, lists.to_csv(index=False, lineterminator="\n"))
    # A run that was stopped before the record leaves a secret that nothing depends on yet.
    (folder / "secret.json").unlink(missing_ok=True)
    create_secret(folder)
    record = {
        "format_version": FORMAT_VERSION,
        "set": str(stimuli.folder.resolve()),
        "images": _digest(stimuli),
        "options": asdict(options),
        "lists": sha256(folder / LISTS_FILE),
        "n_stimuli": len(stimuli),
        "n_trials": int((lists["list"] == 0).sum()),
    }
    write_text(folder / RECORD_FILE, json.dumps(record, indent=1) + "\n")


def read_experiment(folder: Path, set_folder: Path | None = None) -> Experiment:
    """Opens an experiment.

    Args:
        folder: Where `write_experiment` wrote it.
        set_folder: Where its stimulus set lies, if it was moved.

    Raises:
        ControversyError: It is none, its lists or its set are not those it was made with, or a file is
            missing.
    """
    record = _read_record(folder)
    path = folder / LISTS_FILE
    if not path.is_file() or sha256(path) != record["lists"]:
        raise ControversyError(
            f"{path} is not what the experiment was made with. Restore it: lists must not change once they "
            "are made."
        )
    stimuli = StimulusSet(Path(record["set"]) if set_folder is None else set_folder)
    if _digest(stimuli) != record["images"]:
        raise ControversyError(
            f"{stimuli.folder} is not the stimulus set that the lists in {folder} were made for, or it has "
            "changed. "
            "Give that one with set=DIR, or make lists anew in another folder."
        )
    secret = read_secret(folder)
    lists = _read_lists(path)
    places = zip(lists["list"], lists["position"], strict=True)
    shown = zip(lists["stimulus_id"], lists["kind"], strict=True)
    lists = lists.assign(
        trial_id=[secret.trial_id(*place) for place in places],
        image_name=[secret.image_name(*what) for what in shown],
    )
    experiment = Experiment(folder, stimuli, lists, secret, record)
    missing = [path for path in experiment.image_paths.values() if not path.is_file()]
    if missing:
        raise ControversyError(f"{missing[0]} is missing ({len(missing)} such images). Restore it.")
    return experiment


def read_clear(folder: Path) -> pd.DataFrame | None:
    """The table of clear images that lie in an experiment's folder, if they do."""
    path = folder / CLEAR_FOLDER / CLEAR_TABLE
    return pd.read_csv(path, dtype={"class_name": str}) if path.is_file() else None


def _read_lists(path: Path) -> pd.DataFrame:
    # A class may be called "NA"; only the right answer of a main trial is missing.
    table = pd.read_csv(path, dtype=_TYPES, keep_default_na=False, na_values={"correct": [""]})
    return table[list(LIST_COLUMNS)]


def _digest(stimuli: StimulusSet) -> str:
    """Of the stimuli and their images; logits of further models leave it as it is."""
    files = stimuli.manifest["files"]
    shown = sorted((name, files[name]) for name in files if name == METADATA or name.startswith("images/"))
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def _read_record(folder: Path) -> dict[str, Any]:
    path = folder / RECORD_FILE
    if not path.is_file():
        raise ControversyError(
            f"{folder} holds no experiment. Make one: controversy experiment lists set=DIR out={folder}"
        )
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if record["format_version"] != FORMAT_VERSION:
            raise ControversyError(
                f"{path} has format version {record['format_version']}, this is for {FORMAT_VERSION}."
            )
    except (ValueError, KeyError, TypeError) as problem:
        raise ControversyError(f"{path} is damaged: {problem!r}. Restore it.") from problem
    return record
