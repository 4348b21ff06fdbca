"""Published data of real people, in the form their authors share them."""

from pathlib import Path

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.judgments._files import files_of, read_table, stack
from controversy.judgments._table import Reading

_TARGETS = [f"sentence{i}_model_targeted_to_{verb}" for i in (1, 2) for verb in ("accept", "reject")]
_CUES = r"_(?P<shape>[a-z]+)(?P<i>\d+)-(?P<texture>[a-z]+)(?P<j>\d+)\.png$"


def read_golan2023(path: Path) -> Reading:
    """Reads experiment 2 of Golan, Siegelman, Kriegeskorte & Baldassano (2023, Nature Machine Intelligence).

    People said which of two sentences is more natural, from 1 (surely the first) to 6 (surely the second).
    Confidence is the distance from the middle of that scale: 0.5, 1.5 or 2.5. Evidence is the difference of
    the two sentences' log-probabilities. Natural-against-shuffled trials are catch trials.
    """
    raw = stack(files_of(path, (".csv",)), read_table)
    _need(raw, ["subject", "sentence_pair", "rating", "trial_type", *_TARGETS], path)
    rating = raw["rating"].astype(float)
    right = np.select([raw["sentence1_type"] == "N", raw["sentence2_type"] == "N"], [1, 2], default=0)
    table = pd.DataFrame(
        {
            "participant": raw["subject"].astype(str),
            "stimulus_id": raw["sentence_pair"],
            "choice": np.where(rating >= 4, 2, 1),
            "confidence": (rating - 3.5).abs(),
            "rt": raw["Reaction Time"] / 1000,
            "trial": raw["Trial Number"],
            "kind": np.where(raw["trial_type"] == "synthetic_vs_synthetic", "main", "catch"),
            "correct": np.where(right > 0, right, np.nan),
        },
        index=raw.index,
    )
    n_catch = int((table["kind"] == "catch").sum())
    notes = (f"{n_catch} of {len(table)} trials are natural-against-shuffled catch trials, in no measure",)
    return Reading(table, notes, _golan_items(raw[table["kind"] == "main"].drop_duplicates("sentence_pair")))


def read_modelvshuman(path: Path) -> Reading:
    """Reads cue-conflict trials of Geirhos et al. (2019, ICLR; 2021, NeurIPS) as two-alternative ones.

    Alternative 1 is the image's shape category, alternative 2 its texture category. Two constant
    models come with it: ``shape`` always chooses the one, ``texture`` the other. Images whose shape and
    texture agree, and answers that are neither, are no two-alternative judgments: the notes count them.
    """
    raw = stack(files_of(path, (".csv",)), read_table)
    _need(raw, ["subj", "imagename", "object_response", "rt", "trial", "session"], path)
    cues = raw["imagename"].str.extract(_CUES)
    if cues.isna().any(axis=None):
        row = cues.index[cues.isna().any(axis=1)][0]
        raise ControversyError(f"{row}: {raw.loc[row, 'imagename']!r} names no <shape><i>-<texture><j>.png.")
    conflict = cues["shape"] != cues["texture"]
    is_shape, is_texture = (raw["object_response"] == cues[cue] for cue in ("shape", "texture"))
    either = conflict & (is_shape | is_texture)
    table = pd.DataFrame(
        {
            "participant": raw["subj"],
            "stimulus_id": cues["shape"] + cues["i"] + "-" + cues["texture"] + cues["j"],
            "choice": np.where(is_shape, 1, 2),
            "rt": raw["rt"],
            "trial": raw["trial"],
            "session": raw["session"],
        }
    )[either]
    n_conflict, n_neither = int(conflict.sum()), int((conflict & ~either).sum())
    notes = (
        f"{len(raw) - n_conflict} of {len(raw)} trials show an image without conflict",
        f"{n_neither} of {n_conflict} conflict trials were answered with neither category",
    )
    ids = table["stimulus_id"].drop_duplicates()
    pairs = (cues["shape"] + " / " + cues["texture"])[ids.index]
    evidence = np.tile([-1.0, 1.0], (len(ids), 1))
    items = Items(
        tuple(ids), ("shape", "texture"), evidence, np.zeros(evidence.shape, dtype=bool), tuple(pairs)
    )
    return Reading(table, notes, items)


def _golan_items(rows: pd.DataFrame) -> Items:
    suffix, prefix = "_prob", "sentence1_"
    names = [c for c in rows.columns if c.startswith(prefix) and c.endswith(suffix)]
    models = tuple(name.removeprefix(prefix).removesuffix(suffix) for name in names)
    evidence = np.stack(
        [
            (rows[f"sentence2_{model}_prob"] - rows[f"sentence1_{model}_prob"]).to_numpy(float)
            for model in models
        ],
        axis=1,
    )
    targets = rows[_TARGETS].to_numpy(dtype=object)
    targeted = np.stack([(targets == model).any(axis=1) for model in models], axis=1)
    return Items(tuple(rows["sentence_pair"]), models, evidence, targeted)


def _need(raw: pd.DataFrame, names: list[str], path: Path) -> None:
    missing = [name for name in names if name not in raw]
    if missing:
        raise ControversyError(
            f"{path} has no column {missing[0]!r}: it is not in the format that was asked for."
        )
