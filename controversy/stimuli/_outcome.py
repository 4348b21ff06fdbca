"""The columns of metadata.csv that follow from the logits: controversiality, probabilities, success."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pandas as pd
import torch

from controversy.objectives import class_probabilities
from controversy.stimuli._layout import OUTCOME
from controversy.stimuli._rows import chunks


def outcome(
    metadata: pd.DataFrame, logits: Callable[[str], np.ndarray], success_threshold: float
) -> dict[str, np.ndarray]:
    """Computes what the logits of its two models say of each stimulus.

    Args:
        metadata: With columns model_1, model_2, class_1 and class_2; n rows.
        logits: Model name -> ``[n, n_classes]``, rows as in ``metadata``.
        success_threshold: Hard controversiality from which a stimulus counts as a success.

    Returns:
        Arrays ``[n]``: controversiality, p1_class_1, p1_class_2, p2_class_1, p2_class_2 (float64; softmax
        over all classes) and success (bool).
    """
    class_1, class_2 = (
        torch.from_numpy(metadata[c].to_numpy(np.int64).copy()) for c in ("class_1", "class_2")
    )
    columns = {name: np.empty(len(metadata)) for name in OUTCOME if name != "success"}
    names = pd.unique(pd.concat([metadata["model_1"], metadata["model_2"]]))
    of = {name: logits(name) for name in names}
    for pair, places in metadata.groupby(["model_1", "model_2"], sort=False).indices.items():
        model_1, model_2 = cast(tuple[str, str], pair)
        for part in chunks(len(places)):
            rows = np.asarray(places)[part]
            first, second = (torch.from_numpy(of[model][rows]).double() for model in (model_1, model_2))
            probabilities = class_probabilities(first, second, class_1[rows], class_2[rows])
            columns["controversiality"][rows] = probabilities.controversiality().numpy()
            for name in ("p1_class_1", "p1_class_2", "p2_class_1", "p2_class_2"):
                columns[name][rows] = getattr(probabilities, name).numpy()
    return {**columns, "success": columns["controversiality"] >= success_threshold}
