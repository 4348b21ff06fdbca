"""Checking a set: is every file the recorded one, and do models and images still give these numbers?"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.jobs import LOCK, STATUS
from controversy.stimuli._configuration import as_json, configuration_differences
from controversy.stimuli._layout import IMAGES, LOGITS, MANIFEST, METADATA, OUTCOME, STAGED_LOGITS, inside
from controversy.stimuli._logits import BATCH_SIZE, Progress, score_images
from controversy.stimuli._manifest import SEAL, manifest_digest
from controversy.stimuli._outcome import outcome
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._tensors import tensor_names

if TYPE_CHECKING:
    from controversy.classifiers import Classifier

TOLERANCE = 1e-3
"""Logits of other machines and devices differ by rounding, by far less than this."""

_EXACT = 1e-9  # columns recomputed from the very same stored logits


@dataclass(frozen=True)
class Difference:
    """One thing that is not as the manifest and metadata say.

    Attributes:
        where: The file, row or model.
        problem: What is different.
    """

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


def verify(
    stimuli: StimulusSet,
    classifiers: Mapping[str, "Classifier"],
    tolerance: float = TOLERANCE,
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> list[Difference]:
    """Lists every difference between a set and what it says of itself.

    Re-hashes every file, looks for missing and surplus ones, recomputes controversiality and
    probabilities from the stored logits, and the logits from the saved images. Models are those given,
    never anything that the set names: it may come from a stranger.

    Args:
        stimuli: The set.
        classifiers: The models to re-score with, by the names they have in the set; empty to only
            re-hash and recompute.
        tolerance: Largest difference of a logit, absolute and relative to it.
        batch_size: Images scored at a time.
        progress: Called after each batch.

    Returns:
        The differences; empty when all is well.

    Raises:
        ControversyError: A classifier is given that the set has no logits of.
    """
    unknown = sorted(set(classifiers) - set(stimuli.models))
    if unknown:
        raise ControversyError(f"{stimuli.folder} has no logits of {', '.join(unknown)}: nothing to verify")
    differences = _files(stimuli)
    changed = {difference.where for difference in differences}
    differences += _guarded(METADATA, lambda: _rows(stimuli))
    differences += _guarded(LOGITS, lambda: _outcomes(stimuli))
    differences += _models(stimuli, classifiers)
    differences += _guarded(
        LOGITS,
        lambda: _rescored(stimuli, classifiers, tolerance, changed, batch_size=batch_size, progress=progress),
    )
    return list(dict.fromkeys(differences))


def _guarded(where: str, check: Callable[[], list[Difference]]) -> list[Difference]:
    """A damaged file is one more difference, and no reason to stop."""
    try:
        return check()
    except ControversyError as problem:
        return [Difference(where, str(problem))]


def _files(stimuli: StimulusSet) -> list[Difference]:
    recorded, found = stimuli.manifest["files"], []
    # Manifests of earlier versions carry none.
    if stimuli.manifest.get(SEAL, digest := manifest_digest(stimuli.manifest)) != digest:
        found.append(Difference(MANIFEST, "has changed: it does not fit its own manifest_sha256"))
    for name, digest in recorded.items():
        path = stimuli.logits_path if name == LOGITS else inside(stimuli.folder, name)
        if not path.is_file():
            found.append(Difference(name, "is missing"))
        elif (actual := sha256(path)) != digest:
            found.append(Difference(name, f"has changed: sha256 recorded {digest[:12]}, found {actual[:12]}"))
    present = {
        path.relative_to(stimuli.folder).as_posix() for path in stimuli.folder.rglob("*") if path.is_file()
    }
    # Left by an `evaluate` that was stopped: the manifest says which of the two is the set's logits.
    surplus = present - recorded.keys() - {MANIFEST, STAGED_LOGITS, STATUS, LOCK}
    return found + [Difference(name, "is not in the manifest") for name in sorted(surplus)]


def _rows(stimuli: StimulusSet) -> list[Difference]:
    table, files = stimuli.metadata, stimuli.manifest["files"]
    problems = []
    repeated = table.loc[table["stimulus_id"].duplicated(), "stimulus_id"]
    problems += [Difference(METADATA, f"stimulus_id {name} is there twice") for name in repeated]
    # In which sub-folder of images/ is nobody's concern: sets of earlier versions have none.
    plain = table["file_name"].str.replace(r"^.*/", IMAGES + "/", regex=True)
    outside = ~table["file_name"].str.startswith(f"{IMAGES}/")
    misnamed = table[outside | (plain != IMAGES + "/" + table["stimulus_id"] + ".png")]
    problems += [
        Difference(METADATA, f"row {row} names the file {name}")
        for row, name in misnamed["file_name"].items()
    ]
    other = table[table["file_name"].map(files) != table["sha256"]]
    problems += [
        Difference(name, "metadata.csv and the manifest record different sha256")
        for name in other["file_name"]
    ]
    unscored = sorted((set(table["model_1"]) | set(table["model_2"])) - set(stimuli.models))
    problems += [
        Difference(name, "stimuli were made for this model, but there are no logits of it")
        for name in unscored
    ]
    return problems


def _outcomes(stimuli: StimulusSet) -> list[Difference]:
    """What follows from the stored logits, recomputed from them."""
    names = tensor_names(stimuli.logits_path)
    if names != sorted(stimuli.models):
        return [
            Difference(LOGITS, f"holds {', '.join(names)}, the manifest says {', '.join(stimuli.models)}")
        ]
    table = stimuli.metadata
    expected = outcome(table, stimuli.logits, stimuli.manifest["success_threshold"])
    problems = []
    for column in OUTCOME:
        recorded, again = table[column].to_numpy(float), expected[column].astype(float)
        for row in np.flatnonzero(~(np.abs(recorded - again) <= _EXACT)):
            what = f"{column} is {recorded[row]:.6g}, the stored logits give {again[row]:.6g}"
            problems.append(Difference(str(table["file_name"].iloc[row]), what))
    return problems


def _models(stimuli: StimulusSet, classifiers: Mapping[str, "Classifier"]) -> list[Difference]:
    problems = []
    for name, classifier in classifiers.items():
        recorded, given = stimuli.manifest["models"][name], as_json(classifier.description())
        problems += [
            Difference(name, f"the model here is not the recorded one: {line}")
            for line in configuration_differences(recorded, given)
        ]
    return problems


def _rescored(
    stimuli: StimulusSet,
    classifiers: Mapping[str, "Classifier"],
    tolerance: float,
    changed: Collection[str],
    *,
    batch_size: int,
    progress: Progress | None,
) -> list[Difference]:
    """Logits recomputed from the images that are as recorded; the others are reported already."""
    names = stimuli.metadata["file_name"].to_numpy()
    rows = np.flatnonzero([name not in changed for name in names])
    recorded = {model: stimuli.logits(model) for model in classifiers}
    batches = score_images(stimuli.image_paths(rows), classifiers, batch_size=batch_size, progress=progress)
    found: dict[str, list[Difference]] = {model: [] for model in classifiers}
    for part, again in batches:
        for model, values in again.items():
            stored = recorded[model][rows[part]]
            # Written so that a stored NaN is a difference too.
            off = ~(np.abs(values - stored) <= tolerance * (1 + np.abs(stored))).all(axis=1)
            for k in np.flatnonzero(off):
                what = f"logits of {model} differ by up to {np.abs(values[k] - stored[k]).max():.3g}"
                found[model].append(Difference(names[rows[part][k]], what))
    return [difference for differences in found.values() for difference in differences]
