"""Making a stimulus set, one finished stimulus at a time, so that a stopped run loses nothing."""

import shutil
from collections.abc import Collection, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
import torch
from safetensors import SafetensorError
from torch import Tensor

from controversy.errors import ControversyError
from controversy.images import read_png
from controversy.stimuli._assembly import begin_set, complete_set
from controversy.stimuli._background import Background
from controversy.stimuli._configuration import as_json, check_same_configuration
from controversy.stimuli._layout import COLUMNS, LATENTS, LOGITS, MANIFEST, PROGRESS, ROW, image_name
from controversy.stimuli._logits import BATCH_SIZE, Progress, logit_kinds, score_images
from controversy.stimuli._outcome import outcome
from controversy.stimuli._records import Record, Records, Value, join_latents
from controversy.stimuli._rows import row_file
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._tables import checked_classes
from controversy.stimuli._tensors import read_array

if TYPE_CHECKING:
    from controversy.classifiers import Classifier

SUCCESS_THRESHOLD = 0.75
QUEUE = 64
"""Stimuli that may wait for the disk."""


class SetWriter:
    """Begins a stimulus set, or resumes one that a stopped run left.

    Every stimulus is on the disk when `add` returns. In a ``with`` block a thread writes them while the
    caller goes on: what `add` took is on the disk at the latest when `flush` returns, or the block ends,
    also by an exception. A process killed before that loses at most `QUEUE` stimuli.

    Either way a stimulus in `done` is on the disk, and a new writer on the same folder finds it there.
    `finish` scores the saved images and completes the set.

    Args:
        folder: Where the set is to be; made if need be.
        identity: Everything that determines the result, as JSON-able values.
        n_stimuli: How many it is to have. Of more than 1,000, images are kept in sub-folders.

    Raises:
        ControversyError: The folder holds the set of another configuration (the message shows the
            difference), or anything but a set.
    """

    def __init__(self, folder: str | Path, identity: Mapping[str, Any], *, n_stimuli: int = 0) -> None:
        self.folder, self.identity = Path(folder), as_json(identity)
        check_same_configuration(self.folder, self.identity)
        self._records = Records(self.folder, n_stimuli)
        self._done: dict[str, None] = {}
        self._background: Background | None = None
        self._image_size: tuple[int, int] | None = None
        if self.complete:
            # A run killed between the manifest and the last clean-up leaves the records behind.
            shutil.rmtree(self.folder / PROGRESS, ignore_errors=True)
            return
        begin_set(self.folder, self.identity)
        self._done = dict.fromkeys(self._records.keep_whole())
        if self._done:
            pixels = read_png(self._records.image_path(min(self._done)))
            self._image_size = (pixels.shape[1], pixels.shape[2])

    @property
    def complete(self) -> bool:
        """Whether the set is finished: nothing to do."""
        return (self.folder / MANIFEST).exists()

    @property
    def done(self) -> Set[str]:
        """The ids of the stimuli that are on the disk, at every moment."""
        return self._done.keys()

    def __enter__(self) -> Self:
        if not self.complete:
            self._background = Background(QUEUE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        background, self._background = self._background, None
        if background is None:
            return
        try:
            background.close()
        except Exception as lost:
            if problem is None:
                raise
            problem.add_note(str(lost))

    def flush(self) -> None:
        """Waits until every stimulus that was added is on the disk.

        Raises:
            ControversyError: One could not be stored.
        """
        if self._background:
            self._background.wait()

    def add(
        self, stimulus_id: str, image: Tensor, latents: Mapping[str, Tensor], row: Mapping[str, Value]
    ) -> None:
        """Stores one finished stimulus; in a ``with`` block it may be on the disk a little later.

        Args:
            stimulus_id: Unique in the set, usable as a file name.
            image: uint8 ``[3, h, w]``, of one size throughout the set.
            latents: What regenerates this one image: tensors without a batch dimension.
            row: What synthesis knows: stimulus_id, model_1, model_2, class_1, class_2, seed, n_steps,
                then any further columns, the same for all stimuli.

        Raises:
            ControversyError: The set is complete, the id, image or row is not as above, or this or (in a
                ``with`` block) an earlier stimulus could not be stored.
        """
        if self.complete:
            raise ControversyError(f"{self.folder} is complete: no stimulus can be added")
        image_name(stimulus_id, 0)  # here, not in a thread: is it fit for a file name?
        _check_row(stimulus_id, row)
        self._check_image(stimulus_id, image)
        if self._background:
            self._background.put(self._store, stimulus_id, image, latents, row)
        else:
            self._store(stimulus_id, image, latents, row)

    def finish(
        self,
        order: Sequence[str],
        classifiers: Mapping[str, "Classifier"],
        classes: pd.DataFrame,
        record: Mapping[str, Any],
        *,
        batch_size: int = BATCH_SIZE,
        progress: Progress | None = None,
    ) -> StimulusSet:
        """Scores the saved images and completes the set.

        Args:
            order: The ids in the order of the rows: all that were added.
            classifiers: By name; at least those of the rows. Each one's logits are stored.
            classes: Columns index (0, 1, 2, ...), wnid and name.
            record: For the manifest: the generator's description, seeds, and ``success_threshold``
                (hard controversiality from which a stimulus counts as a success; 0.75 if absent).
            batch_size: Images scored at a time.
            progress: Called after each batch of images scored.

        Raises:
            ControversyError: A stimulus is missing, a row names a model or a class that is not
                given, rows differ in their columns, or a classifier has another number of classes.
        """
        if self.complete:
            return StimulusSet(self.folder)
        self.flush()
        self._check_order(order)
        classes = checked_classes(classes)
        read = (self._records.read(stimulus_id) for stimulus_id in order)
        metadata = self._metadata(join_latents(self.folder / LATENTS, read, len(order)), classes)
        check_classifiers(classifiers, classes, needed=set(metadata["model_1"]) | set(metadata["model_2"]))
        self._score(metadata, classifiers, batch_size, progress)
        details = dict(record)
        threshold = float(details.pop("success_threshold", SUCCESS_THRESHOLD))
        columns = outcome(metadata, partial(read_array, self.folder / LOGITS), threshold)
        assert self._image_size is not None  # there is a stimulus: `_check_order`
        return complete_set(
            self.folder,
            configuration=self.identity,
            metadata=_in_order(metadata.assign(**columns)),
            classes=classes,
            models={name: classifier.description() for name, classifier in classifiers.items()},
            image_size=self._image_size,
            success_threshold=threshold,
            record=details,
        )

    def _store(
        self, stimulus_id: str, image: Tensor, latents: Mapping[str, Tensor], row: Mapping[str, Value]
    ) -> None:
        try:
            self._records.write(stimulus_id, image, latents, row)
        except (OSError, SafetensorError) as problem:
            raise ControversyError(
                f"cannot store stimulus {stimulus_id} in {self.folder}: {problem}. The {len(self._done)} "
                "stimuli before it are safe: run the same command again when this is mended"
            ) from problem
        self._done[stimulus_id] = None

    def _score(
        self,
        metadata: pd.DataFrame,
        classifiers: Mapping[str, "Classifier"],
        batch_size: int,
        progress: Progress | None,
    ) -> None:
        paths = [self.folder / name for name in metadata["file_name"]]
        batches = score_images(paths, classifiers, batch_size=batch_size, progress=progress)
        with row_file(self.folder / LOGITS, logit_kinds(classifiers), len(paths)) as logits:
            for rows, values in batches:
                for name in values:
                    logits.write(name, rows.start, values[name])

    def _metadata(self, records: Sequence[Record], classes: pd.DataFrame) -> pd.DataFrame:
        table = _rows(records, classes)
        names = [self._records.image_path(stimulus_id) for stimulus_id in table["stimulus_id"]]
        table["file_name"] = [name.relative_to(self.folder).as_posix() for name in names]
        return table.assign(sha256=[record.sha256 for record in records])

    def _check_image(self, stimulus_id: str, image: Tensor) -> None:
        if image.dtype != torch.uint8 or image.dim() != 3 or image.shape[0] != 3:
            raise ControversyError(
                f"the image of {stimulus_id} must be uint8 [3, h, w], got {image.dtype} {list(image.shape)}"
            )
        size = (image.shape[1], image.shape[2])
        if self._image_size not in (None, size):
            raise ControversyError(
                f"the image of {stimulus_id} is {size}, those before are {self._image_size}"
            )
        self._image_size = size

    def _check_order(self, order: Sequence[str]) -> None:
        if not order:
            raise ControversyError(f"no stimuli: {self.folder} would be an empty set")
        if len(set(order)) != len(order):
            raise ControversyError("the order names a stimulus twice")
        missing, surplus = sorted(set(order) - self.done), sorted(self.done - set(order))
        if missing or surplus:
            raise ControversyError(
                f"{self.folder} cannot be finished: {len(missing)} stimuli are missing {missing[:3]}, "
                f"{len(surplus)} were not asked for {surplus[:3]}"
            )


def check_classifiers(
    classifiers: Mapping[str, "Classifier"], classes: pd.DataFrame, needed: Collection[str] = ()
) -> None:
    """Refuses classifiers that do not fit a set.

    Raises:
        ControversyError: A needed one is missing, or one has another number of classes than the set.
    """
    missing = sorted(set(needed) - classifiers.keys())
    if missing:
        raise ControversyError(
            f"the stimuli were made for {', '.join(missing)}, which is not among the classifiers"
        )
    for name, classifier in classifiers.items():
        if classifier.n_classes != len(classes):
            raise ControversyError(
                f"classifier {name} knows {classifier.n_classes} classes, the set has {len(classes)}: "
                "they do not share a class space"
            )


def _check_row(stimulus_id: str, row: Mapping[str, Value]) -> None:
    missing = [name for name in ROW if name not in row]
    if missing:
        raise ControversyError(f"the row of {stimulus_id} lacks {', '.join(missing)}")
    computed = [name for name in row if name in COLUMNS and name not in ROW]
    if computed:
        raise ControversyError(
            f"the row of {stimulus_id} gives {', '.join(computed)}, which the set computes itself"
        )
    if row["stimulus_id"] != stimulus_id:
        raise ControversyError(f"the row of {stimulus_id} says stimulus_id {row['stimulus_id']!r}")
    if row["class_1"] == row["class_2"]:
        raise ControversyError(f"stimulus {stimulus_id} has class_1 = class_2 = {row['class_1']}")


def _rows(records: Sequence[Record], classes: pd.DataFrame) -> pd.DataFrame:
    rows = [record.row for record in records]
    for row in rows:
        if row.keys() != rows[0].keys():
            raise ControversyError(
                f"stimuli {rows[0]['stimulus_id']} and {row['stimulus_id']} differ in their columns: "
                f"{', '.join(sorted(row.keys() ^ rows[0].keys()))}"
            )
    table = pd.DataFrame(rows)
    names = classes["name"].to_numpy()
    for column in ("class_1", "class_2"):
        outside = table[~table[column].between(0, len(names) - 1)]
        if len(outside):
            raise ControversyError(
                f"stimulus {outside['stimulus_id'].iloc[0]} has {column} = {outside[column].iloc[0]}, "
                f"but there are only {len(names)} classes"
            )
        table[f"{column}_name"] = names[table[column].to_numpy(np.int64)]
    return table


def _in_order(metadata: pd.DataFrame) -> pd.DataFrame:
    return metadata[[*COLUMNS, *(name for name in metadata if name not in COLUMNS)]]
