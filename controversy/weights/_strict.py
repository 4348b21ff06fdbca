"""Loading that no wrong file survives."""

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor, nn

from controversy.errors import ControversyError

_SHOWN = 5
# A counter of training steps that no evaluation reads; files from before PyTorch 0.4.1 have none.
_UNUSED = "num_batches_tracked"


def load_strictly(module: nn.Module, state: dict[str, Tensor], source: Path) -> None:
    """Loads ``state`` into ``module``; every key of both must match, and every shape.

    Only batch norm's ``num_batches_tracked`` may be missing: it counts training steps.

    Raises:
        ControversyError: A key is missing, surplus, or of another shape; the first few are named.
    """
    expected = module.state_dict()
    problems = [f"missing {name}" for name in expected if name not in state and not name.endswith(_UNUSED)]
    problems += [f"surplus {name}" for name in state if name not in expected]
    problems += [
        f"{name} is {list(state[name].shape)}, expected {list(value.shape)}"
        for name, value in expected.items()
        if name in state and state[name].shape != value.shape
    ]
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise ControversyError(
            f"{source} does not fit {type(module).__name__}: {'; '.join(problems[:_SHOWN])}{more}. "
            "Is it another model's file, or cut short? `controversy models` shows what goes where."
        )
    module.load_state_dict({**{name: expected[name] for name in expected if name not in state}, **state})


def strip_prefixes(
    state: dict[str, Tensor], prefixes: Sequence[str], keep: Sequence[str] = ()
) -> dict[str, Tensor]:
    """Without the names of wrappers that every key begins with, e.g. ``module.`` of `DataParallel`.

    A prefix goes only when all keys have it: half a prefix is a sign of a wrong file, and stays for
    `load_strictly` to name.

    Args:
        state: Names to tensors.
        prefixes: Outermost first.
        keep: Beginnings of names that may lack a prefix, e.g. ``normalize.`` beside ``model.``.
    """
    for prefix in prefixes:
        wrapped = [name for name in state if not name.startswith(tuple(keep))]
        if wrapped and all(name.startswith(prefix) for name in wrapped):
            state = {name.removeprefix(prefix): value for name, value in state.items()}
    return state
