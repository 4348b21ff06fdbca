"""Which figures a report has, and what their captions say."""

from pathlib import Path

import pandas as pd

from controversy.report._figures import TITLES, figure_by_model, figure_model_pairs
from controversy.report._page import Disagreement, Picture
from controversy.report._style import save
from controversy.scoring import MEASURES, Responses, disagreements, model_pair_table

_ORDER = (
    "accuracy",
    "signed_rank_cosine",
    "agreement",
    "error_consistency",
    "choice_kappa",
    "likelihood",
    "confidence_correlation",
)
_READING = (
    "Each dot is a model on one kind of stimuli, with its interval; the grey bar behind it is the noise "
    "ceiling on the very same trials ({ceiling}). A model whose interval stays left of its bar does not "
    "see these stimuli as people do. The dotted line is chance."
)


def draw_figures(folder: Path, scores: pd.DataFrame, responses: Responses, level: float) -> list[Picture]:
    """Draws every figure that the scores allow into ``folder``, each as PNG and SVG.

    Args:
        folder: Where they go.
        scores: As from `controversy.scoring.score`.
        responses: What was scored.
        level: Coverage of the intervals, for the captions.
    """
    pictures = []
    measures = set(scores["measure"])
    for name in _ORDER:
        if name not in measures:
            continue
        _, svg = save(figure_by_model(scores, name, MEASURES[name].null), folder / name)
        title, ceiling = TITLES[name]
        caption = _READING.format(ceiling=ceiling)
        pictures.append(Picture(svg, title, f"{caption} Intervals cover {level:.0%}."))
    pairs = model_pair_table(responses)
    if len(pairs):
        _, svg = save(figure_model_pairs(pairs, responses.items.models), folder / "model_pairs")
        caption = (
            "Each cell is the share of choices that the model of the row predicts on the stimuli made to "
            "set it against the model of the column. Below 0.5, people side with the model of the column."
        )
        pictures.append(Picture(svg, "Model against model", caption))
    return pictures


def worst_stimuli(
    responses: Responses, images: dict[str, Path], n: int
) -> list[tuple[str, list[Disagreement]]]:
    """For each model the ``n`` stimuli on which people disagree with it most.

    Args:
        responses: What was scored.
        images: Files of the stimuli that are images, by id.
        n: How many a model.
    """
    table = disagreements(responses, n)
    items = responses.items
    pairs = dict(zip(items.ids, items.class_pairs or (), strict=False))
    found = []
    for model, rows in table.groupby("model", sort=False):
        found.append(
            (str(model), [_disagreement(row, pairs, images) for row in rows.itertuples(index=False)])
        )
    return found


def _disagreement(row: object, pairs: dict[str, str], images: dict[str, Path]) -> Disagreement:
    stimulus, choice = str(row.stimulus_id), int(row.model_choice)  # type: ignore[attr-defined]
    names = pairs.get(stimulus, "").split(" / ")
    chosen = names[choice - 1] if len(names) == 2 else f"alternative {choice}"
    text = (
        f"{pairs[stimulus]}: the model says " if len(names) == 2 else "The model says "
    ) + f"{chosen} (evidence {row.evidence:+.1f}), as do {row.agreement:.0%} of {row.n_trials} people."  # type: ignore[attr-defined]
    return Disagreement(stimulus, images.get(stimulus), text)
