"""``index.html``: the set to browse, in one file that needs no network."""

import base64
import json
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from controversy.files import write_text
from controversy.stimuli._layout import PAGE
from controversy.stimuli._tables import class_labels

EMBED_AT_MOST = 20_000_000
"""Bytes of PNG up to which the page holds the images itself; above, it links to ``images/``."""


def write_page(folder: Path, metadata: pd.DataFrame, classes: pd.DataFrame, threshold: float) -> None:
    """Writes the page of a set whose images are in ``folder``.

    Args:
        folder: The set's folder.
        metadata: Its table.
        classes: Its classes.
        threshold: Hard controversiality from which a stimulus counts as a success.
    """
    template = resources.files("controversy.stimuli").joinpath("page.html").read_text(encoding="utf-8")
    # Inside a script element only "<" could end it: escaped, no text of a set can become markup.
    data = json.dumps(_data(folder, metadata, classes, threshold), separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    write_text(folder / PAGE, template.replace("__DATA__", data))


def _data(folder: Path, metadata: pd.DataFrame, classes: pd.DataFrame, threshold: float) -> dict[str, Any]:
    pairs = metadata[["model_1", "model_2"]].drop_duplicates()
    number = {pair: i for i, pair in enumerate(pairs.itertuples(index=False, name=None))}
    keys = zip(metadata["model_1"], metadata["model_2"], strict=True)
    used = sorted(set(metadata["class_1"]) | set(metadata["class_2"]))
    labels = class_labels(classes)
    return {
        "threshold": threshold,
        "pairs": [list(pair) for pair in number],
        "classes": {str(index): labels[index] for index in used},
        "columns": {
            "id": metadata["stimulus_id"].tolist(),
            "pair": [number[key] for key in keys],
            "c1": metadata["class_1"].tolist(),
            "c2": metadata["class_2"].tolist(),
            "success": metadata["success"].astype(int).tolist(),
            **{
                short: metadata[name].round(4).tolist()
                for short, name in (
                    ("controversiality", "controversiality"),
                    ("p11", "p1_class_1"),
                    ("p12", "p1_class_2"),
                    ("p21", "p2_class_1"),
                    ("p22", "p2_class_2"),
                )
            },
            "image": _image_addresses(folder, metadata["file_name"].tolist()),
        },
    }


def _image_addresses(folder: Path, names: list[str]) -> list[str]:
    if sum((folder / name).stat().st_size for name in names) > EMBED_AT_MOST:
        return [quote(name) for name in names]
    return [
        "data:image/png;base64," + base64.b64encode((folder / name).read_bytes()).decode("ascii")
        for name in names
    ]
