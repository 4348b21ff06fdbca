"""Names of what a stimulus-set folder holds, and what each row and manifest must have."""

import hashlib
import re
from pathlib import Path

from controversy.errors import ControversyError

FORMAT_VERSION = 1
KIND = "stimulus set"

IMAGES = "images"
METADATA = "metadata.csv"
LOGITS = "logits.safetensors"
LATENTS = "latents.safetensors"
CLASSES = "classes.csv"
CONTACT_SHEET = "contact_sheet.png"
PAGE = "index.html"
MANIFEST = "manifest.json"

# While a set is being made: its configuration, and one record a finished stimulus.
PROGRESS = ".progress"
IDENTITY = f"{PROGRESS}/identity.json"
SNAPSHOT = f"{PROGRESS}/in_flight.snapshot"
# While logits are being replaced: the manifest's digest says whether this file or LOGITS is the set's.
STAGED_LOGITS = ".logits.safetensors.next"

# metadata.csv begins with these, in this order; a generator's or a user's further columns follow.
COLUMNS = {
    "file_name": "str",
    "stimulus_id": "str",
    "model_1": "str",
    "model_2": "str",
    "class_1": "int64",
    "class_2": "int64",
    "class_1_name": "str",
    "class_2_name": "str",
    "seed": "int64",
    "n_steps": "int64",
    "controversiality": "float64",
    "p1_class_1": "float64",
    "p1_class_2": "float64",
    "p2_class_1": "float64",
    "p2_class_2": "float64",
    "success": "bool",
    "sha256": "str",
}
OUTCOME = ("controversiality", "p1_class_1", "p1_class_2", "p2_class_1", "p2_class_2", "success")
# What synthesis knows of a stimulus; the other columns follow from the saved image.
ROW = ("stimulus_id", "model_1", "model_2", "class_1", "class_2", "seed", "n_steps")
CLASS_COLUMNS = ("index", "wnid", "name")

MOST_IN_FOLDER = 1000
"""Images in one folder, about: file systems and people grow slow with more."""

# Safe as a file name on every system, in a URL and in a CSV cell.
_STIMULUS_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}")


def image_name(stimulus_id: str, n_stimuli: int) -> str:
    """Where a stimulus' image lies inside its set: in a sub-folder of ``images/`` where there are many.

    Args:
        stimulus_id: Whose.
        n_stimuli: How many the set has, or is to have.

    Raises:
        ControversyError: The id cannot be a file name.
    """
    if not _STIMULUS_ID.fullmatch(stimulus_id):
        raise ControversyError(
            f"stimulus_id {stimulus_id!r} cannot be a file name: use up to 200 letters, digits and _ . + -"
        )
    return f"{IMAGES}/{_sub_folder(stimulus_id, n_stimuli)}{stimulus_id}.png"


def record_name(stimulus_id: str, n_stimuli: int) -> str:
    """Where the record of a finished stimulus lies inside an unfinished set."""
    return f"{PROGRESS}/{_sub_folder(stimulus_id, n_stimuli)}{stimulus_id}.safetensors"


def _sub_folder(stimulus_id: str, n_stimuli: int) -> str:
    """None, or one of 16, 256, ...: by the id's digest, so that it does not matter what else is there."""
    digits = 0
    while n_stimuli > MOST_IN_FOLDER * 16**digits:
        digits += 1
    return hashlib.sha256(stimulus_id.encode()).hexdigest()[:digits] + "/" if digits else ""


def inside(folder: Path, name: str) -> Path:
    """The file ``name`` of a set. A set may come from a stranger: no name may lead out of its folder.

    Raises:
        ControversyError: The name is absolute or climbs out of the folder.
    """
    if Path(name).is_absolute() or ".." in Path(name).parts or "\\" in name:
        raise ControversyError(f"{folder} names a file outside itself: {name!r}. Do not trust this set.")
    return folder / name
