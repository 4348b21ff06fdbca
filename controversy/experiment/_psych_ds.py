"""Judgments as a Psych-DS data set, for sharing."""

import json
import re
from pathlib import Path

import pandas as pd

from controversy.errors import ControversyError
from controversy.files import whole_folder

# Names of data files: keywords of lower-case letters, values of letters and digits.
_VALUE = re.compile(r"[A-Za-z0-9]+")
_VARIABLES = {
    "participant": "Pseudonym of the participant",
    "stimulus_id": "Identifier of the stimulus",
    "choice": "The alternative that was chosen, 1 or 2, numbered as class_1 and class_2 of the stimulus",
    "confidence": "Reported confidence; higher is surer",
    "rt": "Response time in seconds from the onset of the image",
    "trial": "Place of the trial in the participant's list, from 1",
    "session": "Number of the session",
    "kind": "main, catch (a clear image), or repeat (of a stimulus shown before)",
    "correct": "The right alternative of a catch trial",
    "response": "The side that was chosen, left or right",
    "left_alternative": "The alternative that stood on the left",
    "list": "Number of the list of trials",
    "input": "Whether a key or a button was used",
    "onset_ms": "Measured onset of the image, in milliseconds since the page was opened",
    "shown_ms": "Measured duration of the image in milliseconds",
    "model_1": "The model that was to see class_1",
    "model_2": "The model that was to see class_2",
    "class_1_name": "The first alternative",
    "class_2_name": "The second alternative",
    "controversiality": "Smallest of the four probabilities that make the stimulus controversial, 0 to 1",
}
_STIMULI = ["stimulus_id", "model_1", "model_2", "class_1_name", "class_2_name", "controversiality"]


def export_psych_ds(
    judgments: pd.DataFrame, stimuli: pd.DataFrame, out: Path, *, name: str, description: str, study: str
) -> list[str]:
    """Writes a folder that follows Psych-DS (rules and conventions of psychds-docs, 2024).

    Args:
        judgments: Canonical judgments, of pseudonyms.
        stimuli: The metadata of the stimulus set.
        out: A new folder; it appears whole or not at all.
        name: Of the data set.
        description: What it is, in a sentence or more.
        study: Short name of the study in names of files: letters and digits.

    Returns:
        Names of the data files.

    Raises:
        ControversyError: ``study`` has other characters, or the name or description is empty.
    """
    if not _VALUE.fullmatch(study):
        raise ControversyError(f"psych_ds.study is {study!r}, but may have letters and digits only.")
    if not name.strip() or not description.strip():
        raise ControversyError("psych_ds.name and psych_ds.description have to say what the data are.")
    tables = {"judgments": judgments, "stimuli": stimuli[_STIMULI]}
    columns = list(dict.fromkeys(str(column) for table in tables.values() for column in table))
    content = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": name,
        "description": description,
        "variableMeasured": [
            {"@type": "PropertyValue", "name": column, "description": _VARIABLES.get(column, column)}
            for column in columns
        ],
    }
    names = []
    with whole_folder(out) as folder:
        (folder / "data").mkdir()
        for part, table in tables.items():
            names.append(f"data/study-{study}_description-{part}_data.csv")
            (folder / names[-1]).write_text(table.to_csv(index=False, lineterminator="\n"), encoding="utf-8")
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (folder / "dataset_description.json").write_text(text, encoding="utf-8")
        (folder / "README.md").write_text(_readme(name, description, names), encoding="utf-8")
    return names


def _readme(name: str, description: str, files: list[str]) -> str:
    listing = "\n".join(f"- `{file}`" for file in files)
    columns = "What each column is: `dataset_description.json` (Psych-DS)."
    return f"# {name}\n\n{description}\n\n{listing}\n\n{columns}\n"
