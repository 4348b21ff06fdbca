"""The built page: what `make page` leaves inside the package."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from controversy.errors import ControversyError

_ASSETS = ("app.js", "app.css")


@dataclass(frozen=True)
class PageFiles:
    """The page's files.

    Attributes:
        index: ``index.html``.
        assets: What it loads, by name.
    """

    index: Path
    assets: Mapping[str, Path]


def built_page(folder: Path | None = None) -> PageFiles:
    """Finds the built page.

    Args:
        folder: Where; by default inside the package.

    Raises:
        ControversyError: It was not built.
    """
    where = Path(str(resources.files("controversy.experiment"))) / "page" if folder is None else folder
    missing = [name for name in ("index.html", *_ASSETS) if not (where / name).is_file()]
    if missing:
        raise ControversyError(
            f"the page of the experiment is not built: {where / missing[0]} is missing. make page"
        )
    return PageFiles(where / "index.html", {name: where / name for name in _ASSETS})
