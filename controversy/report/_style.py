"""One look for every figure: colours that the colour-blind can tell apart, text that print can bear."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controversy.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito (2008), "Color universal design"; each subset has a marker of its own as well.
COLOURS = {"targeted": "#0072B2", "other_pairs": "#D55E00", "held_out": "#009E73", "all": "#000000"}
MARKERS = {"targeted": "o", "other_pairs": "s", "held_out": "D", "all": "^"}
LABELS = {
    "targeted": "made for this model",
    "other_pairs": "made for other models",
    "held_out": "model never used in synthesis",
    "all": "all stimuli",
}
CEILING = "#B0B0B0"

_SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    # Text stays text, for editing in print; ids are the same in every run.
    "svg.fonttype": "none",
    "svg.hashsalt": "controversy",
}


@contextmanager
def style() -> Iterator[None]:
    """Applies the look within a block, and nowhere else."""
    # Importing matplotlib makes a folder for its settings, which importing this package must not.
    import matplotlib

    with matplotlib.rc_context(_SETTINGS):
        yield


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of a size in inches, in no window and in no list of figures."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: "Figure", path: Path) -> list[Path]:
    """Writes ``path`` with the endings .png (200 dots an inch) and .svg."""
    written = []
    with style():
        for ending, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
            target = path.with_name(path.name + ending)
            with whole_file(target) as temporary:
                figure.savefig(temporary, format=ending[1:], dpi=200, metadata=metadata)
            written.append(target)
    return written
