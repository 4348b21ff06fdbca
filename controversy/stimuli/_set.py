"""Reading a stimulus set."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from torch import Tensor

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.images import from_uint8, read_png
from controversy.stimuli._layout import (
    CLASSES,
    COLUMNS,
    IMAGES,
    LATENTS,
    LOGITS,
    METADATA,
    STAGED_LOGITS,
    inside,
)
from controversy.stimuli._logits import read_images
from controversy.stimuli._manifest import read_manifest
from controversy.stimuli._tables import read_classes, read_table
from controversy.stimuli._tensors import read_array, read_tensors


class StimulusSet:
    """A finished stimulus set: a folder of images with metadata, logits and latents.

    Opening reads the manifest only; tables, logits and images are read when asked for. It never
    changes the folder.

    Args:
        folder: The folder that holds ``manifest.json``.

    Raises:
        ControversyError: It is not a folder, not a stimulus set, an unfinished one, one of another
            format version, or one of its files is missing.

    Example:
        >>> stimuli = StimulusSet("outputs/digits_resnet-digits_vit")  # doctest: +SKIP
        >>> stimuli.metadata[stimuli.metadata.success].file_name  # doctest: +SKIP
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest: dict[str, Any] = read_manifest(self.folder)
        self.logits_path = self._current_logits()
        for name in self.manifest["files"]:
            if (
                not name.startswith(f"{IMAGES}/")
                and name != LOGITS
                and not inside(self.folder, name).exists()
            ):
                raise ControversyError(f"{self.folder / name} is missing. Restore it or make the set again.")

    def _current_logits(self) -> Path:
        path, staged = self.folder / LOGITS, self.folder / STAGED_LOGITS
        # `evaluate` was stopped between its two renames: see controversy/stimuli/_evaluate.py.
        if staged.exists() and sha256(staged) == self.manifest["files"][LOGITS]:
            return staged
        if not path.exists():
            raise ControversyError(f"{path} is missing. Restore it or make the set again.")
        return path

    def __len__(self) -> int:
        return self.manifest["n_stimuli"]

    def __repr__(self) -> str:
        return f"StimulusSet({str(self.folder)!r}: {len(self)} stimuli, models {', '.join(self.models)})"

    def __iter__(self) -> Iterator[Any]:
        """The rows of `metadata`, as named tuples."""
        return iter(self.metadata.itertuples(index=False, name="Stimulus"))

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose logits are here."""
        return tuple(self.manifest["models"])

    @cached_property
    def metadata(self) -> pd.DataFrame:
        """One row a stimulus; the columns are documented in ``docs/stimulus-set.md``.

        Raises:
            ControversyError: The table is damaged, or has another number of rows than the manifest says.
        """
        path = self.folder / METADATA
        table = read_table(path, {**self.manifest["columns"], **COLUMNS})
        if len(table) != len(self):
            raise ControversyError(
                f"{path} has {len(table)} rows, the manifest says {len(self)}. "
                "Restore it or make the set again."
            )
        for column in ("class_1", "class_2"):
            if not table[column].between(0, len(self.classes) - 1).all():
                raise ControversyError(
                    f"{path} is damaged: a {column} is none of the {len(self.classes)} classes. "
                    "Restore it or make the set again."
                )
        return table

    @cached_property
    def classes(self) -> pd.DataFrame:
        """index, wnid, name: one row a class, in the order of the logits' columns."""
        return read_classes(self.folder / CLASSES)

    def logits(self, model: str) -> NDArray[np.float32]:
        """One model's logits of the saved images: ``[n, n_classes]``, row i = row i of `metadata`.

        Mapped from the file: rows that nobody looks at are not read, and changes stay in memory.

        Raises:
            ControversyError: The set has no logits of this model, or the file is damaged.
        """
        if model not in self.models:
            raise ControversyError(
                f"{self.folder} has no logits of {model!r}, only of {', '.join(self.models)}. Add them: "
                f"controversy evaluate set={self.folder} models=[{model}]"
            )
        values = read_array(self.logits_path, model)
        expected = (len(self), len(self.classes))
        if values.shape != expected or values.dtype != np.float32:
            raise ControversyError(
                f"{self.logits_path} is damaged: the logits of {model} are {values.dtype} "
                f"{list(values.shape)}, not float32 {list(expected)}. Restore it or make the set again."
            )
        return values

    def evidence(self, model: str) -> NDArray[np.float64]:
        """A model's evidence for the second alternative of each stimulus: logit(class_2) - logit(class_1).

        The log-odds of class_2 in the two-alternative task; positive means "would choose class_2".

        Returns:
            float64 ``[n]``.
        """
        logits, rows = self.logits(model), np.arange(len(self))
        first, second = (
            logits[rows, self.metadata[column]].astype(np.float64) for column in ("class_1", "class_2")
        )
        return second - first

    def image_path(self, index: int) -> Path:
        """Where image ``index`` lies."""
        return self.image_paths([index])[0]

    def image_paths(self, which: slice | Sequence[int] | NDArray[np.integer] = slice(None)) -> list[Path]:
        """Where some images lie: those of a slice, or of the row numbers given."""
        rows = which if isinstance(which, slice) else np.asarray(which, dtype=np.intp)
        return [inside(self.folder, name) for name in self.metadata["file_name"].to_numpy()[rows]]

    def image(self, index: int) -> Tensor:
        """Image ``index`` as saved: uint8 ``[3, h, w]``.

        Raises:
            ControversyError: The PNG is missing or damaged.
        """
        return read_png(self.image_path(index))

    def images(self, which: slice | Sequence[int] | NDArray[np.integer] = slice(None)) -> Tensor:
        """Some images, read now: float32 ``[k, 3, h, w]`` in [0, 1].

        Args:
            which: A slice, or the row numbers wanted.

        Raises:
            ControversyError: A PNG is missing or damaged.
        """
        paths = self.image_paths(which)
        return from_uint8(read_images(paths)) if paths else Tensor(0, 3, *self.manifest["image_size"])

    def latents(self) -> dict[str, Tensor]:
        """What regenerates the images: tensors ``[n, ...]`` by name.

        Raises:
            ControversyError: The set keeps none, since it was collected from sets of different
                generators; or the file is damaged.
        """
        if LATENTS not in self.manifest["files"]:
            raise ControversyError(
                f"{self.folder} keeps no latents: it was collected from sets of different generators. "
                'Read them in those sets; the manifest lists them under "sources".'
            )
        return read_tensors(self.folder / LATENTS)[0]
