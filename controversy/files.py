"""Files that appear whole or not at all, and their digests."""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controversy.errors import ControversyError


@contextmanager
def whole_file(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Gives a temporary path beside ``path``; renames it to ``path`` when the block ends well.

    The rename is atomic (POSIX), and the data reaches the disk before it. When the block raises, the
    temporary file is removed and ``path`` stays as it was.

    Args:
        path: The file.
        durable: False leaves it to the caller to bring the data to the disk (many files, then one sync).
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        if durable:
            with temporary.open("rb") as stream:
                os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Gives a temporary folder beside ``path``; renames it to ``path`` when the block ends well.

    Raises:
        ControversyError: Something is there already.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ControversyError(f"{path} exists already. Choose another folder, or remove it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    temporary.mkdir()
    try:
        yield temporary
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Writes ``text`` in UTF-8 to ``path``, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
