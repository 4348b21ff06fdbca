"""How well each model predicts what people see, with noise ceilings and uncertainty.

| name | does |
|---|---|
| `respond` | judgments and items -> arrays |
| `score` | every measure, subset and model: estimate, interval, ceilings, test |
| `logistic_check` | the same question asked of a logistic regression |
| `estimate`, `MEASURES`, `blocks` | one measure at a time |
| `others_probability`, `majority`, `others_mean` | what noise ceilings rest on, trial by trial |
| `signed_rank_cosine` | the graded measure of two vectors |
| `trial_table` and others | what they are made of |
| `disagreements` | where people and models disagree most |
"""

from controversy.scoring._graded import signed_rank_cosine, signed_ranks
from controversy.scoring._logistic import logistic_check
from controversy.scoring._measure import Measure, combine, estimate
from controversy.scoring._others import (
    everybodys_probability,
    majority,
    others_mean,
    others_probability,
    signed_confidence,
)
from controversy.scoring._resampling import (
    adjust,
    draw_weights,
    infer,
    replicate,
    standard_error,
)
from controversy.scoring._responses import Block, Responses, blocks, respond, with_confidence
from controversy.scoring._scores import (
    COLUMNS,
    MEASURES,
    PEOPLE,
    SHORTFALL,
    ScoringOptions,
    count_steps,
    score,
    usable_measures,
)
from controversy.scoring._tables import (
    class_pair_table,
    disagreements,
    human_ties,
    model_pair_table,
    participant_table,
    stimulus_table,
    trial_table,
)

__all__ = [
    "COLUMNS",
    "MEASURES",
    "PEOPLE",
    "SHORTFALL",
    "Block",
    "Measure",
    "Responses",
    "ScoringOptions",
    "adjust",
    "blocks",
    "class_pair_table",
    "combine",
    "count_steps",
    "disagreements",
    "draw_weights",
    "estimate",
    "everybodys_probability",
    "human_ties",
    "infer",
    "logistic_check",
    "majority",
    "model_pair_table",
    "others_mean",
    "others_probability",
    "participant_table",
    "replicate",
    "respond",
    "score",
    "signed_confidence",
    "signed_rank_cosine",
    "signed_ranks",
    "standard_error",
    "stimulus_table",
    "trial_table",
    "usable_measures",
    "with_confidence",
]
