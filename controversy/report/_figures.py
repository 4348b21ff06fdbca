"""The figures of a scoring report; every function gives a Matplotlib figure and saves nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from controversy.report._style import CEILING, COLOURS, LABELS, MARKERS, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {
    "accuracy": ("Share of single choices that the model predicts", "the other participants' majority"),
    "agreement": ("Mean agreement of model and participant", "a participant with another, to the majority"),
    "likelihood": ("Mean probability given to the choice made", "the other participants' choices"),
    "signed_rank_cosine": (
        "Signed-rank cosine of evidence and confidence",
        "the other participants' mean, to everybody's",
    ),
    "confidence_correlation": (
        "Correlation of evidence and signed confidence",
        "the other participants' mean, to everybody's",
    ),
    "error_consistency": ("Error consistency (Cohen's kappa of being right)", "a participant with another"),
    "choice_kappa": ("Cohen's kappa of choices", "a participant with another"),
}


def figure_by_model(
    scores: pd.DataFrame,
    measure: str,
    chance: float,
    subsets: Sequence[str] = ("targeted", "other_pairs", "held_out"),
) -> "Figure":
    """One measure, a row a model: estimates with intervals, on the ceilings of the same trials.

    Args:
        scores: As from `controversy.scoring.score`.
        measure: Which measure.
        chance: Where a model that knows nothing lies.
        subsets: Which subsets to show.
    """
    from matplotlib.patches import Patch

    rows = scores[(scores["measure"] == measure) & scores["subset"].isin(subsets)]
    models = list(dict.fromkeys(rows["model"]))
    with style():
        figure = new_figure(7.0, 1.5 + 0.42 * max(len(models), 2))
        axes = figure.add_subplot()
        for subset in subsets:
            _dots(axes, rows[rows["subset"] == subset], models, subset)
        axes.axvline(chance, color="0.4", linestyle=":", linewidth=1)
        above = axes.get_xaxis_transform()
        axes.text(chance, 1, "chance", ha="center", va="bottom", transform=above, color="0.4", fontsize=8)
        axes.set_yticks(range(len(models)), models)
        axes.set_ylim(len(models) - 0.4, -0.6)
        axes.set_xlabel(TITLES[measure][0])
        handles, labels = axes.get_legend_handles_labels()
        handles.append(Patch(color=CEILING))
        labels.append(f"noise ceiling: {TITLES[measure][1]}")
        figure.legend(handles, labels, loc="outside lower left", ncols=2, fontsize=8)
    return figure


def figure_model_pairs(table: pd.DataFrame, models: Sequence[str]) -> "Figure":
    """Accuracy of each model (row) on the stimuli made to set it against another (column), as a matrix."""
    shown = [model for model in models if model in set(table["model"])]
    matrix = table.pivot(index="model", columns="other", values="accuracy").loc[shown, shown].to_numpy()
    with style():
        side = 1.2 + 0.75 * len(shown)
        figure = new_figure(side + 1.6, side)
        axes = figure.add_subplot()
        image = axes.imshow(matrix, cmap="PuOr", vmin=0, vmax=1)
        for (i, j), value in np.ndenumerate(matrix):
            if np.isfinite(value):
                colour = "white" if abs(value - 0.5) > 0.35 else "black"
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour)
        axes.set_xticks(range(len(shown)), shown, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(shown)), shown)
        axes.set_xlabel("against")
        axes.set_ylabel("accuracy of")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.colorbar(image, ax=axes, label="share of choices predicted", shrink=0.8)
    return figure


def figure_power(table: pd.DataFrame, model: str) -> "Figure":
    """Power of both tests for one model, by participants (horizontal) and stimuli (lines), with intervals."""
    rows = table[table["model"] == model]
    titles = {"chance": "better than chance", "ceiling": "below the noise ceiling"}
    colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
    with style():
        figure = new_figure(7.2, 3.2)
        for place, (test, title) in enumerate(titles.items()):
            axes = figure.add_subplot(1, 2, place + 1)
            for i, (n_stimuli, line) in enumerate(rows[rows["test"] == test].groupby("stimuli")):
                spread = [line["power"] - line["ci_low"], line["ci_high"] - line["power"]]
                axes.errorbar(
                    line["participants"],
                    line["power"],
                    np.maximum(spread, 0),
                    color=colours[i % len(colours)],
                    marker="osD^vPX"[i % 7],
                    markersize=4,
                    capsize=2,
                    label=f"{n_stimuli} stimuli",
                )
            axes.axhline(0.8, color="0.6", linestyle=":", linewidth=1)
            axes.set_ylim(-0.03, 1.03)
            axes.set_xlabel("participants")
            axes.set_title(f"{model}: {title}")
            if not place:
                axes.set_ylabel("probability of finding it")
        axes.legend(fontsize=8)
    return figure


def _dots(axes: "Axes", rows: pd.DataFrame, models: list[str], subset: str) -> None:
    if rows.empty:
        return
    offset = {"targeted": -0.14, "other_pairs": 0.14}.get(subset, 0.0)
    y = np.array([models.index(model) for model in rows["model"]]) + offset
    low, high = rows["ceiling_low"].to_numpy(float), rows["ceiling_high"].to_numpy(float)
    # A ceiling whose two ends meet still has to be seen.
    width = np.maximum(np.abs(high - low), 0.008 * np.ptp([*axes.get_xlim()]))
    axes.barh(y, width, left=np.fmin(low, high), height=0.26, color=CEILING, zorder=1)
    spread = np.stack([rows["estimate"] - rows["ci_low"], rows["ci_high"] - rows["estimate"]])
    axes.errorbar(
        rows["estimate"],
        y,
        xerr=np.maximum(np.nan_to_num(spread), 0),
        fmt=MARKERS[subset],
        color=COLOURS[subset],
        markersize=4.5,
        elinewidth=1.2,
        capsize=2,
        label=LABELS[subset],
        zorder=2,
    )
