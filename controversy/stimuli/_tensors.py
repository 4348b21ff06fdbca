"""Named tensors in one safetensors file, with errors that name the file."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from controversy.errors import ControversyError
from controversy.files import whole_file


def write_tensors(path: Path, tensors: Mapping[str, Tensor], note: str | None = None) -> None:
    """Writes named tensors, whole or not at all.

    The same tensors give the same bytes: safetensors orders entries by type and name. A ``note`` is
    the single entry of the header's metadata (more than one would come in random order).
    """
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with whole_file(path) as temporary:
        save_file(plain, temporary, metadata=None if note is None else {"note": note})
        share_like_folder(temporary)


def share_like_folder(path: Path) -> None:
    """Lets whoever can read the folder read the file: safetensors makes files for their owner alone."""
    path.chmod(path.parent.stat().st_mode & 0o666)


TYPES = {
    "BOOL": np.dtype("bool"),
    "U8": np.dtype("uint8"),
    "F16": np.dtype("<f2"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
}
"""safetensors' names of types, in its order (the file begins with the last)."""


@contextmanager
def _opened(path: Path, framework: str) -> Iterator[Any]:
    try:
        with safe_open(path, framework=framework) as tensors:
            yield tensors
    except (OSError, SafetensorError) as problem:
        raise ControversyError(
            f"cannot read {path}: {problem}. Restore it or make the set again."
        ) from problem


def read_tensors(path: Path) -> tuple[dict[str, Tensor], str | None]:
    """All tensors of a file, and its note.

    Raises:
        ControversyError: The file is missing or damaged.
    """
    with _opened(path, "pt") as tensors:
        note = (tensors.metadata() or {}).get("note")
        return {name: tensors.get_tensor(name) for name in tensors.keys()}, note  # noqa: SIM118  (no mapping)


def digest(tensors: Mapping[str, Tensor], text: str) -> str:
    """The SHA-256 of a text and of named tensors with their types and shapes, in hexadecimal."""
    summary = hashlib.sha256(text.encode())
    for name, tensor in sorted(tensors.items()):
        summary.update(f"\0{name}\0{tensor.dtype}\0{list(tensor.shape)}\0".encode())
        summary.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return summary.hexdigest()


def tensor_names(path: Path) -> list[str]:
    """The names in a file, sorted. Reads the header only."""
    with _opened(path, "pt") as tensors:
        return sorted(tensors.keys())


def array_kinds(path: Path) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Type and shape of one row of every named array. Reads the header only.

    Raises:
        ControversyError: The file is missing or damaged.
    """
    with _opened(path, "np") as arrays:
        parts = {name: arrays.get_slice(name) for name in sorted(arrays.keys())}
        found = {name: (part.get_dtype(), tuple(part.get_shape()[1:])) for name, part in parts.items()}
    return {name: (_type(path, name, kind), shape) for name, (kind, shape) in found.items()}


def read_array(path: Path, name: str) -> np.ndarray:
    """One named array, mapped: only what is looked at leaves the disk, and changes stay in memory.

    Raises:
        ControversyError: The file is missing or damaged, or lacks the name.
    """
    with _opened(path, "np") as arrays:
        # Opening compares the header with the file's length: the mapping lies inside.
        kind, shape = arrays.get_slice(name).get_dtype(), arrays.get_slice(name).get_shape()
    dtype = _type(path, name, kind)
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        begin = 8 + length + json.loads(stream.read(length))[name]["data_offsets"][0]
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, dtype, "c", begin, tuple(shape)))


def _type(path: Path, name: str, kind: str) -> np.dtype:
    if kind not in TYPES:
        raise ControversyError(f"{path} is damaged: {name} is {kind}. Restore it or make the set again.")
    return TYPES[kind]
