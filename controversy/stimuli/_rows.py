"""Tensors with one row a stimulus, written a few rows at a time: a set may be larger than memory."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from controversy.errors import ControversyError
from controversy.files import whole_file
from controversy.stimuli._tensors import TYPES, share_like_folder

AT_A_TIME = 1024
"""Rows that are read, computed or copied at a time."""

Kind = tuple[np.dtype, tuple[int, ...]]
"""Type and shape of one row."""


class RowFile:
    """A safetensors file that is being filled.

    Args:
        stream: Where, at its beginning.
        kinds: Tensor name -> type and shape of a row.
        n_rows: Of every tensor.

    Raises:
        ControversyError: A type has no name in safetensors.
    """

    def __init__(self, stream: BinaryIO, kinds: Mapping[str, Kind], n_rows: int) -> None:
        self._stream, self._kinds = stream, dict(kinds)
        codes = {name: _code(name, kind) for name, (kind, _) in kinds.items()}
        sizes = {name: kind.itemsize * prod(shape) * n_rows for name, (kind, shape) in kinds.items()}
        # The order in which safetensors itself writes, so that either way the bytes are the same.
        order = sorted(kinds, key=lambda name: (-list(TYPES).index(codes[name]), name))
        ends = dict(zip(order, accumulate(sizes[name] for name in order), strict=True))
        entries = {
            name: {
                "dtype": codes[name],
                "shape": [n_rows, *kinds[name][1]],
                "data_offsets": [ends[name] - sizes[name], ends[name]],
            }
            for name in order
        }
        header = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
        header += b" " * (-len(header) % 8)
        self._begin = {name: 8 + len(header) + ends[name] - sizes[name] for name in order}
        stream.write(len(header).to_bytes(8, "little") + header)
        stream.truncate(8 + len(header) + sum(sizes.values()))

    def write(self, name: str, first_row: int, values: np.ndarray) -> None:
        """Puts ``values`` ``[k, ...]`` into rows ``first_row``, ``first_row + 1``, ... of a tensor.

        Raises:
            ControversyError: They are of another type or shape.
        """
        kind, shape = self._kinds[name]
        if values.dtype != kind or values.shape[1:] != shape:
            raise ControversyError(
                f"{name} is {kind} {list(shape)} of one stimulus, {values.dtype} {list(values.shape[1:])} of "
                "another: the tensors of a set are of one kind"
            )
        self._stream.seek(self._begin[name] + first_row * kind.itemsize * prod(shape))
        self._stream.write(np.ascontiguousarray(values).tobytes())


@contextmanager
def row_file(path: Path, kinds: Mapping[str, Kind], n_rows: int) -> Iterator[RowFile]:
    """A file to fill with rows, whole or not at all."""
    with whole_file(path) as temporary:
        with temporary.open("wb") as stream:
            yield RowFile(stream, kinds, n_rows)
        share_like_folder(temporary)


def chunks(n_rows: int, size: int = AT_A_TIME) -> Iterator[slice]:
    """Slices that cover so many rows in order."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def _code(name: str, kind: np.dtype) -> str:
    for code, known in TYPES.items():
        if known == kind:
            return code
    known_types = ", ".join(str(known) for known in TYPES.values())
    raise ControversyError(f"{name} is {kind}, but the tensors of a set are one of {known_types}")
