"""Curve figures: models against people's band, one panel a corruption; and their areas side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from controversy.files import whole_file
from controversy.vcr._curve import Curve
from controversy.vcr._scores import PEOPLE, Results

_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
"""Okabe & Ito's colours, told apart with any colour vision."""
_LINES = ("-", "--", "-.", ":")
_SVG: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "controversy"}
_LABELS = {"accuracy": "accuracy", "prediction_similarity": "prediction similarity"}


def draw_curves(results: Results, property_name: str, path: Path, *, chance: float | None = None) -> None:
    """Draws every model's curve and band, and people's where known; PNG and SVG.

    A curve is dotted where it is extrapolated.

    Args:
        results: What to draw.
        property_name: "accuracy" or "prediction_similarity".
        path: Without suffix.
        chance: Accuracy of guessing, as a thin line.
    """
    from matplotlib.figure import Figure

    corruptions = list(dict.fromkeys(corruption for _, corruption, _ in results.curves))
    models = list(dict.fromkeys(model for model, _, _ in results.curves))
    columns = min(4, len(corruptions))
    rows = -(-len(corruptions) // columns)
    figure = Figure(figsize=(2.9 * columns, 2.5 * rows + 0.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)).ravel()
    band = 0.15 if len(models) < 3 else 0.07  # many bands upon each other would be mud
    for axes, corruption in zip(panels, corruptions, strict=False):
        axes.set_title(corruption.replace("_", " "), fontsize=10)
        if chance is not None and property_name == "accuracy":
            axes.axhline(chance, color="0.6", linewidth=0.7)
        if (corruption, property_name) in results.people:
            _draw(axes, results.people[corruption, property_name], "0.25", "-", PEOPLE, band=0.3)
        for number, model in enumerate(models):
            color, style = _COLORS[number % len(_COLORS)], _LINES[number // len(_COLORS) % len(_LINES)]
            _draw(axes, results.curves[model, corruption, property_name], color, style, model, band=band)
        axes.set(xlim=(0, 1), ylim=(0, 1.02))
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[len(corruptions) :]:
        axes.set_visible(False)
    for axes in panels[max(0, len(corruptions) - columns) : len(corruptions)]:
        axes.tick_params(labelbottom=True)  # the lowest of each column, whatever lies empty below it
    figure.supxlabel("visual change", fontsize=11)
    figure.supylabel(_LABELS[property_name], fontsize=11)
    handles, labels = _legend(list(panels[: len(corruptions)]))
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(len(labels), 5), frameon=False, fontsize=9
    )
    _save(figure, path)


def _draw(axes: Any, curve: Curve, color: str, style: str, label: str, band: float) -> None:
    low, high = curve.band()
    inside = (curve.grid >= curve.covered[0]) & (curve.grid <= curve.covered[1])
    axes.fill_between(curve.grid, low, high, where=inside, color=color, alpha=band, linewidth=0)
    axes.plot(curve.grid, curve.value, color=color, linewidth=0.8, linestyle=":")
    axes.plot(
        curve.grid[inside], curve.value[inside], color=color, linewidth=1.5, linestyle=style, label=label
    )


def _legend(panels: Sequence[Any]) -> tuple[list[Any], list[str]]:
    entries = {
        label: handle
        for axes in panels
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    return list(entries.values()), list(entries)


def draw_robustness(results: Results, property_name: str, path: Path) -> None:
    """Draws the mean of each curve over its covered range with its interval; PNG and SVG."""
    from matplotlib.figure import Figure

    table = results.table[
        (results.table["property"] == property_name) & (results.table["corruption"] != "mean")
    ]
    corruptions = list(dict.fromkeys(corruption for _, corruption, _ in results.curves))
    who = [*dict.fromkeys(model for model, _, _ in results.curves)]
    who += [PEOPLE] if any(name == property_name for _, name in results.people) else []
    figure = Figure(figsize=(6.5, 0.38 * len(corruptions) + 1.2), layout="constrained")
    axes = figure.subplots()
    for number, model in enumerate(who):
        rows = table[(table["model"] == model) & table["corruption"].isin(corruptions)]
        y = rows["corruption"].map(corruptions.index) + 0.6 * ((number + 0.5) / len(who) - 0.5)
        value = rows["robustness_covered"]
        spread = [value - rows["robustness_covered_low"], rows["robustness_covered_high"] - value]
        color = "0.25" if model == PEOPLE else _COLORS[number % len(_COLORS)]
        marker = "s" if model == PEOPLE else "o"
        axes.errorbar(
            value,
            y,
            xerr=np.maximum(spread, 0),
            fmt=marker,
            color=color,
            markersize=4,
            linewidth=1,
            label=model,
        )
    axes.set(xlim=(0, 1), xlabel=f"mean {_LABELS[property_name]} over the covered visual change")
    axes.set_yticks(range(len(corruptions)), [name.replace("_", " ") for name in corruptions])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=9)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    from matplotlib import rc_context

    for suffix in (".png", ".svg"):
        # Text stays text, for editing in print; ids are the same in every run.
        with rc_context(_SVG), whole_file(path.with_suffix(suffix)) as temporary:
            figure.savefig(
                temporary, format=suffix[1:], dpi=150, metadata={"Date": None} if suffix == ".svg" else None
            )
