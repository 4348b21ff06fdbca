"""Judgments as participant-by-stimulus arrays, and the parts of them on which a model is scored."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from controversy.errors import ControversyError
from controversy.evidence import SUBSETS, Items

Floats = NDArray[np.floating]
Precision = np.dtype[np.floating]
# Estimates keep all their digits; bootstrap replicates need only their spread, and twice the speed.
EXACT: Precision = np.dtype(np.float64)
FAST: Precision = np.dtype(np.float32)


@dataclass(frozen=True, eq=False)
class Responses:
    """Who judged what, and how; rows are participants, columns the stimuli that anybody judged.

    Attributes:
        participants: Names, in order of first appearance.
        items: The judged items, in the order of the set they come from.
        seen: Whether the participant judged the stimulus, ``[n_participants, n_stimuli]``.
        choice: 1 where alternative 2 was chosen, 0 elsewhere (also where nothing was judged).
        confidence: The reported confidence, NaN where none was; or None for data without it.
    """

    participants: tuple[str, ...]
    items: Items
    seen: NDArray[np.bool_]
    choice: NDArray[np.float64]
    confidence: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Block:
    """Some models on some stimuli, all models on all of them: what one subset asks for.

    Attributes:
        subset: Which subset.
        models: Columns of the models in the items.
        stimuli: Columns of the stimuli in the responses.
        responses: The responses to these stimuli, with the items of these models.
    """

    subset: str
    models: NDArray[np.intp]
    stimuli: NDArray[np.intp]
    responses: Responses

    @property
    def n_trials(self) -> int:
        """How many judgments it holds."""
        return int(self.responses.seen.sum())

    @property
    def n_participants(self) -> int:
        """How many people gave them."""
        return int(self.responses.seen.any(axis=1).sum())

    @property
    def n_stimuli(self) -> int:
        """How many stimuli they are about."""
        return int(self.responses.seen.any(axis=0).sum())


def respond(judgments: pd.DataFrame, items: Items) -> Responses:
    """Arranges validated judgments in arrays. Only ``main`` trials are scored.

    Raises:
        ControversyError: No main trial, or one about an item without evidence.
    """
    main = judgments[judgments["kind"] == "main"] if "kind" in judgments else judgments
    if main.empty:
        raise ControversyError("no judgment is left to score. Check the judgments and the exclusion rules.")
    rows, participants = pd.factorize(main["participant"])
    columns = pd.Index(items.ids).get_indexer(pd.Index(main["stimulus_id"]))
    if (columns < 0).any():
        stimulus = main["stimulus_id"].iloc[int(np.argmax(columns < 0))]
        raise ControversyError(
            f"stimulus {stimulus!r} was judged, but there is no evidence of any model on it."
        )
    shape = (len(participants), len(items.ids))
    seen, choice = np.zeros(shape, dtype=bool), np.zeros(shape)
    seen[rows, columns] = True
    choice[rows, columns] = main["choice"].to_numpy() == 2
    confidence = None
    if "confidence" in main and main["confidence"].notna().any():
        confidence = np.full(shape, np.nan)
        confidence[rows, columns] = main["confidence"].to_numpy(dtype=float)
    return _columns(
        Responses(tuple(participants), items, seen, choice, confidence), np.flatnonzero(seen.any(axis=0))
    )


def blocks(responses: Responses, subsets: tuple[str, ...] = SUBSETS) -> Iterator[Block]:
    """The blocks of each subset: models that share all its stimuli in one, other models each in their own."""
    for subset in subsets:
        mask = responses.items.subset(subset)
        together = subset in ("all", "held_out")
        models = np.flatnonzero(mask.any(axis=0))
        for group in [models] if together else models[:, None]:
            if not group.size:
                continue
            stimuli = np.flatnonzero(mask[:, group[0]])
            part = _columns(responses, stimuli)
            names = [responses.items.models[model] for model in group]
            yield Block(subset, group, stimuli, replace(part, items=part.items.select(names)))


def with_confidence(block: Block) -> Block:
    """The block with only the judgments that have a confidence."""
    responses = block.responses
    if responses.confidence is None:
        raise ControversyError("the judgments have no confidence, which graded measures need.")
    seen = responses.seen & np.isfinite(responses.confidence)
    part = replace(responses, seen=seen, choice=np.where(seen, responses.choice, 0.0))
    return replace(block, responses=part)


def _columns(responses: Responses, stimuli: NDArray[np.intp]) -> Responses:
    confidence = responses.confidence
    return Responses(
        responses.participants,
        responses.items.take(stimuli),
        responses.seen[:, stimuli],
        responses.choice[:, stimuli],
        None if confidence is None else confidence[:, stimuli],
    )
