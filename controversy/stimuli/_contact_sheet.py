"""``contact_sheet.png``: a picture of the set, with both models' probabilities of their own class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image, ImageDraw, ImageFont

from controversy.files import whole_file
from controversy.images import read_png
from controversy.stimuli._layout import CONTACT_SHEET
from controversy.stimuli._tables import class_labels

AT_MOST = 100
"""Stimuli shown; of a larger set, some of every model pair, evenly spaced."""

# Okabe & Ito's palette, told apart by every colour vision; success is marked by a frame as well.
_MODEL_1, _MODEL_2, _SUCCESS = "#0072B2", "#D55E00", "#009E73"
_INK, _FAINT, _TRACK, _PAPER = "#1a1a1a", "#6b6b6b", "#e4e4e4", "#ffffff"

_GAP, _MARGIN, _FRAME, _LINE = 14, 24, 3, 22
_TITLE_HEIGHT, _HEADING_HEIGHT = 66, 34


@dataclass(frozen=True)
class _Cell:
    """One stimulus on the sheet: a square image in a frame, and two lines of caption.

    Attributes:
        side: Of the image, in pixels.
    """

    side: int

    @property
    def outer(self) -> int:
        return self.side + 2 * _FRAME

    @property
    def width(self) -> int:
        return self.outer + _GAP

    @property
    def height(self) -> int:
        return self.outer + 2 * _LINE + _GAP


# A photograph, and the long names of its classes, take more room than a digit.
_SMALL, _LARGE, _SMALL_AT_MOST = _Cell(112), _Cell(152), 64


@dataclass(frozen=True)
class _Section:
    """The stimuli of one model pair."""

    model_1: str
    model_2: str
    shown: pd.DataFrame
    n_stimuli: int
    n_successes: int

    @property
    def count(self) -> str:
        share = f"{self.n_successes} of {self.n_stimuli} successful"
        hidden = self.n_stimuli - len(self.shown)
        return share + (f", {len(self.shown)} shown, {hidden} not shown" if hidden else "")


def write_contact_sheet(
    folder: Path, metadata: pd.DataFrame, classes: pd.DataFrame, threshold: float
) -> None:
    """Draws the sheet of a set whose images are in ``folder``.

    Args:
        folder: The set's folder.
        metadata: Its table.
        classes: Its classes.
        threshold: Hard controversiality from which a stimulus counts as a success.
    """
    sections = _sections(metadata)
    cell = _SMALL if max(_read(folder, metadata.iloc[0]).size) <= _SMALL_AT_MOST else _LARGE
    columns = _n_columns(sections, at_most=10 if cell is _SMALL else 8)
    labels = class_labels(classes)
    headings = [sum(font.getlength(text) for text, _, font in _heading(section)) for section in sections]
    width = 2 * _MARGIN + max(columns * cell.width - _GAP, *map(round, headings))
    grids = [-(-len(section.shown) // columns) * cell.height for section in sections]
    height = 2 * _MARGIN + _TITLE_HEIGHT + sum(grids) + len(sections) * _HEADING_HEIGHT - _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    _draw_title(draw, metadata, sections, threshold)
    y = _MARGIN + _TITLE_HEIGHT
    for section, grid in zip(sections, grids, strict=True):
        _draw_heading(draw, y, section)
        y += _HEADING_HEIGHT
        for place, (_, row) in enumerate(section.shown.iterrows()):
            corner = (_MARGIN + place % columns * cell.width, y + place // columns * cell.height)
            _draw_stimulus(sheet, corner, cell, _read(folder, row), row, labels)
        y += grid
    with whole_file(folder / CONTACT_SHEET) as temporary:
        sheet.save(temporary, format="PNG", optimize=True)


def _sections(metadata: pd.DataFrame) -> list[_Section]:
    pairs = metadata[["model_1", "model_2"]].drop_duplicates()
    share = max(AT_MOST // len(pairs), 1)
    sections = []
    for model_1, model_2 in pairs.head(AT_MOST).itertuples(index=False, name=None):
        rows = metadata[(metadata["model_1"] == model_1) & (metadata["model_2"] == model_2)]
        places = np.unique(np.linspace(0, len(rows) - 1, min(share, len(rows))).round().astype(int))
        sections.append(_Section(model_1, model_2, rows.iloc[places], len(rows), int(rows["success"].sum())))
    return sections


def _n_columns(sections: Sequence[_Section], at_most: int) -> int:
    """As many as fit; or as put each class_1 on a line of its own, where the design is that regular."""
    blocks = [len(list(block)) for section in sections for _, block in groupby(section.shown["class_1"])]
    if len(set(blocks)) == 1 and 6 <= blocks[0] <= at_most:
        return blocks[0]
    return min(at_most, max([6, *(len(section.shown) for section in sections)]))


def _draw_title(
    draw: ImageDraw.ImageDraw, metadata: pd.DataFrame, sections: Sequence[_Section], threshold: float
) -> None:
    left_out = len(metadata) - sum(section.n_stimuli for section in sections)
    title = f"{len(metadata)} controversial stimuli" + (
        f", {left_out} of further pairs not shown" if left_out else ""
    )
    draw.text((_MARGIN, _MARGIN), title, font=_font(22, bold=True), fill=_INK)
    y = _MARGIN + 36
    draw.rectangle((_MARGIN, y + 1, _MARGIN + 13, y + 14), outline=_SUCCESS, width=_FRAME)
    count = f"{int(metadata['success'].sum())} of {len(metadata)}"
    text = f"framed: controversiality \N{GREATER-THAN OR EQUAL TO} {threshold:g} ({count})"
    draw.text((_MARGIN + 20, y), text, font=_font(13), fill=_INK)


def _heading(section: _Section) -> list[tuple[str, str, ImageFont.FreeTypeFont]]:
    return [
        (section.model_1, _MODEL_1, _font(14, bold=True)),
        (" says the first class,  ", _INK, _font(13)),
        (section.model_2, _MODEL_2, _font(14, bold=True)),
        (" the second  \N{MIDDLE DOT}  ", _INK, _font(13)),
        (section.count, _FAINT, _font(13)),
    ]


def _draw_heading(draw: ImageDraw.ImageDraw, y: int, section: _Section) -> None:
    x = float(_MARGIN)
    for text, colour, font in _heading(section):
        draw.text((x, y + 4), text, font=font, fill=colour)
        x += font.getlength(text)


def _draw_stimulus(
    sheet: Image.Image,
    corner: tuple[int, int],
    cell: _Cell,
    image: Image.Image,
    row: pd.Series,
    labels: Sequence[str],
) -> None:
    draw = ImageDraw.Draw(sheet)
    x, y = corner
    if row["success"]:
        draw.rectangle((x, y, x + cell.outer - 1, y + cell.outer - 1), fill=_SUCCESS)
    sheet.paste(_thumbnail(image, cell.side), (x + _FRAME, y + _FRAME))
    lines = (
        (_MODEL_1, labels[row["class_1"]], row["p1_class_1"]),
        (_MODEL_2, labels[row["class_2"]], row["p2_class_2"]),
    )
    for number, (colour, label, probability) in enumerate(lines):
        _draw_probability(
            draw, (x, y + cell.outer + 3 + number * _LINE), cell.outer, colour, label, probability
        )


def _draw_probability(
    draw: ImageDraw.ImageDraw,
    corner: tuple[int, int],
    width: int,
    colour: str,
    label: str,
    probability: float,
) -> None:
    """A class' name, a model's probability of it, and the same as a bar below."""
    (x, y), value = corner, f"{probability:.2f}"
    room = width - _font(13).getlength(value) - 6
    draw.text((x, y), _shortened(label, room), font=_font(13), fill=colour)
    draw.text((x + width, y), value, font=_font(13), fill=_INK, anchor="ra")
    draw.rectangle((x, y + 17, x + width - 1, y + 19), fill=_TRACK)
    filled = round(probability * width)
    if filled:
        draw.rectangle((x, y + 17, x + filled - 1, y + 19), fill=colour)


def _read(folder: Path, row: pd.Series) -> Image.Image:
    return Image.fromarray(read_png(folder / row["file_name"]).permute(1, 2, 0).contiguous().numpy())


def _thumbnail(image: Image.Image, side: int) -> Image.Image:
    scale = side / max(image.size)
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    # Pixels of a tiny image are enlarged as they are; they are what the models saw.
    small = image.resize(size, Image.Resampling.NEAREST if scale >= 2 else Image.Resampling.LANCZOS)
    square = Image.new("RGB", (side, side), _PAPER)
    square.paste(small, ((side - size[0]) // 2, (side - size[1]) // 2))
    return square


def _shortened(text: str, room: float) -> str:
    font = _font(13)
    if font.getlength(text) <= room:
        return text
    while text and font.getlength(text + "\N{HORIZONTAL ELLIPSIS}") > room:
        text = text[:-1]
    return text.rstrip() + "\N{HORIZONTAL ELLIPSIS}"


@lru_cache
def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans as matplotlib ships it: the same pixels on every machine, whatever fonts that has."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
