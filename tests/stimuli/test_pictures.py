"""The contact sheet and the page show what the table says, and nothing of a set becomes markup."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from controversy.images import write_png
from controversy.stimuli._contact_sheet import AT_MOST, write_contact_sheet
from controversy.stimuli._page import write_page

FRAME = (0, 158, 115)  # bluish green of Okabe & Ito


@pytest.fixture
def stimuli(tmp_path):
    """A folder of images with a table: n stimuli of so many pairs; every second one a success."""
    import torch

    def make(n: int, n_pairs: int = 1, size: int = 8) -> pd.DataFrame:
        (tmp_path / "images").mkdir(exist_ok=True)
        names = [f"images/{i}.png" for i in range(n)]
        for i, name in enumerate(names):
            write_png(tmp_path / name, torch.full((3, size, size), 2 * i % 200, dtype=torch.uint8))
        p = np.linspace(0.01, 0.99, n)
        return pd.DataFrame(
            {
                "file_name": names,
                "stimulus_id": [str(i) for i in range(n)],
                "model_1": [f"m{i % n_pairs}" for i in range(n)],
                "model_2": "other",
                "class_1": 0,
                "class_2": 1,
                "controversiality": p,
                "p1_class_1": p,
                "p1_class_2": 1 - p,
                "p2_class_1": (1 - p) / 2,
                "p2_class_2": p / 2,
                "success": [i % 2 == 0 for i in range(n)],
            }
        )

    return make


@pytest.fixture
def classes():
    return pd.DataFrame({"index": [0, 1], "wnid": ["n1", "n2"], "name": ["</script><b>cat", 'dog & "wolf"']})


def page_data(folder):
    html = (folder / "index.html").read_text()
    return html, json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)[1]
    )


def n_frames(folder) -> int:
    """Framed thumbnails on the sheet, by the long lines in the frames' colour: a frame is 3 px wide."""
    pixels = np.asarray(Image.open(folder / "contact_sheet.png").convert("RGB"))
    rows = (pixels == FRAME).all(axis=2)
    # The top edge of a frame is a run of more than 100 px; three such lines a frame and three at its bottom.
    runs = [
        len(run)
        for line in rows
        for run in "".join("x" if hit else " " for hit in line).split()
        if len(run) > 100
    ]
    return len(runs) // 6


@pytest.mark.parametrize(("n", "n_pairs", "size"), [(1, 1, 8), (9, 1, 8), (30, 3, 8), (12, 1, 128)])
def test_the_sheet_frames_the_successes(stimuli, classes, tmp_path, n, n_pairs, size):
    table = stimuli(n, n_pairs, size)
    write_contact_sheet(tmp_path, table, classes, 0.75)
    assert n_frames(tmp_path) == table["success"].sum()


def test_a_large_set_is_shown_in_part_every_pair_as_much(stimuli, classes, tmp_path):
    table = stimuli(120, 3)
    table["success"] = True
    write_contact_sheet(tmp_path, table, classes, 0.75)
    assert n_frames(tmp_path) == AT_MOST // 3 * 3


def test_the_sheet_fits_a_laptop_s_width(stimuli, classes, tmp_path):
    for size in (8, 256):
        write_contact_sheet(tmp_path, stimuli(12, 1, size), classes, 0.75)
        with Image.open(tmp_path / "contact_sheet.png") as sheet:
            assert sheet.width <= 1440


def test_the_page_holds_the_table_s_numbers(stimuli, classes, tmp_path):
    table = stimuli(20, 2)
    write_page(tmp_path, table, classes, 0.75)
    _, data = page_data(tmp_path)
    column = data["columns"]
    assert column["id"] == table["stimulus_id"].tolist()
    assert [data["pairs"][i] for i in column["pair"]] == table[["model_1", "model_2"]].to_numpy().tolist()
    for short, name in {
        "p11": "p1_class_1",
        "p12": "p1_class_2",
        "p21": "p2_class_1",
        "p22": "p2_class_2",
    }.items():
        np.testing.assert_allclose(column[short], table[name], atol=5e-5)
    assert column["success"] == table["success"].astype(int).tolist()


def test_no_text_of_a_set_becomes_markup(stimuli, classes, tmp_path):
    table = stimuli(3)
    table["model_1"] = "<img src=x onerror=alert(1)>"
    write_page(tmp_path, table, classes, 0.75)
    html, data = page_data(tmp_path)
    assert data["classes"]["0"] == "</script><b>cat"
    assert data["pairs"][0][0] == "<img src=x onerror=alert(1)>"
    assert "<b>cat" not in html
    assert "<img" not in html
    assert "innerHTML =" not in html


def test_the_page_needs_no_network(stimuli, classes, tmp_path):
    write_page(tmp_path, stimuli(3), classes, 0.75)
    html, data = page_data(tmp_path)
    assert "http" not in html.replace("http-equiv", "")
    assert all(address.startswith("data:image/png;base64,") for address in data["columns"]["image"])


def test_the_page_of_a_large_set_links_to_its_images(stimuli, classes, tmp_path, monkeypatch):
    monkeypatch.setattr("controversy.stimuli._page.EMBED_AT_MOST", 100)
    table = stimuli(3)
    write_page(tmp_path, table, classes, 0.75)
    assert page_data(tmp_path)[1]["columns"]["image"] == table["file_name"].tolist()
