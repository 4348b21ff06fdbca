"""What people did at a visual change: readers of trials and of published counts."""

from pathlib import Path

import pandas as pd

from controversy.errors import ControversyError
from controversy.vcr._observations import Observations, from_counts, from_table

PROPERTIES = ("accuracy", "prediction_similarity")
_ICSE22 = {  # Hu et al. (ICSE 2022): file prefix -> property and the column that counts hits
    "imagenet_c_p_": ("accuracy", "Num_Accs"),
    "imagenet_p_p_": ("prediction_similarity", "Num_Pre"),
}
_COUNTS = ("corruption", "visual_change", "trials", "hits")
_TRIALS = ("participant", "stimulus_id", "corruption", "visual_change")
_RIGHT = {"accuracy": "correct", "prediction_similarity": "original_choice"}

People = dict[tuple[str, str], Observations]
"""Observations by (corruption, property)."""


def read_people(path: Path) -> People:
    """Reads people's answers, in whichever of three forms they come.

    * A folder of ``imagenet_{c,p}_p_<corruption>.csv``: the counts of Hu et al. (ICSE 2022).
    * A CSV of counts: ``corruption, visual_change, trials, hits``, optionally ``property``.
    * A CSV or Parquet of judgments: ``participant, stimulus_id, choice`` and ``corruption, visual_change``;
      accuracy where there is a column ``correct`` (the right choice), prediction similarity where
      there is ``original_choice`` (what that participant chose for the untouched image).

    Raises:
        ControversyError: There is no such file, or it has none of these forms.
    """
    if path.is_dir():
        return _by_corruption_and_property(read_icse22(path))
    try:
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    except (OSError, ValueError) as problem:
        raise ControversyError(f"cannot read people's answers from {path}: {problem}") from problem
    if set(_COUNTS) <= set(table):
        return _by_corruption_and_property(table)
    return people_from_trials(table)


def read_icse22(folder: Path) -> pd.DataFrame:
    """The published counts of Hu et al. (ICSE 2022): ``corruption, property, visual_change, trials, hits``.

    Raises:
        ControversyError: The folder holds none, or a file lacks a column.
    """
    tables = []
    for prefix, (property_name, hits) in _ICSE22.items():
        for path in sorted(folder.glob(f"{prefix}*.csv")):
            table = pd.read_csv(path).rename(
                columns={"IQA": "visual_change", "Count": "trials", hits: "hits"}
            )
            _require(table, _COUNTS[1:], path)
            names = {"corruption": path.stem.removeprefix(prefix).lower(), "property": property_name}
            tables.append(table[list(_COUNTS[1:])].assign(**names))
    if not tables:
        raise ControversyError(
            f"{folder} holds no imagenet_c_p_*.csv or imagenet_p_p_*.csv; give a file of answers instead"
        )
    return pd.concat(tables, ignore_index=True)


def people_from_trials(table: pd.DataFrame) -> People:
    """Observations from one row a trial; participants and stimuli are what the bootstrap resamples.

    Raises:
        ControversyError: A column is missing, a value is, or there is neither accuracy nor similarity to
        count.
    """
    _require(table, (*_TRIALS, "choice"), "the judgments")
    known = [name for name, column in _RIGHT.items() if column in table]
    if not known:
        raise ControversyError(
            "the judgments have neither a column 'correct' nor 'original_choice': nothing says what a hit is"
        )
    people: People = {}
    for name in known:
        rows = table[[*_TRIALS, "choice", _RIGHT[name]]]
        missing = rows.isna().any(axis=1)
        if missing.any():
            raise ControversyError(
                f"{missing.sum()} judgments lack a value, first in row {missing.idxmax()}; leave them out"
            )
        rows = rows.assign(hit=(rows["choice"] == rows[_RIGHT[name]]).astype(float))
        for corruption, part in rows.groupby("corruption"):
            people[str(corruption), name] = from_table(part, "hit", ("participant", "stimulus_id"))
    return people


def _by_corruption_and_property(table: pd.DataFrame) -> People:
    table = table if "property" in table else table.assign(property="accuracy")
    unknown = sorted(set(table["property"]) - set(PROPERTIES))
    if unknown:
        raise ControversyError(f"there is no property {unknown[0]!r}; there are {', '.join(PROPERTIES)}")
    return {
        (str(corruption), str(name)): from_counts(part)
        for (corruption, name), part in table.groupby(["corruption", "property"])
    }


def _require(table: pd.DataFrame, columns: tuple[str, ...], where: object) -> None:
    missing = [name for name in columns if name not in table]
    if missing:
        raise ControversyError(f"{where}: no column {missing[0]!r}, only {', '.join(map(str, table))}")


def pooled(people: People, property_name: str) -> dict[str, Observations]:
    """People's observations of one property, by corruption."""
    return {corruption: seen for (corruption, name), seen in people.items() if name == property_name}
