"""Weights from files: tensors only, never code."""

import pickle
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from controversy.errors import ControversyError

_BY_HAND = "docs/models.md says how to get it by hand"
# What a server sends in the place of a file: a login, a quota, a notice about viruses; and Git's stand-in.
_PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head")
_GIT_LFS = b"version https://git-lfs"


def read_weights(path: Path, *, nested: Sequence[str] = (), allowed: Sequence[Any] = ()) -> dict[str, Tensor]:
    """Reads names to tensors from a ``.safetensors`` file or a torch file.

    Torch files are read with ``weights_only=True``: tensors, no code.

    Args:
        path: The file.
        nested: Keys under which the tensors may lie, e.g. ``state_dict``; the first that is there is taken.
        allowed: Classes and functions, besides torch's own, that the file may name.

    Raises:
        ControversyError: The file is missing, damaged, a web page, or holds anything but tensors.
    """
    if not path.is_file():
        raise ControversyError(
            f"the weights {path} are not there. `controversy models` shows what goes where, "
            f"`controversy models fetch NAME` downloads; {_BY_HAND}."
        )
    refuse_pages(path)
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        with torch.serialization.safe_globals(list(allowed)), warnings.catch_warnings():
            # That it may be unable to read a protocol of pickle: then it refuses, which is said below.
            warnings.filterwarnings("ignore", "Detected pickle protocol", UserWarning)
            state = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as problem:
        raise _foreign(path, problem) from problem
    except (OSError, RuntimeError, ValueError, EOFError, KeyError, IndexError) as problem:
        raise _unreadable(path, problem) from problem
    except Exception as problem:
        # safetensors raises a class of its own that is not public under one name in all its versions
        if type(problem).__module__.split(".")[0] not in {"safetensors", "safetensors_rust"}:
            raise
        raise _unreadable(path, problem) from problem
    return _tensors(path, state, nested)


def refuse_pages(path: Path) -> None:
    """Refuses what is often saved under the name of a file of weights.

    Raises:
        ControversyError: It is empty, a web page, or a pointer of Git LFS.
    """
    with path.open("rb") as stream:
        head = stream.read(512).lstrip().lower()
    if not head:
        raise ControversyError(f"{path} is empty. Delete it and fetch it again; {_BY_HAND}.")
    if head.startswith(_PAGES):
        raise ControversyError(
            f"{path} is a web page, not weights: the server asked for something first. Delete it; {_BY_HAND}."
        )
    if head.startswith(_GIT_LFS):
        raise ControversyError(
            f"{path} is a Git LFS pointer, not weights: `git lfs pull` brings the file itself."
        )


def _tensors(path: Path, state: Any, nested: Sequence[str]) -> dict[str, Tensor]:
    if isinstance(state, dict):
        inner = next((state[key] for key in nested if isinstance(state.get(key), dict)), state)
        if inner and all(isinstance(value, Tensor) for value in inner.values()):
            return dict(inner)
        what = f"a dict with {', '.join(map(str, list(inner)[:5])) or 'nothing in it'}"
    else:
        what = f"a {type(state).__name__}"
    raise ControversyError(
        f"{path} holds no names to tensors, but {what}. Is it another kind of file? {_BY_HAND}."
    )


def _foreign(path: Path, problem: Exception) -> ControversyError:
    """PyTorch's own advice is to run the code after all; ours is not."""
    named = re.findall(r"GLOBAL ([\w.]+)|[Uu]nsupported (?:class|operand) ([\w.]+)", str(problem))
    names = sorted({first or second for first, second in named})
    if not names:
        return _unreadable(path, problem)
    return ControversyError(
        f"{path} names code besides tensors ({', '.join(names)}) and was not loaded: loading would run it. "
        "Fetch the file from its publisher again, or have whoever made it save the state dict alone."
    )


def _unreadable(path: Path, problem: Exception) -> ControversyError:
    first_line = str(problem).split("\n", 1)[0][:200]
    return ControversyError(
        f"cannot read weights from {path}: {first_line}. It may be cut short: fetch it again."
    )
