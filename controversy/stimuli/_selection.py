"""Choosing a balanced selection of stimuli: the best of every model pair, class pairs evenly."""

import numpy as np
import pandas as pd

from controversy.errors import ControversyError


def select_per_pair(metadata: pd.DataFrame, per_pair: int) -> pd.Index:
    """Selects the ``per_pair`` most controversial stimuli of each model pair, class pairs balanced.

    Model pairs are unordered: (a, b) for classes (3, 7) and (b, a) for (7, 3) are the same design cell.
    Within a model pair, every class pair gives its best stimulus before any gives its second, and the
    last, incomplete round goes to the most controversial; so class pairs differ by at most one
    wherever they have enough stimuli. Ties go to the smaller stimulus_id: nothing is random.

    Args:
        metadata: Columns stimulus_id, model_1, model_2, class_1, class_2, controversiality.
        per_pair: How many of each model pair, at least 1.

    Returns:
        Labels of the selected rows, in the order of ``metadata``.

    Raises:
        ControversyError: ``per_pair`` is below 1, or a model pair has fewer stimuli.
    """
    if per_pair < 1:
        raise ControversyError(f"per_pair must be at least 1, got {per_pair}")
    table = _unordered_pairs(metadata)
    counts = table.groupby(["first", "second"]).size()
    short = counts[counts < per_pair]
    if len(short):
        raise ControversyError(
            f"per_pair={per_pair}, but there are fewer for "
            + ", ".join(
                f"{' and '.join(pair)} ({n})" for pair, n in zip(short.index.to_list(), short, strict=True)
            )
            + ": lower per_pair, or synthesize more with another seed"
        )
    ranked = table.sort_values(["controversiality", "stimulus_id"], ascending=[False, True], kind="stable")
    ranked["round"] = ranked.groupby(["first", "second", "class_first", "class_second"]).cumcount()
    ranked = ranked.sort_values("round", kind="stable")
    chosen = ranked.groupby(["first", "second"]).head(per_pair).index
    return metadata.index[metadata.index.isin(chosen)]


def _unordered_pairs(metadata: pd.DataFrame) -> pd.DataFrame:
    swapped = metadata["model_1"].to_numpy() > metadata["model_2"].to_numpy()
    return metadata[["stimulus_id", "controversiality"]].assign(
        first=np.where(swapped, metadata["model_2"], metadata["model_1"]),
        second=np.where(swapped, metadata["model_1"], metadata["model_2"]),
        class_first=np.where(swapped, metadata["class_2"], metadata["class_1"]),
        class_second=np.where(swapped, metadata["class_1"], metadata["class_2"]),
    )
