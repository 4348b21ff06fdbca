"""The canonical table of judgments, and every problem that one can have."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from controversy.errors import ControversyError

if TYPE_CHECKING:
    from controversy.evidence import Items

KINDS = ("main", "catch", "repeat", "practice")
REQUIRED = ("participant", "stimulus_id", "choice")
_SHOWN = 20


@dataclass(frozen=True)
class Reading:
    """What a reader found in files.

    Attributes:
        table: Canonical columns, not yet validated. Its index says where each row came from ("row 3").
        notes: What was set aside on the way and how much of it, for the report.
        items: The models' evidence, for formats that carry it.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()
    items: "Items | None" = field(default=None, repr=False)


def find_problems(
    table: pd.DataFrame,
    *,
    stimuli: Collection[str] | None = None,
    confidence_range: tuple[float, float] | None = None,
    min_trials: int = 2,
) -> pd.DataFrame:
    """Everything wrong with a table of judgments.

    Args:
        table: One row a trial: ``participant, stimulus_id, choice`` and optionally ``confidence, rt, kind,
            correct``. ``kind`` is ``main`` (the default), ``catch`` (with ``correct``), ``repeat`` or
            ``practice``.
        stimuli: The known stimulus ids; None accepts any.
        confidence_range: Smallest and largest possible confidence; None accepts any finite number.
        min_trials: A participant with fewer main trials is a problem.

    Returns:
        One row a problem: ``row`` (its label), ``column``, ``value``, ``problem``, in the order of the table.

    Raises:
        ControversyError: A required column is missing, or there is no row.
    """
    missing = [name for name in REQUIRED if name not in table]
    if missing:
        raise ControversyError(
            f"the judgments have no column {missing[0]!r}, only {', '.join(map(str, table.columns))}. "
            f"A table of judgments needs {', '.join(REQUIRED)}; rename yours, or say which format=... it has."
        )
    if table.empty:
        raise ControversyError("there are no judgments: the table has no row.")
    kind = _kind(table)
    judged = kind.isin(["main", "repeat"])
    checks = [
        ("participant", _blank(table["participant"]), "is empty"),
        ("stimulus_id", _blank(table["stimulus_id"]), "is empty"),
        ("choice", ~_numbers(table["choice"]).isin([1, 2]), "is neither 1 nor 2"),
        ("kind", ~kind.isin(KINDS), f"is none of {', '.join(KINDS)}"),
        (
            "stimulus_id",
            _doubled(table, kind),
            "was judged before by this participant (a repeat says kind=repeat)",
        ),
    ]
    if stimuli is not None:
        unknown = (
            judged & ~_blank(table["stimulus_id"]) & ~table["stimulus_id"].astype(str).isin(set(stimuli))
        )
        checks.append(("stimulus_id", unknown, "is not among the stimuli"))
    checks += _number_checks(table, kind, confidence_range)
    found = [
        pd.DataFrame({"place": np.flatnonzero(bad), "column": column, "problem": problem})
        for column, bad, problem in checks
    ]
    problems = pd.concat([*found, _lonely(table, kind, min_trials)], ignore_index=True)
    problems = problems.sort_values("place", kind="stable", ignore_index=True)
    problems.insert(0, "row", [table.index[place] for place in problems["place"]])
    values = [
        table.iloc[place][column] if column in table else ""
        for place, column in zip(problems["place"], problems["column"], strict=True)
    ]
    problems.insert(2, "value", pd.Series(values, dtype=object))
    return problems.drop(columns="place")


def validate(
    table: pd.DataFrame,
    *,
    stimuli: Collection[str] | None = None,
    confidence_range: tuple[float, float] | None = None,
    min_trials: int = 2,
) -> pd.DataFrame:
    """The table in its canonical types, if nothing is wrong with it.

    Arguments as for `find_problems`.

    Returns:
        A copy with text ``participant`` and ``stimulus_id``, integer ``choice``, ``kind``, and float
        ``confidence``, ``rt`` and ``correct`` where they are there.

    Raises:
        ControversyError: Something is wrong; the message lists it by row and value.
    """
    problems = find_problems(table, stimuli=stimuli, confidence_range=confidence_range, min_trials=min_trials)
    if len(problems):
        raise ControversyError(describe_problems(problems))
    canonical = table.assign(
        participant=table["participant"].astype(str),
        stimulus_id=table["stimulus_id"].astype(str),
        choice=_numbers(table["choice"]).astype(np.int64),
        kind=_kind(table),
    )
    for name in ("confidence", "rt", "correct"):
        if name in table:
            canonical[name] = _numbers(table[name]).astype(np.float64)
    return canonical


def describe_problems(problems: pd.DataFrame) -> str:
    """The problems as lines of text, the first twenty of them in full."""
    lines = [
        f"  {p.row}: {p.column} {_plain(p.value)} {p.problem}"
        for p in problems.head(_SHOWN).itertuples(index=False)
    ]
    rest = len(problems) - len(lines)
    more = [f"  ... and {rest} more"] if rest > 0 else []
    return "\n".join([f"{len(problems)} problem(s) in the judgments; nothing was scored:", *lines, *more])


def _plain(value: object) -> str:
    """The value as in the file: NumPy writes its numbers with their type."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _number_checks(
    table: pd.DataFrame, kind: pd.Series, confidence_range: tuple[float, float] | None
) -> list[tuple[str, pd.Series, str]]:
    checks: list[tuple[str, pd.Series, str]] = []
    if "confidence" in table:
        given = ~_blank(table["confidence"])
        confidence = _numbers(table["confidence"])
        bad = given & ~np.isfinite(confidence)
        checks.append(("confidence", bad, "is not a finite number"))
        if confidence_range is not None:
            low, high = confidence_range
            outside = given & np.isfinite(confidence) & ~confidence.between(low, high)
            checks.append(("confidence", outside, f"is impossible: outside {low:g} to {high:g}"))
    if "rt" in table:
        rt = _numbers(table["rt"])
        checks.append(
            ("rt", ~_blank(table["rt"]) & ~((rt >= 0) & np.isfinite(rt)), "is not a time in seconds")
        )
    catch = kind == "catch"
    if catch.any():
        right = _numbers(table["correct"]) if "correct" in table else pd.Series(np.nan, index=table.index)
        checks.append(("correct", catch & ~right.isin([1, 2]), "is neither 1 nor 2 on a catch trial"))
    return checks


def _lonely(table: pd.DataFrame, kind: pd.Series, min_trials: int) -> pd.DataFrame:
    """Participants with too few main trials, each said at its first row."""
    participant = table["participant"].astype(str)
    counts = (kind == "main").groupby(participant.to_numpy()).sum()
    few = counts[counts < min_trials]
    first = pd.Series(np.arange(len(table))).groupby(participant.to_numpy()).min()
    text = [
        f"has only {n} main trial(s); exclude.min_trials={min_trials} leaves such people out, counted"
        for n in few
    ]
    return pd.DataFrame({"place": first[few.index].to_numpy(), "column": "participant", "problem": text})


def _kind(table: pd.DataFrame) -> pd.Series:
    if "kind" not in table:
        return pd.Series("main", index=table.index)
    return table["kind"].where(~_blank(table["kind"]), "main").astype(str)


def _doubled(table: pd.DataFrame, kind: pd.Series) -> pd.Series:
    keys = table[["participant", "stimulus_id"]].astype(str).assign(kind=kind)
    return keys.duplicated() & (kind == "main")


def _blank(column: pd.Series) -> pd.Series:
    return column.isna() | (column.astype(str).str.strip() == "")


def _numbers(column: pd.Series) -> pd.Series:
    return pd.to_numeric(column, errors="coerce")
