"""Where files of weights are looked for."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from controversy.files import sha256

VARIABLE = "CONTROVERSY_WEIGHTS"


def weights_root() -> Path:
    """The folder that weights are looked for in: `CONTROVERSY_WEIGHTS`, or a folder of the user's cache."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "controversy" / "weights"


def hub_checkpoint(file_name: str) -> Path:
    """Where `torch.hub` keeps a file that it downloaded: it is used from there when it is there."""
    from torch.hub import get_dir

    return Path(get_dir()) / "checkpoints" / file_name


def first_present(*places: Path) -> Path:
    """The first of several places that has the file; the first of all where none has."""
    return next((place for place in places if place.is_file()), places[0])


def combined_digest(paths: Sequence[Path]) -> str:
    """The SHA-256 of a file, or of the list of digests of several, in their order."""
    digests = [sha256(path) for path in paths]
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
