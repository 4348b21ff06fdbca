"""Adding the logits of more models to a finished set, without touching what is there."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.jobs import folder_lock
from controversy.stimuli._assembly import remove_leftovers
from controversy.stimuli._layout import LOGITS, STAGED_LOGITS
from controversy.stimuli._logits import BATCH_SIZE, Progress, logit_kinds, score_images
from controversy.stimuli._manifest import read_manifest, write_manifest
from controversy.stimuli._rows import chunks, row_file
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._writer import check_classifiers

if TYPE_CHECKING:
    from controversy.classifiers import Classifier


def evaluate(
    stimuli: StimulusSet,
    classifiers: Mapping[str, "Classifier"],
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> StimulusSet:
    """Adds the logits of more models to a set.

    Images, tables and the logits that are there keep their values; ``logits.safetensors`` and
    ``manifest.json`` are replaced. A model that is there already with the same weights is skipped.

    Two files cannot be replaced at once, so the manifest decides: the new logits are written beside
    the old under a staged name, the new manifest (with their digest) replaces the old, and last the
    logits take their place. Stopped before the manifest, the set is the old one; stopped after, the
    reader finds the staged file by its digest and the next `evaluate` puts it in place.

    Args:
        stimuli: The set.
        classifiers: By name, each on the device it is to run on.
        batch_size: Images scored at a time.
        progress: Called after each batch.

    Returns:
        The set as it is now.

    Raises:
        ControversyError: A model of this name but other weights is there, one has another number of
            classes than the set, or another job works on the set.
    """
    with folder_lock(stimuli.folder):
        # Opened anew: since the caller did, another job may have added to it.
        stimuli = _settled(StimulusSet(stimuli.folder))
        remove_leftovers(stimuli.folder)
        check_classifiers(classifiers, stimuli.classes)
        return _with_logits(stimuli, classifiers, batch_size, progress)


def _with_logits(
    stimuli: StimulusSet, classifiers: Mapping[str, "Classifier"], batch_size: int, progress: Progress | None
) -> StimulusSet:
    new = {name: model for name, model in classifiers.items() if not _is_there(stimuli, name, model)}
    if not new:
        return stimuli
    _stage(stimuli, new, batch_size, progress)
    return _replaced(stimuli, {name: model.description() for name, model in new.items()})


def _stage(
    stimuli: StimulusSet,
    new: Mapping[str, "Classifier"],
    batch_size: int,
    progress: Progress | None,
) -> None:
    """Writes the logits that are there and those of new models beside the set's own."""
    kept = {name: stimuli.logits(name) for name in stimuli.models}
    kinds = {name: (values.dtype, values.shape[1:]) for name, values in kept.items()} | logit_kinds(new)
    with row_file(stimuli.folder / STAGED_LOGITS, kinds, len(stimuli)) as staged:
        for name, values in kept.items():
            for rows in chunks(len(stimuli)):
                staged.write(name, rows.start, values[rows])
        batches = score_images(stimuli.image_paths(), new, batch_size=batch_size, progress=progress)
        for rows, logits in batches:
            for name, values in logits.items():
                staged.write(name, rows.start, values)


def _is_there(stimuli: StimulusSet, name: str, classifier: "Classifier") -> bool:
    if name not in stimuli.models:
        return False
    recorded = stimuli.manifest["models"][name].get("weights_sha256")
    given = classifier.description().get("weights_sha256")
    if recorded != given:
        raise ControversyError(
            f"{stimuli.folder} has logits of {name} with other weights (sha256 {recorded}, now {given}). "
            "Give the new model another name."
        )
    return True


def _replaced(stimuli: StimulusSet, descriptions: Mapping[str, Any]) -> StimulusSet:
    staged = stimuli.folder / STAGED_LOGITS
    manifest = dict(stimuli.manifest)
    manifest["models"] = manifest["models"] | dict(descriptions)
    manifest["files"] = manifest["files"] | {LOGITS: sha256(staged)}
    write_manifest(stimuli.folder, manifest)
    return _settled(StimulusSet(stimuli.folder))


def _settled(stimuli: StimulusSet) -> StimulusSet:
    """Ends a replacement that was stopped: forwards if the manifest knows the staged file, else backwards."""
    staged = stimuli.folder / STAGED_LOGITS
    if not staged.exists():
        return stimuli
    manifest = read_manifest(stimuli.folder)
    if sha256(staged) == manifest["files"][LOGITS]:
        staged.replace(stimuli.folder / LOGITS)
    else:
        staged.unlink()
    return StimulusSet(stimuli.folder)
