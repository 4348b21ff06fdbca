"""Everything of a set but its images, written in the order that makes the manifest honest."""

import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from controversy.errors import ControversyError
from controversy.files import sha256, write_text
from controversy.stimuli._contact_sheet import write_contact_sheet
from controversy.stimuli._layout import (
    CLASSES,
    CONTACT_SHEET,
    FORMAT_VERSION,
    IDENTITY,
    IMAGES,
    KIND,
    LATENTS,
    LOGITS,
    METADATA,
    PAGE,
    PROGRESS,
)
from controversy.stimuli._manifest import package_versions, write_manifest
from controversy.stimuli._page import write_page
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._tables import column_types, write_table


def complete_set(
    folder: Path,
    *,
    configuration: Mapping[str, Any],
    metadata: pd.DataFrame,
    classes: pd.DataFrame,
    models: Mapping[str, Any],
    image_size: tuple[int, int],
    success_threshold: float,
    record: Mapping[str, Any],
) -> StimulusSet:
    """Completes a folder whose images, logits and (if it keeps any) latents are in place.

    ``manifest.json`` comes last.

    Only the manifest tells when and with which packages the set was made: the other files have the
    same bytes whenever the stimuli are the same.
    """
    write_table(folder / METADATA, metadata)
    write_table(folder / CLASSES, classes)
    files = [METADATA, CLASSES, LOGITS, CONTACT_SHEET, PAGE]
    if (folder / LATENTS).exists():
        files.append(LATENTS)
    write_contact_sheet(folder, metadata, classes, success_threshold)
    write_page(folder, metadata, classes, success_threshold)
    digests = {name: sha256(folder / name) for name in sorted(files)}
    write_manifest(
        folder,
        {
            "format_version": FORMAT_VERSION,
            "kind": KIND,
            "n_stimuli": len(metadata),
            "configuration": configuration,
            **record,
            "models": models,
            "success_threshold": success_threshold,
            "image_size": list(image_size),
            "columns": column_types(metadata),
            "packages": package_versions(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": digests | dict(zip(metadata["file_name"], metadata["sha256"], strict=True)),
        },
    )
    shutil.rmtree(folder / PROGRESS, ignore_errors=True)
    return StimulusSet(folder)


def begin_set(folder: Path, configuration: Mapping[str, Any]) -> None:
    """Makes the folder of an unfinished set, or takes up one that a killed run left.

    Raises:
        ControversyError: The folder cannot be made or written.
    """
    try:
        (folder / PROGRESS).mkdir(parents=True, exist_ok=True)
        write_text(folder / IDENTITY, json.dumps(configuration, indent=2))
        (folder / IMAGES).mkdir(exist_ok=True)
    except OSError as problem:
        raise ControversyError(f"cannot make a set in {folder}: {problem}") from problem
    remove_leftovers(folder)


def remove_leftovers(folder: Path) -> None:
    """Removes temporary files of `controversy.files.whole_file` whose process was killed."""
    for leftovers in (folder.glob(".*.tmp"), (folder / IMAGES).rglob(".*.tmp")):
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
