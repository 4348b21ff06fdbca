"""The two-alternative experiment: who judges what, the server that asks them, files for other platforms.

| name | does |
|---|---|
| `make_lists` | participants' lists: balanced, counter-balanced, with repeats and catch trials |
| `make_clear_images` | clear images for catch and practice trials |
| `write_experiment`, `read_experiment` | the folder of an experiment: lists, clear images, secret |
| `PageSettings`, `study` | how the task looks, and what the browser is told |
| `Store` | sessions and answers in SQLite or PostgreSQL |
| `judgments` | answers -> canonical judgments |
| `export_static`, `export_psychopy`, `export_psych_ds` | files for other platforms, and for sharing |

The server (`controversy.experiment.server`) needs the extra ``experiment``.
"""

from controversy.experiment._clear import make_clear_images
from controversy.experiment._folder import (
    CLEAR_FOLDER,
    Experiment,
    read_clear,
    read_experiment,
    write_experiment,
)
from controversy.experiment._judgments import JUDGMENT_COLUMNS, judgments
from controversy.experiment._lists import LIST_COLUMNS, ListOptions, make_lists
from controversy.experiment._page import PageFiles, built_page
from controversy.experiment._psych_ds import export_psych_ds
from controversy.experiment._psychopy import export_psychopy
from controversy.experiment._secrets import Secret
from controversy.experiment._settings import PageSettings, study
from controversy.experiment._static import KEY_COLUMNS, export_static
from controversy.experiment._store import NoListFreeError, Session, Store, StudyClosedError, now, sqlite_url

__all__ = [
    "CLEAR_FOLDER",
    "JUDGMENT_COLUMNS",
    "KEY_COLUMNS",
    "LIST_COLUMNS",
    "Experiment",
    "ListOptions",
    "NoListFreeError",
    "PageFiles",
    "PageSettings",
    "Secret",
    "Session",
    "Store",
    "StudyClosedError",
    "built_page",
    "export_psych_ds",
    "export_psychopy",
    "export_static",
    "judgments",
    "make_clear_images",
    "make_lists",
    "now",
    "read_clear",
    "read_experiment",
    "sqlite_url",
    "study",
    "write_experiment",
]
