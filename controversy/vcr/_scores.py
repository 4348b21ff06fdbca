"""Curves of every model, corruption and property, and the table that sums them up."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from controversy.vcr._curve import Curve, Estimate, fit_curve, relative_to_people, robustness
from controversy.vcr._estimators import Estimator
from controversy.vcr._evaluation import prediction_column
from controversy.vcr._observations import from_table
from controversy.vcr._people import PROPERTIES, People

ALL = "mean"
"""The row of `vcr.csv` that averages over corruptions."""
PEOPLE = "people"
_ENOUGH = 0.5


@dataclass(frozen=True)
class Results:
    """What a VCR study found.

    Attributes:
        curves: Models' curves by (model, corruption, property).
        people: People's curves by (corruption, property).
        table: `vcr.csv`: one row a model, corruption and property (people among the models), and rows whose
            corruption is "mean": averages over the corruptions in ``averaged``.
        averaged: Corruptions that reach far enough to be averaged.
    """

    curves: dict[tuple[str, str, str], Curve]
    people: dict[tuple[str, str], Curve]
    table: pd.DataFrame = field(repr=False)
    averaged: list[str]


def score(
    originals: pd.DataFrame,
    observations: pd.DataFrame,
    people: People,
    models: list[str],
    estimator: Estimator,
    *,
    n_bootstrap: int,
    seed: int,
) -> Results:
    """Fits all curves and compares them with people's.

    The bootstrap resamples images, the same ones for every model and corruption, so that averages and
    differences are paired. A corruption that covers less than half of [0, 1] is left out of averages.
    """
    options = {"n_bootstrap": n_bootstrap, "seed": seed}
    curves = {
        (model, corruption, name): fit_curve(from_table(part, name, ("image",)), estimator, **options)
        for model in models
        for corruption, part in _with_originals(originals, observations, model)
        for name in PROPERTIES
    }
    human = {
        key: fit_curve(
            seen, estimator, n_bootstrap=n_bootstrap, seed=zlib.crc32("/".join(key).encode()) + seed
        )
        for key, seen in people.items()
    }
    reach = observations.groupby("corruption", sort=False)["reach"].mean()
    rows = [
        _row(model, corruption, name, curve, human) for (model, corruption, name), curve in curves.items()
    ]
    rows += [_row(PEOPLE, corruption, name, curve, {}) for (corruption, name), curve in human.items()]
    table = pd.DataFrame(rows)
    table.insert(3, "reach", table["corruption"].map(reach))
    averaged = [
        name
        for name in reach.index
        if all(curves[m, name, PROPERTIES[0]].extrapolated <= 1 - _ENOUGH for m in models)
    ]
    means = [_mean_row(model, name, curves, averaged) for model in models for name in PROPERTIES if averaged]
    return Results(curves, human, pd.concat([table, pd.DataFrame(means)], ignore_index=True), averaged)


def _with_originals(
    originals: pd.DataFrame, observations: pd.DataFrame, model: str
) -> list[tuple[str, pd.DataFrame]]:
    """Each corruption's observations with the untouched images before them, and whether properties held."""
    column = prediction_column(model)
    answered = originals.set_index("image")[column]
    untouched = originals.assign(visual_change=0.0)
    return [
        (
            str(corruption),
            (together := pd.concat([untouched, part], ignore_index=True)).assign(
                accuracy=(together[column] == together["label"]).astype(float),
                prediction_similarity=(together[column] == together["image"].map(answered)).astype(float),
            ),
        )
        for corruption, part in observations.groupby("corruption", sort=False)
    ]


def _row(
    model: str, corruption: str, name: str, curve: Curve, human: Mapping[tuple[str, str], Curve]
) -> dict[str, object]:
    row: dict[str, object] = {
        "model": model,
        "corruption": corruption,
        "property": name,
        **_columns("robustness", robustness(curve)),
        **_columns("robustness_covered", robustness(curve, covered_only=True)),
        "covered_low": curve.covered[0],
        "covered_high": curve.covered[1],
        "extrapolated": curve.extrapolated,
        "n_trials": curve.n_trials,
    }
    if (corruption, name) in human and _overlap(human[corruption, name], curve):
        relative = relative_to_people(human[corruption, name], curve)
        row |= {**_columns("hmri", relative.hmri), **_columns("mrsi", relative.mrsi)}
        row |= {"compared_low": relative.range[0], "compared_high": relative.range[1]}
    return row


def _overlap(one: Curve, other: Curve) -> bool:
    return min(one.covered[1], other.covered[1]) - max(one.covered[0], other.covered[0]) > 0.01


def _mean_row(
    model: str, name: str, curves: Mapping[tuple[str, str, str], Curve], averaged: list[str]
) -> dict[str, object]:
    """Robustness averaged over corruptions; the curves' bootstrap samples are paired by image."""
    chosen = [curves[model, corruption, name] for corruption in averaged]
    mean = Curve(
        chosen[0].grid,
        np.mean([curve.value for curve in chosen], axis=0),
        np.mean([curve.samples for curve in chosen], axis=0),
        (max(curve.covered[0] for curve in chosen), min(curve.covered[1] for curve in chosen)),
        sum(curve.n_trials for curve in chosen),
    )
    return _row(model, ALL, name, mean, {})


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
