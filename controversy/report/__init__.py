"""Scores as figures, words and one self-contained page.

| name | gives |
|---|---|
| `figure_by_model`, `figure_model_pairs`, `figure_power` | Matplotlib figures |
| `draw_figures`, `worst_stimuli` | the parts of a report |
| `save` | a figure as PNG and SVG |
| `findings`, `methods` | sentences that are true of these very scores |
| `page` | the report as HTML |
"""

from controversy.report._figures import TITLES, figure_by_model, figure_model_pairs, figure_power
from controversy.report._page import Disagreement, Picture, page
from controversy.report._pictures import draw_figures, worst_stimuli
from controversy.report._style import save
from controversy.report._words import findings, methods

__all__ = [
    "TITLES",
    "Disagreement",
    "Picture",
    "draw_figures",
    "figure_by_model",
    "figure_model_pairs",
    "figure_power",
    "findings",
    "methods",
    "page",
    "save",
    "worst_stimuli",
]
