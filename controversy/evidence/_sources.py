"""Where items come from: a stimulus set's logits, or plain tables of data that is not images."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.evidence._items import Items

if TYPE_CHECKING:
    from controversy.stimuli import StimulusSet


def items_from_set(stimuli: "StimulusSet", models: Sequence[str] | None = None) -> Items:
    """The items of a stimulus set: evidence = logit(class_2) - logit(class_1) of every evaluated model.

    Args:
        stimuli: The set.
        models: Which of its evaluated models to take; all by default.

    Raises:
        ControversyError: A model was not evaluated on the set.
    """
    wanted = list(stimuli.models if models is None else models)
    missing = [model for model in wanted if model not in stimuli.models]
    if missing:
        raise ControversyError(
            f"the set has no logits of {missing[0]!r}, only of {', '.join(stimuli.models)}. "
            f"Add them with `controversy evaluate models=[{missing[0]}]`."
        )
    metadata = stimuli.metadata
    targets = metadata[["model_1", "model_2"]].to_numpy(dtype=str)
    labels = _class_labels(metadata)
    pairs = [
        f"{labels[i]} / {labels[j]}" for i, j in zip(metadata["class_1"], metadata["class_2"], strict=True)
    ]
    return Items(
        ids=tuple(metadata["stimulus_id"].astype(str)),
        models=tuple(wanted),
        evidence=np.stack(
            [np.asarray(stimuli.evidence(model), dtype=np.float64) for model in wanted], axis=1
        ),
        targeted=np.stack([(targets == model).any(axis=1) for model in wanted], axis=1),
        class_pairs=tuple(pairs),
    )


def items_from_tables(evidence: pd.DataFrame, targets: pd.DataFrame | None = None) -> Items:
    """Items from plain tables, for data that is not images.

    Args:
        evidence: Columns ``item, model, evidence``, one row an item and model, all combinations there.
        targets: Column ``item``, and either ``model`` (one row an item and targeted model) or
            ``model_1, model_2``; optionally ``class_pair`` and ``correct`` (1 or 2), the same on all
            rows of an item. Items that are not in it target no model.

    Raises:
        ControversyError: A column or a combination is missing, doubled, or no finite number; or an item or
            model of ``targets`` has no evidence.
    """
    _need_columns(evidence, ("item", "model", "evidence"), "evidence")
    evidence = evidence.assign(item=evidence["item"].astype(str), model=evidence["model"].astype(str))
    twice = evidence[evidence.duplicated(["item", "model"])]
    if len(twice):
        item, model = twice.iloc[0][["item", "model"]]
        raise ControversyError(
            f"the evidence of model {model!r} on item {item!r} is there twice. Keep one row of it."
        )
    numbers = evidence.assign(evidence=pd.to_numeric(evidence["evidence"], errors="coerce"))
    wide = numbers.pivot(index="item", columns="model", values="evidence").reindex(
        index=evidence["item"].unique(), columns=evidence["model"].unique()
    )
    ids, models = tuple(wide.index), tuple(wide.columns)
    targeted = np.zeros(wide.shape, dtype=bool)
    class_pairs, correct = None, None
    if targets is not None:
        long = _long_targets(targets)
        targeted[_positions(long["item"], ids, "item"), _positions(long["model"], models, "model")] = True
        facts = (
            targets.assign(item=targets["item"].astype(str))
            .drop_duplicates("item")
            .set_index("item")
            .reindex(list(ids))
        )
        if "class_pair" in facts:
            class_pairs = tuple(facts["class_pair"].fillna("").astype(str))
        if "correct" in facts:
            correct = _correct(facts["correct"])
    return Items(ids, models, wide.to_numpy(dtype=np.float64), targeted, class_pairs, correct)


def _class_labels(metadata: pd.DataFrame) -> dict[int, str]:
    """A label for each class index: its name, and the index where classes share a name (crane, maillot)."""
    names: dict[int, str] = {}
    for k in (1, 2):
        names |= dict(zip(metadata[f"class_{k}"], metadata[f"class_{k}_name"].astype(str), strict=True))
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    return {index: f"{name} ({index})" if name in shared else name for index, name in names.items()}


def _need_columns(table: pd.DataFrame, names: Sequence[str], what: str) -> None:
    missing = [name for name in names if name not in table]
    if missing:
        raise ControversyError(
            f"the {what} table has no column {missing[0]!r}, only {', '.join(map(str, table.columns))}. "
            f"It needs {', '.join(names)}."
        )


def _long_targets(targets: pd.DataFrame) -> pd.DataFrame:
    _need_columns(targets, ("item",), "targets")
    columns = ["model"] if "model" in targets else ["model_1", "model_2"]
    _need_columns(targets, columns, "targets")
    long = targets.melt(id_vars="item", value_vars=columns, value_name="target").dropna(subset="target")
    return pd.DataFrame({"item": long["item"].astype(str), "model": long["target"].astype(str)})


def _positions(values: pd.Series, known: tuple[str, ...], what: str) -> np.ndarray:
    places = pd.Index(known).get_indexer(pd.Index(values))
    if (places < 0).any():
        value = values.iloc[int(np.argmax(places < 0))]
        raise ControversyError(
            f"the targets table names the {what} {value!r}, of which there is no evidence."
        )
    return places


def _correct(column: pd.Series) -> np.ndarray:
    numbers = pd.to_numeric(column, errors="coerce")
    if not numbers.isin([1, 2]).all():
        value = column[~numbers.isin([1, 2])].iloc[0]
        raise ControversyError(
            f"the correct alternative {value} is neither 1 nor 2. Give it for every item or for none."
        )
    return numbers.to_numpy(dtype=np.int64)
