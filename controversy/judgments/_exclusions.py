"""Whose judgments, and which, are left out: explicit rules, each counted."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import pandas as pd

from controversy.errors import ControversyError


@dataclass(frozen=True)
class ExclusionRules:
    """Rules for leaving out participants and trials; None switches a rule off.

    They apply in the order below, each to what the ones before it left.

    Attributes:
        min_catch_accuracy: Smallest share of catch trials answered right, per participant.
        min_repeat_consistency: Smallest share of repeats answered as the first time, per participant.
        max_same_response: Largest share of a participant's main trials with one and the same response (the
            column ``response``, the key or button; else ``choice`` with ``confidence``): straight-lining.
        min_rt: Shortest response time of a trial, in seconds.
        max_rt: Longest response time of a trial, in seconds.
        min_trials: Fewest main trials of a participant, after all other rules.
    """

    min_catch_accuracy: float | None = None
    min_repeat_consistency: float | None = None
    max_same_response: float | None = None
    min_rt: float | None = None
    max_rt: float | None = None
    min_trials: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_catch_accuracy", "min_repeat_consistency", "max_same_response"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ControversyError(
                    f"exclude.{name}={value} is no share. Give a number from 0 to 1, or null."
                )
        for name in ("min_rt", "max_rt", "min_trials"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ControversyError(f"exclude.{name}={value} is negative. Give 0 or more, or null.")


@dataclass(frozen=True)
class Exclusion:
    """What one rule left out."""

    rule: str
    value: float
    participants: int
    trials: int

    def __str__(self) -> str:
        left = f"{self.participants} participant(s) and {self.trials} trial(s) left out"
        return f"{self.rule}={self.value:g}: {left}"


def apply_exclusions(table: pd.DataFrame, rules: ExclusionRules) -> tuple[pd.DataFrame, list[Exclusion]]:
    """Leaves out what the rules say, and counts it.

    Args:
        table: Canonical judgments, with catch trials and repeats still in it.
        rules: The rules.

    Returns:
        The remaining judgments, and one `Exclusion` for every rule that is on, also when it left out nothing.
        ``participants`` counts people left out entirely, ``trials`` their main trials and single ones.

    Raises:
        ControversyError: A rule needs trials or a column that the table does not have.
    """
    exclusions = []
    for field in fields(rules):
        value = getattr(rules, field.name)
        if value is None:
            continue
        keep = _RULES[field.name](table, value)
        left = table[keep]
        before, after = table[table["kind"] == "main"], left[left["kind"] == "main"]
        people = table["participant"].nunique() - left["participant"].nunique()
        exclusions.append(Exclusion(field.name, float(value), people, len(before) - len(after)))
        table = left
    if not (table["kind"] == "main").any():
        told = "; ".join(str(exclusion) for exclusion in exclusions)
        raise ControversyError(f"the exclusion rules leave no judgment ({told}). Relax them.")
    return table, exclusions


def _catch(table: pd.DataFrame, least: float) -> pd.Series:
    catch = table[table["kind"] == "catch"]
    if catch.empty:
        raise ControversyError(
            "exclude.min_catch_accuracy is set, but no row has kind=catch. Set it to null."
        )
    right = (catch["choice"] == catch["correct"]).groupby(catch["participant"]).mean()
    return ~table["participant"].isin(right.index[right < least])


def _repeat(table: pd.DataFrame, least: float) -> pd.Series:
    repeats = table[table["kind"] == "repeat"]
    if repeats.empty:
        raise ControversyError(
            "exclude.min_repeat_consistency is set, but no row has kind=repeat. Set it to null."
        )
    keys = ["participant", "stimulus_id"]
    first = table[table["kind"] == "main"].set_index(keys)["choice"].rename("first")
    both = repeats.join(first, on=keys, how="inner")
    same = (both["choice"] == both["first"]).groupby(both["participant"]).mean()
    return ~table["participant"].isin(same.index[same < least])


def _same_response(table: pd.DataFrame, most: float) -> pd.Series:
    main = table[table["kind"] == "main"]
    columns = ["response"] if "response" in main else [c for c in ("choice", "confidence") if c in main]
    runs = main.groupby(["participant", *columns], dropna=False).size().groupby("participant").max()
    share = runs / main.groupby("participant").size()
    return ~table["participant"].isin(share.index[share > most])


def _rt(compare: Callable[[pd.Series, float], pd.Series]) -> Callable[[pd.DataFrame, float], pd.Series]:
    def rule(table: pd.DataFrame, bound: float) -> pd.Series:
        if "rt" not in table or table["rt"].isna().all():
            raise ControversyError(
                "a bound on response times is set, but the judgments have no rt. Set it to null."
            )
        # A trial whose time was not recorded is neither too short nor too long.
        return table["rt"].isna() | compare(table["rt"], bound)

    return rule


def _enough(table: pd.DataFrame, least: float) -> pd.Series:
    counts = (table["kind"] == "main").groupby(table["participant"]).transform("sum")
    return counts >= least


_RULES: dict[str, Callable[[pd.DataFrame, float], pd.Series]] = {
    "min_catch_accuracy": _catch,
    "min_repeat_consistency": _repeat,
    "max_same_response": _same_response,
    "min_rt": _rt(pd.Series.ge),
    "max_rt": _rt(pd.Series.le),
    "min_trials": _enough,
}
