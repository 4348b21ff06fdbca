"""Downloads that resume, and that get their name only when they are what they should be."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controversy.errors import ControversyError
from controversy.weights._read import refuse_pages

_CHUNK = 1 << 20
_TIMEOUT = 30.0
# Zip (torch since 1.6), pickle (torch before), and a safetensors header of less than 16 MB, by first bytes.
_MAGIC: dict[str, Callable[[bytes], bool]] = {
    "torch": lambda head: head.startswith((b"PK\x03\x04", b"\x80\x02", b"\x80\x04")),
    "safetensors": lambda head: head[3:8] == bytes(5) and head[8:9] == b"{",
    "json": lambda head: head.lstrip().startswith((b"{", b"[")),
}

Progress = Callable[[int, int | None], None]
"""Bytes done, and of how many where the server says."""


@dataclass(frozen=True)
class Download:
    """Where a file is published, and what it has to be.

    Attributes:
        url: Of the file itself.
        path: Where it goes.
        sha256: Its digest or the beginning of it, as publishers give it; "" where none is published.
        size: In bytes, where known.
        page: For people: where to get it by hand, if not at ``url``.
    """

    url: str
    path: Path
    sha256: str = ""
    size: int | None = None
    page: str = ""

    def by_hand(self) -> str:
        """What to tell someone who has to get the file without this program."""
        return f"By hand: open {self.page or self.url} in a browser and save the file as {self.path}"


def fetch(download: Download, progress: Progress | None = None) -> bool:
    """Downloads a file to its place; a part that an earlier try left is continued.

    Args:
        download: What, and where to.
        progress: Called after each piece.

    Returns:
        Whether anything was downloaded: False where the file is there already.

    Raises:
        ControversyError: No connection, another process at it, or a file that is not what it should be
            (it is then removed); each with what to do by hand.
    """
    if download.path.is_file():
        return False
    download.path.parent.mkdir(parents=True, exist_ok=True)
    part = download.path.with_name(f"{download.path.name}.part")
    with _locked(part):
        if download.path.is_file():
            return False
        try:
            _receive(download, part, progress)
        except (OSError, ValueError) as problem:
            raise ControversyError(
                f"cannot download {download.url}: {problem}. What has arrived is kept; try again. "
                f"{download.by_hand()}"
            ) from problem
        _check(download, part)
        part.replace(download.path)
    return True


def _receive(download: Download, part: Path, progress: Progress | None) -> None:
    done = part.stat().st_size if part.is_file() else 0
    request = urllib.request.Request(download.url, headers={"User-Agent": "controversy"})
    if done:
        request.add_header("Range", f"bytes={done}-")
    try:
        reply = urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as problem:
        if problem.code == 416 and done:  # nothing is left to send
            return
        raise
    with reply:
        if done and reply.status != 206:
            done = 0
        left = reply.headers.get("Content-Length")
        total = done + int(left) if left else download.size
        with part.open("ab" if done else "wb") as stream:
            while piece := reply.read(_CHUNK):
                stream.write(piece)
                done += len(piece)
                if progress:
                    progress(done, total)
            stream.flush()
            os.fsync(stream.fileno())
    if total is not None and done < total:
        raise ConnectionError(f"it broke off after {done} of {total} bytes")


def _check(download: Download, part: Path) -> None:
    """Refuses, and removes, what came instead of the file."""
    try:
        refuse_pages(part)
        size = part.stat().st_size
        if download.size is not None and size != download.size:
            raise ControversyError(f"{download.url} gave {size} bytes where {download.size} are published")
        with part.open("rb") as stream:
            head = stream.read(16)
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        kind = {".safetensors": "safetensors", ".json": "json"}.get(download.path.suffix, "torch")
        if not _MAGIC[kind](head):
            raise ControversyError(f"{download.url} gave no {kind} file: it begins with {head!r}")
        if not digest.startswith(download.sha256):
            raise ControversyError(
                f"{download.url} gave SHA-256 {digest}, but {download.sha256} is published"
            )
    except ControversyError as problem:
        part.unlink(missing_ok=True)
        raise ControversyError(f"{problem}. It was removed. {download.by_hand()}") from problem


@contextmanager
def _locked(part: Path) -> Iterator[None]:
    """One process at a time on a file; the lock ends with the process that holds it, however that ends."""
    import fcntl

    with part.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise ControversyError(f"another process is downloading {part}: wait for it to end") from problem
        try:
            yield
        finally:
            if part.is_file() and not part.stat().st_size:
                part.unlink()
