"""All measures of all models on all subsets, with ceilings, intervals and tests."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.evidence import SUBSETS
from controversy.scoring._choices import accuracy, agreement, choice_kappa, error_consistency, likelihood
from controversy.scoring._graded import correlation, signed_rank
from controversy.scoring._measure import Measure, estimate
from controversy.scoring._resampling import (
    Replicates,
    Weights,
    adjust,
    draw_weights,
    infer,
    replicate,
    standard_error,
)
from controversy.scoring._responses import FAST, Block, Floats, Responses, blocks, with_confidence

MEASURES = {
    measure.name: measure
    for measure in (
        accuracy,
        agreement,
        likelihood,
        signed_rank,
        correlation,
        error_consistency,
        choice_kappa,
    )
}
COLUMNS = (
    "measure",
    "subset",
    "model",
    "estimate",
    "ci_low",
    "ci_high",
    "ceiling_low",
    "ceiling_high",
    "p_value",
    "p_adjusted",
    "n_trials",
    "n_participants",
    "n_stimuli",
)
PEOPLE = "participants"
SHORTFALL = "_shortfall"


@dataclass(frozen=True)
class ScoringOptions:
    """How to score.

    Attributes:
        measures: Names of measures; None takes all that the data allow.
        subsets: Names of subsets.
        n_samples: Bootstrap samples.
        n_samples_slow: Bootstrap samples of graded measures and kappas.
        seed: Of the bootstrap.
        level: Coverage of intervals.
        correction: ``fdr_bh``, ``holm`` or ``none``, over the models and subsets of one measure.
    """

    measures: tuple[str, ...] | None = None
    subsets: tuple[str, ...] = SUBSETS
    n_samples: int = 10_000
    n_samples_slow: int = 1_000
    seed: int = 0
    level: float = 0.95
    correction: str = "fdr_bh"

    def __post_init__(self) -> None:
        for kind, names, known in (
            ("measure", self.measures or (), MEASURES),
            ("subset", self.subsets, SUBSETS),
        ):
            unknown = [name for name in names if name not in known]
            if unknown:
                raise ControversyError(f"no {kind} {unknown[0]!r}. Choose from {', '.join(known)}.")
        if min(self.n_samples, self.n_samples_slow) < 2:
            raise ControversyError(
                f"{self.n_samples} and {self.n_samples_slow} bootstrap samples are too few. Ask for 2."
            )
        if not 0 < self.level < 1:
            raise ControversyError(f"the level {self.level} of the intervals is not between 0 and 1.")
        if self.correction not in ("fdr_bh", "holm", "none"):
            raise ControversyError(f"no correction {self.correction!r}. Choose from fdr_bh, holm, none.")


def score(
    responses: Responses,
    options: ScoringOptions | None = None,
    advance: Callable[[str], None] = lambda step: None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores every model against people.

    Args:
        responses: Judgments and items.
        options: How; the defaults of `ScoringOptions` otherwise.
        advance: Called with a few words before each step, for a progress bar.

    Returns:
        The scores, with the columns of ``scores.csv``. Rows of measure ``X`` test the estimate against
        chance (one-sided, larger); rows ``X_shortfall`` hold the lower ceiling less the estimate on the
        same trials and test it against zero (one-sided: the model falls short of people). The model
        ``participants`` is the lower ceiling itself, on all stimuli. And the paired comparisons of models
        on all stimuli: ``measure, model_1, model_2, difference, ci_low, ci_high, p_value`` (two-sided),
        ``p_adjusted``.

    Raises:
        ControversyError: A measure that was asked for needs confidence, which there is not.
    """
    options = options or ScoringOptions()
    if PEOPLE in responses.items.models:
        raise ControversyError(
            f"a model is called {PEOPLE!r}, which names the people here. Rename the model."
        )
    measures = usable_measures(responses, options.measures)
    n_samples = max(options.n_samples, options.n_samples_slow)
    n_participants, n_stimuli = responses.seen.shape
    weights = draw_weights(n_participants, n_stimuli, n_samples, options.seed)
    rows: list[dict[str, object]] = []
    comparisons: list[pd.DataFrame] = []
    for block in blocks(responses, options.subsets):
        for measure in measures:
            advance(f"{measure.name}, {block.subset}: {', '.join(block.responses.items.models[:2])}")
            part = with_confidence(block) if measure.graded else block
            result = _evaluate(measure, part, weights, options)
            rows += _rows(measure, part, *result, options)
            if block.subset == "all":
                comparisons.append(_compare(measure, part, *result, options))
    scores = pd.DataFrame(rows, columns=list(COLUMNS))
    scores["p_adjusted"] = scores.groupby("measure")["p_value"].transform(
        lambda p: adjust(p.to_numpy(), options.correction)
    )
    order = {name: place for place, name in enumerate(_measure_names())}
    scores = scores.sort_values(
        "measure", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )
    return scores, _table_of_comparisons(comparisons, options.correction)


def usable_measures(responses: Responses, names: tuple[str, ...] | None = None) -> list[Measure]:
    """The measures that were asked for, or all that the data allow.

    Raises:
        ControversyError: One that was asked for needs confidence or correct answers that are not there.
    """
    has_truth = responses.items.correct is not None
    usable = []
    for measure in MEASURES.values() if names is None else [MEASURES[name] for name in names]:
        lacks_confidence = measure.graded and responses.confidence is None
        if names is not None and lacks_confidence:
            raise ControversyError(f"{measure.name} needs confidence, which the judgments do not have.")
        wrong_truth = measure.needs_truth is not None and measure.needs_truth != has_truth
        if names is not None and measure.needs_truth and wrong_truth:
            raise ControversyError(
                f"{measure.name} needs the items' correct answers. Ask for choice_kappa instead."
            )
        if not lacks_confidence and (names is not None or not wrong_truth):
            usable.append(measure)
    return usable


def count_steps(responses: Responses, options: ScoringOptions) -> int:
    """How often `score` will call ``advance``."""
    n_blocks = sum(1 for _ in blocks(responses, options.subsets))
    return n_blocks * len(usable_measures(responses, options.measures))


def _measure_names() -> Iterator[str]:
    for name in MEASURES:
        yield name
        yield name + SHORTFALL


def _evaluate(
    measure: Measure, block: Block, weights: Weights, options: ScoringOptions
) -> tuple[Floats, Replicates]:
    n_samples = options.n_samples_slow if measure.slow else options.n_samples
    statistic = measure.prepare(block, FAST)
    return estimate(measure, block), replicate(statistic, weights.first(n_samples), block.stimuli)


def _degrees_of_freedom(block: Block) -> int:
    return min(block.n_participants, block.n_stimuli) - 1


def _rows(
    measure: Measure, block: Block, values: Floats, replicates: Replicates, options: ScoringOptions
) -> Iterator[dict[str, object]]:
    counts = {
        "subset": block.subset,
        "n_trials": block.n_trials,
        "n_participants": block.n_participants,
        "n_stimuli": block.n_stimuli,
    }
    low, high = measure.bounds
    degrees = _degrees_of_freedom(block)
    errors = standard_error(replicates)
    own = infer(
        values,
        errors,
        degrees_of_freedom=degrees,
        null=measure.null,
        level=options.level,
        bounds=measure.bounds,
    )
    gaps = values[-1] - values[:-1]
    gap_errors = standard_error(replicates.map(lambda v: v[:, -1:] - v[:, :-1]))
    short = infer(
        gaps,
        gap_errors,
        degrees_of_freedom=degrees,
        null=0,
        level=options.level,
        bounds=(low - high, high - low),
    )
    upper = measure.upper(block)
    for i, model in enumerate(block.responses.items.models):
        yield counts | {
            "measure": measure.name,
            "model": model,
            "estimate": values[i],
            "ci_low": own.low[i],
            "ci_high": own.high[i],
            "ceiling_low": values[-1],
            "ceiling_high": upper,
            "p_value": own.p_greater[i],
        }
        yield counts | {
            "measure": measure.name + SHORTFALL,
            "model": model,
            "estimate": gaps[i],
            "ci_low": short.low[i],
            "ci_high": short.high[i],
            "p_value": short.p_greater[i],
        }
    if block.subset == "all":
        yield counts | {
            "measure": measure.name,
            "model": PEOPLE,
            "estimate": values[-1],
            "ci_low": own.low[-1],
            "ci_high": own.high[-1],
            "ceiling_high": upper,
        }


def _compare(
    measure: Measure, block: Block, values: Floats, replicates: Replicates, options: ScoringOptions
) -> pd.DataFrame:
    models = np.array(block.responses.items.models)
    i, j = np.triu_indices(len(models), k=1)
    errors = standard_error(replicates.map(lambda v: v[:, i] - v[:, j]))
    differences = values[i] - values[j]
    inference = infer(
        differences, errors, degrees_of_freedom=_degrees_of_freedom(block), null=0, level=options.level
    )
    return pd.DataFrame(
        {
            "measure": measure.name,
            "model_1": models[i],
            "model_2": models[j],
            "difference": differences,
            "ci_low": inference.low,
            "ci_high": inference.high,
            "p_value": inference.p_two_sided,
        }
    )


def _table_of_comparisons(tables: list[pd.DataFrame], correction: str) -> pd.DataFrame:
    columns = ["measure", "model_1", "model_2", "difference", "ci_low", "ci_high", "p_value", "p_adjusted"]
    if not tables:
        return pd.DataFrame(columns=columns)
    table = pd.concat(tables, ignore_index=True)
    adjusted = table.groupby("measure")["p_value"].transform(lambda p: adjust(p.to_numpy(), correction))
    return table.assign(p_adjusted=adjusted)
