"""Participants' lists: which stimuli each judges, in which order, with which alternative on the left."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.experiment._assignment import assign
from controversy.experiment._order import trial_order
from controversy.experiment._sides import balanced_sides

LIST_COLUMNS = (
    "list",
    "position",
    "kind",
    "stimulus_id",
    "file_name",
    "left_alternative",
    "correct",
    "model_1",
    "model_2",
    "class_1",
    "class_2",
    "class_1_name",
    "class_2_name",
)
_FROM_SET = ["stimulus_id", "file_name", "model_1", "model_2", "class_1", "class_2"]
_NAMES = ["class_1_name", "class_2_name"]


@dataclass(frozen=True)
class ListOptions:
    """What is asked of the lists.

    Attributes:
        n_lists: How many lists: one a participant.
        per_stimulus: By how many people every stimulus is to be judged, at least.
        n_trials: Stimuli in a list; None takes as few as ``per_stimulus`` allows.
        n_repeats: Of these, how many are shown a second time.
        min_lag: Fewest trials between a trial and its repeat.
        n_catch: Further trials with a clear image, spread over the list.
        n_practice: Trials with a clear image before all others, whose answers are not kept.
        seed: Of everything random.
    """

    n_lists: int = 60
    per_stimulus: int = 10
    n_trials: int | None = None
    n_repeats: int = 0
    min_lag: int = 10
    n_catch: int = 0
    n_practice: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        least = {"n_lists": 1, "per_stimulus": 1, "n_trials": 1}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value < least.get(field.name, 0):
                raise ControversyError(
                    f"{field.name} is {value}, but has to be {least.get(field.name, 0)} or more."
                )

    @property
    def n_clear(self) -> int:
        """Clear images that each list needs."""
        return self.n_catch + self.n_practice


def make_lists(
    stimuli: pd.DataFrame, options: ListOptions, clear: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Makes the lists of an experiment.

    Every stimulus is in at least ``per_stimulus`` lists, and the numbers of lists that two stimuli are in
    differ by at most one. A list holds of every model pair and class pair (unordered) its share of the set.
    Alternative 1 stands left on half of the main trials of each list, and on half of the trials of each
    stimulus, to one. No list shows a stimulus twice, except as a repeat; every other repeat has the sides
    exchanged.

    Args:
        stimuli: The metadata of a stimulus set.
        options: What is asked.
        clear: Clear images (`make_clear_images`), needed where there are catch or practice trials: columns
            ``stimulus_id, file_name, class, class_name``.

    Returns:
        One row a trial, in the order they are shown: `LIST_COLUMNS`. ``list`` counts from 0, ``position``
        from 1. ``correct`` is there for catch and practice trials.

    Raises:
        ControversyError: It cannot be done; the message has the figures.
    """
    n_trials = _check(stimuli, options, 0 if clear is None else len(clear))
    # One stream a purpose: with other repeats or catch trials people still judge the same stimuli.
    streams = np.random.SeedSequence(options.seed).spawn(4)
    who, sides, orders, clears = (np.random.default_rng(stream) for stream in streams)
    lists = assign(_groups(stimuli), options.n_lists, n_trials, who)
    left = balanced_sides(lists, sides)
    shown = stimuli[_FROM_SET + _NAMES].reset_index(drop=True)
    tables = []
    for number in range(options.n_lists):
        main = shown.iloc[lists[number]].assign(left_alternative=left[number], correct=pd.NA)
        extra = _clear_trials(clear, options, number, clears)
        tables.append(_one_list(main.reset_index(drop=True), extra, options, orders).assign(list=number))
    table = pd.concat(tables, ignore_index=True)[list(LIST_COLUMNS)]
    return table.astype({"left_alternative": "int64", "correct": "Int64"})


def _check(stimuli: pd.DataFrame, options: ListOptions, n_clear: int) -> int:
    n, k, n_lists = len(stimuli), options.per_stimulus, options.n_lists
    if k > n_lists:
        raise ControversyError(
            f"per_stimulus={k} people are to judge each stimulus, but there are only n_lists={n_lists}."
        )
    n_trials = -(-k * n // n_lists) if options.n_trials is None else options.n_trials
    if n_trials > n:
        raise ControversyError(f"n_trials={n_trials}, but the set has {n} stimuli and none is shown twice.")
    if n_lists * n_trials < k * n:
        raise ControversyError(
            f"n_lists={n_lists} of n_trials={n_trials} are {n_lists * n_trials} judgments, but "
            f"per_stimulus={k} of "
            f"{n} stimuli need {k * n}. Ask for {-(-k * n // n_trials)} lists, or {-(-k * n // n_lists)} "
            "trials."
        )
    if n_clear < options.n_clear:
        raise ControversyError(
            f"n_catch={options.n_catch} and n_practice={options.n_practice} need {options.n_clear} clear "
            "images, "
            f"but there are {n_clear}."
        )
    same = stimuli[stimuli["class_1_name"].astype(str) == stimuli["class_2_name"].astype(str)]
    if len(same):
        row = same.iloc[0]
        raise ControversyError(
            f"both alternatives of {row['stimulus_id']} are called {row['class_1_name']!r}: nobody could "
            "choose. "
            f"({len(same)} such stimuli.) Leave them out, or give their classes names of their own."
        )
    return n_trials


def _groups(stimuli: pd.DataFrame) -> np.ndarray:
    """Model pair and class pair of each stimulus, unordered, as numbers."""
    return np.stack(
        [
            pd.factorize(pd.Series(map(tuple, np.sort(stimuli[pair].astype(str).to_numpy(), axis=1))))[0]
            for pair in (["model_1", "model_2"], ["class_1", "class_2"])
        ],
        axis=1,
    )


def _clear_trials(
    clear: pd.DataFrame | None, options: ListOptions, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Clear images of one list, each with its class and another one to choose from: practice, then catch."""
    n = options.n_clear
    if not n or clear is None:
        return pd.DataFrame()
    # Lists take turns through the images, so that all are used about equally often.
    rows = (number * n + np.arange(n)) % len(clear)
    images = clear.iloc[rng.permutation(rows)]
    classes = clear[["class", "class_name"]].drop_duplicates("class").set_index("class")["class_name"]
    if len(classes) < 2:
        raise ControversyError("all clear images are of one class: there is no other to choose from.")
    correct = rng.permutation(np.arange(n) % 2 + 1)
    right_side = rng.permutation(np.arange(n) % 2)
    other = np.array([rng.choice(classes.index[classes.index != c]) for c in images["class"]])
    first = np.where(correct == 1, images["class"], other)
    second = np.where(correct == 1, other, images["class"])
    return pd.DataFrame(
        {
            "stimulus_id": images["stimulus_id"].to_numpy(),
            "file_name": images["file_name"].to_numpy(),
            "class_1": first,
            "class_2": second,
            "class_1_name": classes[first].to_numpy(),
            "class_2_name": classes[second].to_numpy(),
            "model_1": "",
            "model_2": "",
            "correct": correct,
            "left_alternative": np.where(right_side == 0, correct, 3 - correct),
        }
    )


def _one_list(
    main: pd.DataFrame, clear: pd.DataFrame, options: ListOptions, rng: np.random.Generator
) -> pd.DataFrame:
    order = trial_order(len(main), options.n_catch, options.n_repeats, options.min_lag, rng)
    start = {"catch": options.n_practice, "main": len(clear), "repeat": len(clear)}
    places = [*range(options.n_practice), *(start[kind] + index for kind, index in order)]
    kinds = np.array([*["practice"] * options.n_practice, *(kind for kind, _ in order)])
    trials = pd.concat([clear, main], ignore_index=True).iloc[places].reset_index(drop=True)
    exchanged = (kinds == "repeat") & (np.cumsum(kinds == "repeat") % 2 == 0)
    left = trials["left_alternative"].astype("int64")
    return trials.assign(
        kind=kinds,
        left_alternative=left.where(~exchanged, 3 - left),
        position=np.arange(1, len(trials) + 1),
    )
