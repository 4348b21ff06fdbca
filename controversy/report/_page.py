"""The report: one HTML file that needs nothing else."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd


@dataclass(frozen=True)
class Picture:
    """A figure of the report.

    Attributes:
        svg: Its file.
        title: A heading.
        caption: What it shows, for somebody who was not there.
    """

    svg: Path
    title: str
    caption: str


@dataclass(frozen=True)
class Disagreement:
    """A stimulus that people and a model see differently.

    Attributes:
        stimulus_id: Its name.
        image: Its PNG file, or None for what is no image.
        text: Who says what.
    """

    stimulus_id: str
    image: Path | None
    text: str


def page(
    *,
    title: str,
    findings: Sequence[str],
    facts: Sequence[tuple[str, str]],
    exclusions: pd.DataFrame,
    pictures: Sequence[Picture],
    scores: pd.DataFrame,
    logistic: pd.DataFrame,
    disagreements: Sequence[tuple[str, Sequence[Disagreement]]],
    methods: Sequence[str],
) -> str:
    """The report as HTML, with styles, figures and images inside.

    Args:
        title: Of the page.
        findings: Sentences to begin with.
        facts: Names and values: what was measured on how many.
        exclusions: rule, value, participants, trials.
        pictures: Figures.
        scores: The table of scores.
        logistic: The logistic check.
        disagreements: A model's name and its worst stimuli, each.
        methods: Paragraphs.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("controversy.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"data": _data, "number": _number, "p": _p}
    return environment.get_template("report.html.j2").render(
        title=title,
        findings=findings,
        facts=facts,
        exclusions=exclusions.to_dict("records"),
        pictures=pictures,
        scores=scores.to_dict("records"),
        logistic=logistic.to_dict("records"),
        disagreements=disagreements,
        methods=methods,
    )


def _data(path: Path) -> str:
    kind = {".svg": "image/svg+xml", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _number(value: float, digits: int = 3) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
