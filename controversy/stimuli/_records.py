"""Finished stimuli of an unfinished set: a PNG, and a record of its latents, row and digest, each."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from torch import Tensor

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.images import write_png
from controversy.stimuli._layout import IMAGES, PROGRESS, image_name, record_name
from controversy.stimuli._rows import row_file
from controversy.stimuli._tensors import digest, read_tensors, write_tensors

Value = int | float | str | bool


@dataclass(frozen=True)
class Record:
    """What is known of one finished stimulus.

    Attributes:
        row: What synthesis says of it.
        latents: What regenerates its image, without a batch dimension.
        sha256: The digest of its PNG.
    """

    row: dict[str, Value]
    latents: dict[str, Tensor]
    sha256: str


class Records:
    """The finished stimuli of one unfinished set.

    Args:
        folder: The set's folder.
        n_stimuli: How many the set is to have: with many, images and records lie in sub-folders.
    """

    def __init__(self, folder: Path, n_stimuli: int) -> None:
        self.folder, self.n_stimuli = folder, n_stimuli

    def image_path(self, stimulus_id: str) -> Path:
        """Where the image of a stimulus is."""
        return self.folder / image_name(stimulus_id, self.n_stimuli)

    def write(
        self, stimulus_id: str, image: Tensor, latents: Mapping[str, Tensor], row: Mapping[str, Value]
    ) -> None:
        """Stores one: the image, then the record, which counts only with that very image."""
        path, record = self.image_path(stimulus_id), self._path(stimulus_id)
        for place in (path, record):
            place.parent.mkdir(exist_ok=True)
        write_png(path, image)
        content = json.dumps({"row": dict(row), "sha256": sha256(path)})
        write_tensors(record, latents, json.dumps({"content": content, "digest": digest(latents, content)}))

    def read(self, stimulus_id: str) -> Record:
        """Reads one record.

        Raises:
            ControversyError: It is missing or damaged.
        """
        path = self._path(stimulus_id)
        latents, note = read_tensors(path)
        try:
            written = json.loads(note or "")
            content = json.loads(written["content"])
            if digest(latents, written["content"]) != written["digest"]:
                raise ControversyError(f"{path} is damaged: its bytes are not those that were written")
            return Record(content["row"], latents, content["sha256"])
        except (ValueError, KeyError, TypeError) as problem:
            raise ControversyError(f"{path} is damaged: {problem}") from problem

    def keep_whole(self) -> set[str]:
        """The ids that an earlier run finished; what is damaged or half there is removed."""
        whole = set()
        for path in list((self.folder / PROGRESS).rglob("*.safetensors")):
            if self._is_whole(path):
                whole.add(path.stem)
            else:
                path.unlink()
        for image in list((self.folder / IMAGES).rglob("*.png")):
            if image.stem not in whole or image != self.image_path(image.stem):
                image.unlink()
        return whole

    def _is_whole(self, path: Path) -> bool:
        try:
            record = self.read(path.stem)
            # The digest was taken of the whole file: an equal one needs no decoding.
            same = sha256(self.image_path(path.stem)) == record.sha256
        except (ControversyError, OSError):
            return False
        return same and path == self._path(path.stem) and record.row.get("stimulus_id") == path.stem

    def _path(self, stimulus_id: str) -> Path:
        return self.folder / record_name(stimulus_id, self.n_stimuli)


def join_latents(path: Path, records: Iterable[Record], n_stimuli: int) -> list[Record]:
    """Writes the latents of all stimuli into one file, ``[n, ...]`` by name, a row at a time.

    Returns:
        The records in their order, without latents.

    Raises:
        ControversyError: Latents differ in names, shapes or types.
    """
    rest = iter(records)
    first = next(rest)
    kinds = {name: (value.numpy().dtype, tuple(value.shape)) for name, value in first.latents.items()}
    joined = []
    with row_file(path, kinds, n_stimuli) as latents:
        for position, record in enumerate(chain([first], rest)):
            if record.latents.keys() != kinds.keys():
                raise ControversyError(
                    f"latents differ between stimuli: number 0 has {sorted(kinds)}, number {position} "
                    f"{sorted(record.latents)}"
                )
            for name, value in record.latents.items():
                latents.write(name, position, value.numpy()[None])
            joined.append(replace(record, latents={}))
    return joined
