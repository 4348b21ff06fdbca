"""Names for things that can be loaded: classifiers and generators."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Generic, TypeVar

from controversy.errors import ControversyError

T = TypeVar("T")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One name of a registry.

    Attributes:
        name: What users write.
        load: Makes the thing; keyword options are the loader's own.
        weights: The files its weights are read from, whether they are there or not.
        summary: One line for people.
    """

    name: str
    load: Callable[..., T]
    weights: tuple[Path, ...]
    summary: str


class Registry(Generic[T]):
    """Entries by name.

    Args:
        kind: What the entries are, for messages, e.g. "classifier".
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry[T]] = {}

    def add(self, name: str, load: Callable[..., T], *, weights: tuple[Path, ...] = (), summary: str = "") -> None:
        """Adds an entry; a name that is taken is an error of the program, not of the user."""
        if name in self._entries:
            raise ValueError(f"the {self.kind} {name!r} is registered twice")
        self._entries[name] = Entry(name, load, weights, summary)

    def __getitem__(self, name: str) -> Entry[T]:
        """The entry called ``name``.

        Raises:
            ControversyError: There is none; the nearest names are offered.
        """
        if name not in self._entries:
            raise unknown_name(self.kind, name, list(self._entries))
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self._entries.values())

    def names(self) -> list[str]:
        """All names, in the order of registration."""
        return list(self._entries)


def unknown_name(kind: str, name: str, known: list[str]) -> ControversyError:
    """The error for a name that is not known, with the nearest ones."""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(sorted(known))}."
    return ControversyError(f"there is no {kind} called {name!r}. {hint} `controversy models` lists all.")
