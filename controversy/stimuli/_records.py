"""Finished stimuli of an unfinished set: a PNG, and a record of its latents, row and digest, each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.images import read_png, write_png
from controversy.stimuli._layout import IMAGES, PROGRESS, image_name
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


def write_record(
    folder: Path, stimulus_id: str, image: Tensor, latents: Mapping[str, Tensor], row: Mapping[str, Value]
) -> None:
    """Stores one finished stimulus: the image, then the record, which counts only with that very image."""
    path = folder / image_name(stimulus_id)
    write_png(path, image)
    content = json.dumps({"row": dict(row), "sha256": sha256(path)})
    note = json.dumps({"content": content, "digest": digest(latents, content)})
    write_tensors(_path(folder, stimulus_id), latents, note)


def read_record(folder: Path, stimulus_id: str) -> Record:
    """Reads one record.

    Raises:
        ControversyError: It is missing or damaged.
    """
    path = _path(folder, stimulus_id)
    latents, note = read_tensors(path)
    try:
        written = json.loads(note or "")
        content = json.loads(written["content"])
        if digest(latents, written["content"]) != written["digest"]:
            raise ControversyError(f"{path} is damaged: its bytes are not those that were written")
        return Record(content["row"], latents, content["sha256"])
    except (ValueError, KeyError, TypeError) as problem:
        raise ControversyError(f"{path} is damaged: {problem}") from problem


def keep_whole_records(folder: Path) -> set[str]:
    """The ids of the stimuli that an earlier run finished; what is damaged or half there is removed."""
    whole = set()
    for path in sorted((folder / PROGRESS).glob("*.safetensors")):
        if _is_whole(folder, path.stem):
            whole.add(path.stem)
        else:
            path.unlink()
    for image in (folder / IMAGES).glob("*.png"):
        if image.stem not in whole:
            image.unlink()
    return whole


def _is_whole(folder: Path, stimulus_id: str) -> bool:
    image = folder / IMAGES / f"{stimulus_id}.png"
    try:
        record = read_record(folder, stimulus_id)
        read_png(image)
    except ControversyError:
        return False
    return record.row.get("stimulus_id") == stimulus_id and sha256(image) == record.sha256


def _path(folder: Path, stimulus_id: str) -> Path:
    return folder / PROGRESS / f"{stimulus_id}.safetensors"
