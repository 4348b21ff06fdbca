"""Does scoring find the truth? Simulated studies of the reference design, whose truth is known.

    python scripts/recovery.py --out docs/images

Each simulated study draws new items and new people: 60 of them, each judging a random third of 1,008 stimuli
that set four models against each other in six pairs. It is scored as `controversy score` would, and compared
with what accuracy comes to over people and items without end. Two conditions:

* effects: people share a signal with which the held-out models correlate more or less, and a `twin` predicts
  each item by the majority of another group of the same size, so that it is truly at the noise ceiling;
* null: no model has anything to do with people, so that every test that rejects is wrong.

Writes recovery.csv, recovery.png and recovery.svg, and prints a table.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich.progress import track
from statsmodels.stats.proportion import proportion_confint

from controversy.evidence import Items
from controversy.judgments import validate
from controversy.observers import Design, Observers, population_accuracy, reference_design, simulate
from controversy.report import save
from controversy.scoring import SHORTFALL, ScoringOptions, respond, score

PEOPLE = Observers(shared=1.5, noise_spread=0.3, criterion=0.3, side_bias=0.1, lapse=0.02)
CORRELATIONS = (0.0, 0.3, 0.6, 0.9)
TWIN = "twin"


def with_twin(design: Design, arguments: argparse.Namespace, seed: int) -> Items:
    """The items with one more model: the majority of another group of people."""
    items = design.items
    group = simulate(
        items,
        PEOPLE,
        n_participants=arguments.participants,
        n_seen=arguments.seen,
        seed=seed,
        shared_signal=design.shared,
    ).judgments
    share = (
        group.groupby("stimulus_id")["choice"].mean().reindex(list(items.ids)).fillna(1.5).to_numpy() - 1.5
    )
    return Items(
        items.ids,
        (*items.models, TWIN),
        np.column_stack([items.evidence, share]),
        np.column_stack([items.targeted, np.zeros(len(share), dtype=bool)]),
    )


def one_study(arguments: argparse.Namespace, seed: int, null: bool) -> pd.DataFrame:
    """The scores of one simulated study."""
    design = reference_design(arguments.stimuli, held_out=(0.0,) if null else CORRELATIONS, seed=seed)
    items = design.items if null else with_twin(design, arguments, seed + 500_000)
    people = simulate(
        items,
        PEOPLE,
        n_participants=arguments.participants,
        n_seen=arguments.seen,
        seed=seed + 900_000,
        shared_signal=design.shared,
    )
    options = ScoringOptions(measures=("accuracy",), n_samples=arguments.samples, n_samples_slow=2, seed=seed)
    scores, _ = score(respond(validate(people.judgments), items), options)
    return scores[scores["p_value"].notna()].assign(study=seed)


def rate(name: str, hits: pd.Series, wanted: str) -> dict[str, object]:
    """A share with its Wilson interval."""
    low, high = proportion_confint(hits.sum(), len(hits), method="wilson")
    return {"what": name, "rate": hits.mean(), "low": low, "high": high, "n": len(hits), "nominal": wanted}


def summarise(effects: pd.DataFrame, null: pd.DataFrame) -> pd.DataFrame:
    """Coverage of intervals, and false positives."""
    accuracy = effects[effects["measure"] == "accuracy"]
    rows = []
    targeted = accuracy[accuracy["subset"] == "targeted"]
    rows.append(rate("coverage: targeted, truth 0.500", _covers(targeted, 0.5), "0.95"))
    for i, correlation in enumerate(CORRELATIONS):
        truth = population_accuracy(correlation, PEOPLE)
        part = accuracy[(accuracy["subset"] == "held_out") & (accuracy["model"] == f"held_out_{i + 1}")]
        rows.append(rate(f"coverage: held out, truth {truth:.3f}", _covers(part, truth), "0.95"))
    chance = null[null["measure"] == "accuracy"]
    rows.append(rate("null: tests against chance, uncorrected", chance["p_value"] < 0.05, "0.05"))
    family = (chance["p_adjusted"] < 0.05).groupby(chance["study"]).any()
    rows.append(rate("null: any in a study, corrected", family, "<= 0.05"))
    twin = effects[
        (effects["measure"] == "accuracy" + SHORTFALL)
        & (effects["model"] == TWIN)
        & (effects["subset"] == "held_out")
    ]
    rows.append(rate("at the ceiling: tests against it, uncorrected", twin["p_value"] < 0.05, "0.05"))
    return pd.DataFrame(rows)


def _covers(rows: pd.DataFrame, truth: float) -> pd.Series:
    return (rows["ci_low"] <= truth) & (truth <= rows["ci_high"])


def draw(table: pd.DataFrame) -> Figure:
    """Coverage beside false positives, each with its nominal value."""
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    parts = {
        "coverage": (table["nominal"] == "0.95", 0.95),
        "false positives": (table["nominal"] != "0.95", 0.05),
    }
    for place, (title, (mask, nominal)) in enumerate(parts.items()):
        axes = figure.add_subplot(2, 1, place + 1)
        part = table[mask]
        spread = np.abs([part["rate"] - part["low"], part["high"] - part["rate"]])
        axes.errorbar(part["rate"], range(len(part)), xerr=spread, fmt="o", color="#0072B2", capsize=2)
        axes.axvline(nominal, color="0.4", linestyle=":")
        if title == "coverage":
            axes.axvspan(0.92, 0.98, color="0.9", zorder=0)
        axes.set_yticks(range(len(part)), [name.removeprefix("coverage: ") for name in part["what"]])
        axes.set_ylim(len(part) - 0.5, -0.5)
        axes.set_title(title, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for recovery.csv, .png and .svg")
    parser.add_argument("--studies", type=int, default=200, help="in each condition")
    parser.add_argument("--participants", type=int, default=60)
    parser.add_argument("--stimuli", type=int, default=1008)
    parser.add_argument("--seen", type=int, default=336, help="stimuli that each person judges")
    parser.add_argument("--samples", type=int, default=400, help="bootstrap samples a study")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    conditions = []
    for null in (False, True):
        seeds = track(range(arguments.studies), description="null" if null else "effects")
        conditions.append(pd.concat([one_study(arguments, seed, null) for seed in seeds]))
    table = summarise(*conditions)
    table.to_csv(arguments.out / "recovery.csv", index=False, float_format="%.4f")
    save(draw(table), arguments.out / "recovery")
    print(table.to_string(index=False, float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    main()
