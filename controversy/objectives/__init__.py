"""Objectives: both models' logits and the classes -> one score an image, larger is more controversial.

| name               | is |
|--------------------|----|
| `smooth_minimum`   | both log-probabilities (default; Golan et al. 2020) |
| `four_logits`      | the four-term variant for sigmoid readouts (Golan et al. 2020, eq. 4) |
| `two_alternative`  | a softmax over just the two classes |
| `jensen_shannon`   | untargeted: differ, and be sure, about any classes |
| `controversiality` | the hard measure that is reported, from the saved image's logits |

All take ``(logits_1, logits_2, class_1, class_2)`` and return float32 ``[n]``, whatever the models run in.
"""

from controversy.objectives._controversiality import ClassProbabilities, class_probabilities, controversiality
from controversy.objectives._four_logits import four_logits
from controversy.objectives._jensen_shannon import jensen_shannon
from controversy.objectives._shapes import Objective
from controversy.objectives._smooth_minimum import smooth_minimum
from controversy.objectives._two_alternative import two_alternative

__all__ = [
    "ClassProbabilities",
    "Objective",
    "class_probabilities",
    "controversiality",
    "four_logits",
    "jensen_shannon",
    "smooth_minimum",
    "two_alternative",
]
