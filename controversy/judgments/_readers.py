"""One door for every format of judgments."""

from collections.abc import Mapping
from pathlib import Path

from controversy.errors import ControversyError
from controversy.judgments._files import files_of, read_table, stack
from controversy.judgments._presented import read_jspsych, read_psychopy
from controversy.judgments._published import read_golan2023, read_modelvshuman
from controversy.judgments._table import Reading

FORMATS = ("canonical", "jspsych", "psychopy", "golan2023", "modelvshuman")


def read_canonical(path: Path, columns: Mapping[str, str] | None = None) -> Reading:
    """Reads the canonical table: CSV or Parquet, one file or a folder of them.

    Args:
        path: File or folder.
        columns: Names in the file -> canonical names, where they differ.
    """
    files = files_of(path, (".csv", ".parquet"))
    return Reading(stack(files, lambda file: read_table(file, columns)))


def read_judgments(
    path: Path, format: str = "canonical", columns: Mapping[str, str] | None = None
) -> Reading:
    """Reads judgments of any known format; see the reader of each.

    Raises:
        ControversyError: No such format, or the files are not in it.
    """
    readers = {"canonical": read_canonical, "jspsych": read_jspsych, "psychopy": read_psychopy}
    published = {"golan2023": read_golan2023, "modelvshuman": read_modelvshuman}
    if format in readers:
        return readers[format](path, columns)
    if format in published:
        if columns:
            raise ControversyError(f"format={format} has fixed columns. Leave out columns=...")
        return published[format](path)
    raise ControversyError(f"no format {format!r} of judgments. Choose from {', '.join(FORMATS)}.")
