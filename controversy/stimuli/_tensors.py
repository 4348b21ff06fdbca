"""Named tensors in one safetensors file, with errors that name the file."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file as save_arrays
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
        _share_like_folder(temporary)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """`write_tensors` for numpy arrays."""
    with whole_file(path) as temporary:
        save_arrays({name: np.ascontiguousarray(array) for name, array in arrays.items()}, temporary)
        _share_like_folder(temporary)


def _share_like_folder(path: Path) -> None:
    """Lets whoever can read the folder read the file: safetensors makes files for their owner alone."""
    path.chmod(path.parent.stat().st_mode & 0o666)


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


def read_array(path: Path, name: str) -> np.ndarray:
    """One named array; the others stay on the disk.

    Raises:
        ControversyError: The file is missing or damaged, or lacks the name.
    """
    with _opened(path, "np") as arrays:
        return arrays.get_tensor(name)


def stack_latents(latents: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Latents of single stimuli ``[...]`` -> of all ``[n, ...]``, by name.

    Raises:
        ControversyError: They differ in names, shapes or types.
    """
    kinds = [{name: (t.dtype, tuple(t.shape)) for name, t in sorted(one.items())} for one in latents]
    for position, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise ControversyError(
                f"latents differ between stimuli: number 0 has {kinds[0]}, number {position} {kind}"
            )
    return {name: torch.stack([one[name] for one in latents]) for name in (kinds[0] if kinds else {})}
