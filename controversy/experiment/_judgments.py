"""Answers and lists -> canonical judgments."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

JUDGMENT_COLUMNS = (
    "participant",
    "stimulus_id",
    "choice",
    "confidence",
    "rt",
    "trial",
    "session",
    "kind",
    "correct",
    "response",
    "left_alternative",
    "list",
    "input",
    "onset_ms",
    "shown_ms",
)


def judgments(
    lists: pd.DataFrame, sessions: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]
) -> pd.DataFrame:
    """The canonical table of all answers, also those of people who did not finish.

    Args:
        lists: The experiment's lists.
        sessions: ``id, participant, list`` of every session.
        answers: The answers of `Store.answers`.

    Returns:
        `JUDGMENT_COLUMNS`: ``choice`` numbers the alternatives as the stimulus set does, ``rt`` is in
        seconds, ``trial`` is the place in the list, ``response`` the side that was chosen. Catch trials
        (``kind``) come with their ``correct`` answer.
    """
    people = pd.DataFrame(
        [(s["id"], s["participant"], s["list"]) for s in sessions], columns=["session", "participant", "list"]
    )
    given = pd.DataFrame(
        list(answers),
        columns=["session", "position", "response", "confidence", "rt_ms", "onset_ms", "shown_ms", "input"],
    )
    table = given.merge(people, on="session", validate="many_to_one").merge(
        lists[["list", "position", "stimulus_id", "kind", "correct", "left_alternative"]],
        on=["list", "position"],
        validate="many_to_one",
    )
    left = table["left_alternative"]
    table = table.assign(
        choice=left.where(table["response"] == "left", 3 - left),
        rt=table["rt_ms"] / 1000,
        trial=table["position"],
        confidence=table["confidence"].astype("Int64"),
        correct=table["correct"].where(table["kind"] == "catch"),
    )
    return table.sort_values(["session", "position"], ignore_index=True)[list(JUDGMENT_COLUMNS)]
