"""Names for things that can be loaded: classifiers and generators."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Generic, TypeVar

from controversy.errors import ControversyError
from controversy.weights import Download

T = TypeVar("T")

WeightFiles = tuple[Path, ...] | Callable[[], tuple[Path, ...]]
"""Files, or a function that says where they are: the folder of weights may be chosen after import."""

Downloads = tuple[Download, ...] | Callable[[], tuple[Download, ...]]
"""Likewise what is published, and where it goes."""


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One name of a registry.

    Attributes:
        name: What users write.
        load: Makes the thing; keyword options are the loader's own.
        files: See `weights`.
        family: What it belongs to, e.g. "digits" or "robustbench".
        summary: One line for people.
        published: See `downloads`.
    """

    name: str
    load: Callable[..., T]
    files: WeightFiles
    family: str
    summary: str
    published: Downloads = ()

    @property
    def weights(self) -> tuple[Path, ...]:
        """The files its weights are read from, whether they are there or not."""
        return self.files() if callable(self.files) else self.files

    @property
    def downloads(self) -> tuple[Download, ...]:
        """Where its weights can be downloaded from, where that is known."""
        return self.published() if callable(self.published) else self.published


class Registry(Generic[T]):
    """Entries by name, and families of names too many to list.

    Args:
        kind: What the entries are, for messages, e.g. "classifier".
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry[T]] = {}
        self._families: dict[str, Callable[[str], Entry[T]]] = {}

    def add(
        self,
        name: str,
        load: Callable[..., T],
        *,
        weights: WeightFiles = (),
        downloads: Downloads = (),
        family: str = "",
        summary: str = "",
    ) -> None:
        """Adds an entry; a name that is taken is an error of the program, not of the user.

        Args:
            name: What users write.
            load: Makes the thing.
            weights: The files its weights are read from.
            downloads: Where they are published.
            family: By default the first word of the name.
            summary: One line for people.
        """
        if name in self._entries:
            raise ValueError(f"the {self.kind} {name!r} is registered twice")
        family = family or name.split("_")[0]
        self._entries[name] = Entry(name, load, weights, family, summary, downloads)

    def add_family(self, family: str, find: Callable[[str], Entry[T]]) -> None:
        """Adds all names ``family:WORD``.

        Args:
            family: The word before the colon.
            find: Makes an entry of the word after it, or raises `ControversyError`.
        """
        if family in self._families:
            raise ValueError(f"the family {family!r} of {self.kind}s is registered twice")
        self._families[family] = find

    def __getitem__(self, name: str) -> Entry[T]:
        """The entry called ``name``.

        Raises:
            ControversyError: There is none; the nearest names are offered.
        """
        if name in self._entries:
            return self._entries[name]
        family, colon, word = name.partition(":")
        if colon and family in self._families:
            return self._families[family](word)
        raise unknown_name(self.kind, name, list(self._entries))

    def __contains__(self, name: object) -> bool:
        """Whether ``name`` is listed, or begins with a family's word."""
        return name in self._entries or (
            isinstance(name, str) and name.partition(":")[0] in self._families and ":" in name
        )

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self._entries.values())

    def names(self) -> list[str]:
        """All listed names, in the order of registration."""
        return list(self._entries)

    def families(self) -> list[str]:
        """The families whose names are not listed."""
        return list(self._families)


def unknown_name(kind: str, name: str, known: list[str]) -> ControversyError:
    """The error for a name that is not known, with the nearest ones."""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(sorted(known))}."
    return ControversyError(f"there is no {kind} called {name!r}. {hint} `controversy models` lists all.")
