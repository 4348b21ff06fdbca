"""Devices by name."""

import torch

from controversy.errors import ControversyError


def resolve_device(name: str) -> torch.device:
    """``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        ControversyError: The device is not known or not here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as problem:
        raise ControversyError(f"device is {name!r}, but has to be auto, cpu, cuda or cuda:N") from problem
    if device.type not in {"cpu", "cuda"}:
        raise ControversyError(f"device is {name!r}, but has to be auto, cpu, cuda or cuda:N")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ControversyError(
            f"device is {name!r}, but this machine has {torch.cuda.device_count()} GPUs; try device=auto"
        )
    return device
