"""``report.html``: what was measured and found, in one file that needs no network."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pandas as pd

from controversy.files import write_text
from controversy.vcr._people import PROPERTIES
from controversy.vcr._scores import ALL, Results


@dataclass(frozen=True)
class Facts:
    """What the report says of how its numbers were made.

    Attributes:
        n_images: Originals.
        images: Where they are from.
        per_image: Corrupted versions an image and corruption.
        visual_change: What measured it.
        estimator: What made the curves.
        n_bootstrap: Bootstrap samples.
        seed: Of the study.
        people: Where people's answers are from; None without.
        chance: Accuracy of guessing.
        superclasses: How classes became categories; None where they did not.
        clean: Accuracy on untouched images by model.
    """

    n_images: int
    images: str
    per_image: int
    visual_change: str
    estimator: str
    n_bootstrap: int
    seed: int
    people: str | None
    chance: float
    superclasses: str | None
    clean: Mapping[str, float]


def write_report(folder: Path, results: Results, facts: Facts, groups: Mapping[str, dict[str, int]]) -> None:
    """Writes ``report.html`` from the results and the figures in ``folder``.

    Args:
        folder: Where `draw_curves` and the others put their PNGs.
        results: What was found.
        facts: How.
        groups: Groups of corruptions that affect people alike, by property.
    """
    from jinja2 import Environment

    template = resources.files("controversy.vcr").joinpath("report.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True)
    environment.filters["number"] = lambda value: "\u2013" if pd.isna(value) else f"{value:.3f}"
    page = environment.from_string(template).render(
        facts=facts,
        averages=_records(results.table[results.table["corruption"] == ALL]),
        rows=_records(results.table[results.table["corruption"] != ALL]),
        left_out=sorted({corruption for _, corruption, _ in results.curves} - set(results.averaged)),
        groups={name: _by_number(numbers) for name, numbers in groups.items()},
        properties=PROPERTIES,
        n_corruptions=len({corruption for _, corruption, _ in results.curves}),
        figures={path.stem: _embedded(path) for path in sorted(folder.glob("*.png"))},
    )
    write_text(folder / "report.html", page)


def _records(table: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _by_number(numbers: Mapping[str, int]) -> list[list[str]]:
    return [
        [name for name, other in numbers.items() if other == number]
        for number in sorted(set(numbers.values()))
    ]


def _embedded(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
