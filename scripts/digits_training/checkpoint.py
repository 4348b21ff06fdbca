"""Restartable training: everything a run needs to go on, in one file that is whole or absent."""

from pathlib import Path
from typing import Any

import torch


def save(path: Path, state: dict[str, Any]) -> None:
    """Writes ``state`` under a temporary name, then renames it over ``path``."""
    temporary = path.with_suffix(".tmp")
    torch.save(state, temporary)
    temporary.replace(path)


def load(path: Path) -> dict[str, Any] | None:
    """The state at ``path``, or None where training has not begun."""
    return torch.load(path, map_location="cpu", weights_only=True) if path.exists() else None
