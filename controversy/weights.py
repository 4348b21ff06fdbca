"""Weights from files: read without running pickled code, every key and shape checked."""

import pickle
from pathlib import Path

import torch
from torch import Tensor, nn

from controversy.errors import ControversyError


def read_weights(path: Path) -> dict[str, Tensor]:
    """Reads a state dict from a ``.safetensors`` file or a torch file.

    Torch files are read with ``weights_only=True``: tensors, no code.

    Raises:
        ControversyError: The file is missing, damaged, or holds anything but tensors.
    """
    if not path.is_file():
        raise ControversyError(
            f"the weights {path} are not there. Put the file in place, or reinstall the package."
        )
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError) as problem:
        raise _unreadable(path, problem) from problem
    except Exception as problem:
        # safetensors raises a class of its own that is not public under one name in all its versions
        if type(problem).__module__.split(".")[0] not in {"safetensors", "safetensors_rust"}:
            raise
        raise _unreadable(path, problem) from problem
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise ControversyError(f"{path} holds no state dict (names to tensors), but {type(state).__name__}.")
    return state


def _unreadable(path: Path, problem: Exception) -> ControversyError:
    first_line = str(problem).split("\n", 1)[0]
    return ControversyError(f"cannot read weights from {path}: {first_line}. Fetch the file again.")


def load_strictly(module: nn.Module, state: dict[str, Tensor], source: Path) -> None:
    """Loads ``state`` into ``module``; every key of both must match, and every shape.

    Raises:
        ControversyError: A key is missing, surplus, or of another shape; the first few are named.
    """
    expected = module.state_dict()
    problems = [f"missing {name}" for name in expected if name not in state]
    problems += [f"surplus {name}" for name in state if name not in expected]
    problems += [
        f"{name} is {list(state[name].shape)}, expected {list(value.shape)}"
        for name, value in expected.items()
        if name in state and state[name].shape != value.shape
    ]
    if problems:
        shown = "; ".join(problems[:5]) + (f"; and {len(problems) - 5} more" if len(problems) > 5 else "")
        raise ControversyError(
            f"{source} does not fit {type(module).__name__}: {shown}. Is it another model's file?"
        )
    module.load_state_dict(state)
