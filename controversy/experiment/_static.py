"""The experiment as a folder that any file server can show, for JATOS, Pavlovia or a homepage."""

import json
import shutil
from pathlib import Path
from typing import Any

from controversy.errors import ControversyError
from controversy.experiment._folder import Experiment
from controversy.experiment._images import bare_png
from controversy.experiment._page import PageFiles
from controversy.experiment._trials import list_for_browser
from controversy.files import whole_folder, write_text

KEY_FILE = "key.csv"
KEY_COLUMNS = ("trial_id", "stimulus_id", "left_alternative", "kind", "correct", "list", "position")
_SERVER, _STATIC = ('content="server"', 'content="static"')


def export_static(experiment: Experiment, out: Path, page: PageFiles, study: dict[str, Any]) -> Path:
    """Writes the page, the images under opaque names and every list, and keeps the key to them.

    Nothing in ``out`` says which stimulus an image is, which models it is about, or which trial is a catch
    trial or a repeat. The key, ``key.csv``, stays in the experiment's folder: never publish it.

    Args:
        experiment: What to export.
        out: A new folder; it appears whole or not at all.
        page: The built page.
        study: What the browser is told (`study`).

    Returns:
        The path of the key.

    Raises:
        ControversyError: ``out`` exists, or the page is not one that can run without a server.
    """
    index = page.index.read_text(encoding="utf-8")
    if index.count(_SERVER) != 1:
        raise ControversyError(f"{page.index} has no <meta ... {_SERVER}>: build the page again. make page")
    lists = experiment.lists
    told = [list_for_browser(own) for _, own in lists.groupby("list")]
    content = {"study": study, "lists": told, "salt": experiment.secret.study_salt}
    with whole_folder(out) as folder:
        (folder / "images").mkdir()
        (folder / "assets").mkdir()
        for name, path in experiment.image_paths.items():
            (folder / "images" / name).write_bytes(bare_png(path))
        for name, path in page.assets.items():
            shutil.copyfile(path, folder / "assets" / name)
        (folder / "index.html").write_text(index.replace(_SERVER, _STATIC), encoding="utf-8")
        (folder / "study.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    key = experiment.folder / KEY_FILE
    write_text(key, lists[list(KEY_COLUMNS)].to_csv(index=False, lineterminator="\n"))
    return key
