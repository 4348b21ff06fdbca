"""Visually-continuous corruption robustness (VCR): how far models see, compared with people.

| name                     | is |
|--------------------------|----|
| `Sampler`                | strengths of a corruption whose visual change is spread evenly |
| `Observations`           | hits at visual changes, of a model or of people |
| `Monotone`, `Shen2024`   | from observations to a curve: the default, and the public pipeline's |
| `Curve`, `fit_curve`     | a robustness curve with its bootstrap band |
| `robustness`             | the area under it |
| `hmri`, `mrsi`           | a model's curve against people's |
| `relative_to_people`     | both with intervals |
| `read_people`            | people's trials or published counts |
| `alike_corruptions`      | which corruptions affect people alike |
| `Superclasses`           | many classes to few categories |
| `ImageSet`, `images_at`  | labelled images: from disk, or the embedded `digits` |
| `Evaluation`             | what models say of corrupted images, resumable |
| `score`, `Results`       | every curve, and the table `vcr.csv` |
| `draw_curves` and others | figures, the corruption sheet, the report |
"""

from controversy.vcr._curve import (
    Curve,
    Estimate,
    Relative,
    area,
    fit_curve,
    hmri,
    mrsi,
    relative_to_people,
    robustness,
)
from controversy.vcr._estimators import ESTIMATORS, Estimator, Monotone, Shen2024, non_increasing
from controversy.vcr._evaluation import Evaluation, Model, write_table
from controversy.vcr._figures import draw_curves, draw_robustness
from controversy.vcr._groups import alike_corruptions
from controversy.vcr._images import ImageSet, digits, images_at, images_in_memory
from controversy.vcr._observations import Observations, from_counts, from_table
from controversy.vcr._page import Facts, write_report
from controversy.vcr._people import PROPERTIES, People, people_from_trials, pooled, read_icse22, read_people
from controversy.vcr._sampling import Sample, Sampler, image_seeds
from controversy.vcr._scores import Results, score
from controversy.vcr._sheet import corruption_sheet
from controversy.vcr._superclasses import Superclasses, load_superclasses

__all__ = [
    "ESTIMATORS",
    "PROPERTIES",
    "Curve",
    "Estimate",
    "Estimator",
    "Evaluation",
    "Facts",
    "ImageSet",
    "Model",
    "Monotone",
    "Observations",
    "People",
    "Relative",
    "Results",
    "Sample",
    "Sampler",
    "Shen2024",
    "Superclasses",
    "alike_corruptions",
    "area",
    "corruption_sheet",
    "digits",
    "draw_curves",
    "draw_robustness",
    "fit_curve",
    "from_counts",
    "from_table",
    "hmri",
    "image_seeds",
    "images_at",
    "images_in_memory",
    "load_superclasses",
    "mrsi",
    "non_increasing",
    "people_from_trials",
    "pooled",
    "read_icse22",
    "read_people",
    "relative_to_people",
    "robustness",
    "score",
    "write_report",
    "write_table",
]
