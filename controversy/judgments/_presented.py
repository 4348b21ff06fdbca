"""Judgments as experiment software writes them: keys, buttons, and screens that are no judgment."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.judgments._files import files_of, read_json_rows, read_table, stack
from controversy.judgments._table import Reading

# Button indices, arrow and home-row keys; "2" alone is a choice, not a side, and goes in the column `choice`.
_LEFT = {"0", "left", "arrowleft", "f", "a"}
_RIGHT = {"1", "right", "arrowright", "j", "l"}
_PSYCHOPY = {"key_resp.keys": "response", "key_resp.rt": "rt", "slider.response": "confidence"}


def read_jspsych(
    path: Path, columns: Mapping[str, str] | None = None, key: pd.DataFrame | None = None
) -> Reading:
    """Reads what jsPsych saves (JSON or CSV), one file or a folder of them.

    A judgment is a row with ``stimulus_id``, ``participant`` and either ``choice`` (1 or 2), or ``response``
    (0 or left, 1 or right) with ``left_alternative`` (1 or 2). Confidence may be on that row, or on a later
    row of the same participant and stimulus. ``rt`` is in milliseconds there.

    Args:
        path: File or folder.
        columns: Names in the file -> the names above, where they differ.
        key: What trials showed, where the data does not say it: one row a ``trial_id``, with ``stimulus_id``,
            ``left_alternative`` and more. Its columns are added to the rows that have a ``trial_id``.

    Raises:
        ControversyError: A file cannot be read or lacks a column, or the key lacks a trial.
    """
    files = files_of(path, (".json", ".csv", ".txt"))
    raw = stack(files, lambda file: _read_json_or_csv(file, columns or {}))
    if key is not None:
        raw = _with_key(raw, key)
    if "rt" in raw:
        raw["rt"] = pd.to_numeric(raw["rt"], errors="coerce") / 1000
    return _presented(raw, "jsPsych")


def read_psychopy(path: Path, columns: Mapping[str, str] | None = None) -> Reading:
    """Reads PsychoPy's trial-by-trial CSV, one file or a folder of them.

    As `read_jspsych`, with ``key_resp.keys`` as ``response``, ``key_resp.rt`` (seconds) as ``rt`` and
    ``slider.response`` as ``confidence`` unless ``columns`` says otherwise.
    """
    names = {**_PSYCHOPY, **dict(columns or {})}
    raw = stack(files_of(path, (".csv",)), lambda file: read_table(file, names))
    return _presented(raw, "PsychoPy")


def _read_json_or_csv(file: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    return read_table(file, columns) if file.suffix.lower() == ".csv" else read_json_rows(file, columns)


def _with_key(raw: pd.DataFrame, key: pd.DataFrame) -> pd.DataFrame:
    if "trial_id" not in raw:
        raise ControversyError(f"the data has no column 'trial_id', only {', '.join(map(str, raw.columns))}.")
    key = key.set_index("trial_id")
    unknown = raw[raw["trial_id"].notna() & ~raw["trial_id"].isin(key.index)]
    if len(unknown):
        raise ControversyError(
            f"{unknown.index[0]}: the key has no trial {unknown['trial_id'].iloc[0]!r} ({len(unknown)} such "
            "rows). "
            "Give the key of the experiment that the data is of."
        )
    # What the browser says of a trial counts nowhere that the key says it too.
    return raw.drop(columns=[name for name in key.columns if name in raw]).join(key, on="trial_id")


def _presented(raw: pd.DataFrame, software: str) -> Reading:
    for name in ("participant", "stimulus_id"):
        if name not in raw:
            raise ControversyError(
                f"the {software} data has no column {name!r}, only {', '.join(map(str, raw.columns))}. "
                f"Say which it is with columns={{yours: {name}}}."
            )
    raw["stimulus_id"] = raw["stimulus_id"].astype(object).where(raw["stimulus_id"].notna(), None)
    shown = raw[raw["stimulus_id"].notna()].copy()
    notes = [
        f"{len(raw) - len(shown)} of {len(raw)} {software} rows show no stimulus (instructions and the like)"
    ]
    shown["choice"] = _choice(shown, software)
    shown, merged = _with_confidence(shown)
    if merged:
        notes.append(f"{merged} confidence rows were joined to their judgments")
    # A choice that was given but not understood stays, for validation to name its row.
    asked = shown["response"] if "response" in shown else shown["choice"]
    silent = shown["choice"].isna() & asked.isna()
    if silent.any():
        notes.append(f"{int(silent.sum())} trials without a response are no judgments")
    return Reading(shown[~silent], tuple(notes))


def _choice(shown: pd.DataFrame, software: str) -> pd.Series:
    if "choice" in shown:
        return pd.to_numeric(shown["choice"], errors="coerce").where(shown["choice"].notna(), None)
    for name in ("response", "left_alternative"):
        if name not in shown:
            raise ControversyError(
                f"the {software} data has neither 'choice' nor both 'response' and 'left_alternative' "
                f"({name!r} is missing). Say which they are with columns={{yours: {name}}}."
            )
    key = shown["response"].map(_key)
    left = pd.to_numeric(shown["left_alternative"], errors="coerce")
    chosen = np.select([key.isin(_LEFT), key.isin(_RIGHT)], [left, 3 - left], default=np.nan)
    return pd.Series(chosen, index=shown.index)


def _key(value: object) -> str:
    """A key or button as text; a column with gaps makes floats of button indices."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip().lower()


def _with_confidence(shown: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    if "confidence" not in shown:
        return shown, 0
    later = shown["choice"].isna() & shown["confidence"].notna()
    if not later.any():
        return shown, 0
    keys = [name for name in ("participant", "stimulus_id", "kind") if name in shown]
    # The n-th confidence row of a stimulus belongs to its n-th judgment.
    turn = shown.groupby([*keys, later], dropna=False, sort=False).cumcount().rename("turn")
    places = [*keys, "turn"]
    shown = shown.assign(turn=turn)
    given = shown[later].set_index(places)["confidence"].rename("given")
    joined = shown[~later].join(given, on=places)
    joined["confidence"] = joined["confidence"].where(joined["confidence"].notna(), joined["given"])
    return joined.drop(columns=["turn", "given"]), int(later.sum())
