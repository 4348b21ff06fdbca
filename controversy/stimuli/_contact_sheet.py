"""``contact_sheet.png``: a picture of the set, with both models' probabilities of their own class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

_SIDE, _GAP, _MARGIN, _FRAME = 112, 14, 24, 3
_LINE = 22
_CELL_WIDTH, _CELL_HEIGHT = _SIDE + 2 * _FRAME + _GAP, _SIDE + 2 * _FRAME + 2 * _LINE + _GAP
_TITLE_HEIGHT, _HEADING_HEIGHT = 66, 34


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
    columns = _n_columns(sections)
    labels = class_labels(classes)
    headings = [sum(font.getlength(text) for text, _, font in _heading(section)) for section in sections]
    width = 2 * _MARGIN + max(columns * _CELL_WIDTH - _GAP, *map(round, headings))
    grids = [-(-len(section.shown) // columns) * _CELL_HEIGHT for section in sections]
    height = 2 * _MARGIN + _TITLE_HEIGHT + sum(grids) + len(sections) * _HEADING_HEIGHT - _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    _draw_title(draw, metadata, threshold)
    y = _MARGIN + _TITLE_HEIGHT
    for section, grid in zip(sections, grids, strict=True):
        _draw_heading(draw, y, section)
        y += _HEADING_HEIGHT
        for place, (_, row) in enumerate(section.shown.iterrows()):
            corner = (_MARGIN + place % columns * _CELL_WIDTH, y + place // columns * _CELL_HEIGHT)
            _draw_stimulus(sheet, draw, corner, folder / row["file_name"], row, labels)
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


def _n_columns(sections: Sequence[_Section]) -> int:
    """Ten; or as many as put each class_1 on a line of its own, where the design is that regular."""
    blocks = [len(list(block)) for section in sections for _, block in groupby(section.shown["class_1"])]
    if len(set(blocks)) == 1 and 6 <= blocks[0] <= 12:
        return blocks[0]
    return min(10, max([6, *(len(section.shown) for section in sections)]))


def _draw_title(draw: ImageDraw.ImageDraw, metadata: pd.DataFrame, threshold: float) -> None:
    successes = int(metadata["success"].sum())
    y = _MARGIN
    draw.text((_MARGIN, y), f"{len(metadata)} controversial stimuli", font=_font(22, bold=True), fill=_INK)
    y += 36
    box = (_MARGIN, y + 1, _MARGIN + 13, y + 14)
    draw.rectangle(box, outline=_SUCCESS, width=_FRAME)
    count = f"{successes} of {len(metadata)}"
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
    draw: ImageDraw.ImageDraw,
    corner: tuple[int, int],
    path: Path,
    row: pd.Series,
    labels: Sequence[str],
) -> None:
    x, y = corner
    side = _SIDE + 2 * _FRAME
    if row["success"]:
        draw.rectangle((x, y, x + side - 1, y + side - 1), fill=_SUCCESS)
    sheet.paste(_thumbnail(path), (x + _FRAME, y + _FRAME))
    for line, colour, label, probability in _captions(row, labels):
        top = y + side + 3 + line * _LINE
        value = f"{probability:.2f}"
        room = side - _font(13).getlength(value) - 6
        draw.text((x, top), _shortened(label, room), font=_font(13), fill=colour)
        draw.text((x + side, top), value, font=_font(13), fill=_INK, anchor="ra")
        draw.rectangle((x, top + 17, x + side - 1, top + 19), fill=_TRACK)
        filled = round(probability * side)
        if filled:
            draw.rectangle((x, top + 17, x + filled - 1, top + 19), fill=colour)


def _captions(row: pd.Series, labels: Sequence[str]) -> Iterator[tuple[int, str, str, float]]:
    yield 0, _MODEL_1, labels[row["class_1"]], row["p1_class_1"]
    yield 1, _MODEL_2, labels[row["class_2"]], row["p2_class_2"]


def _thumbnail(path: Path) -> Image.Image:
    image = Image.fromarray(read_png(path).permute(1, 2, 0).contiguous().numpy())
    scale = _SIDE / max(image.size)
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    small = image.resize(size, Image.Resampling.NEAREST if scale >= 2 else Image.Resampling.LANCZOS)
    square = Image.new("RGB", (_SIDE, _SIDE), _PAPER)
    square.paste(small, ((_SIDE - size[0]) // 2, (_SIDE - size[1]) // 2))
    return square


def _shortened(text: str, room: float) -> str:
    font = _font(13)
    if font.getlength(text) <= room:
        return text
    while text and font.getlength(text + "\N{HORIZONTAL ELLIPSIS}") > room:
        text = text[:-1]
    return text.rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans as matplotlib ships it: the same pixels on every machine, whatever fonts that has."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
