"""Many sets, as a sweep leaves them, into one of the same format."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from controversy.errors import ControversyError
from controversy.files import sha256, whole_file
from controversy.stimuli._assembly import begin_set, complete_set
from controversy.stimuli._configuration import check_same_configuration
from controversy.stimuli._layout import COLUMNS, LATENTS, LOGITS, MANIFEST, image_name
from controversy.stimuli._logits import BATCH_SIZE, Progress, score_images
from controversy.stimuli._rows import chunks, row_file
from controversy.stimuli._selection import select_per_pair
from controversy.stimuli._set import StimulusSet
from controversy.stimuli._sources import check_fit, find_sets
from controversy.stimuli._tensors import array_kinds, read_array
from controversy.stimuli._writer import check_classifiers

if TYPE_CHECKING:
    from controversy.classifiers import Classifier


def collect(
    sets: Iterable[str | Path],
    out: str | Path,
    *,
    per_pair: int | None = None,
    success_only: bool = False,
    missing: Literal["refuse", "skip"] = "refuse",
    classifiers: Mapping[str, "Classifier"] | None = None,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> StimulusSet:
    """Puts many sets into one, with the logits of every model for every stimulus.

    The new set is independent: images are copied. Rows keep the order of the sets and of their rows.
    A stimulus_id that several sets use gets its model pair, and if need be its set's number, put before
    it; the columns ``source`` (the set's number, from 0) and ``source_stimulus_id`` say where it is from.

    Args:
        sets: Folders of sets, or glob patterns of them.
        out: The folder of the new set.
        per_pair: Keep only so many of each model pair, the most controversial, class pairs balanced
            (see `select_per_pair`).
        success_only: Keep only successes; before ``per_pair`` is applied.
        missing: "refuse" if a set is missing or unfinished, or "skip" it; the new manifest lists those
            under ``skipped``.
        classifiers: Models to compute logits with where a set lacks them, by name.
        batch_size: Images scored at a time.
        progress: Called after each batch.

    Returns:
        The new set; the old one where ``out`` holds this very collection already.

    Raises:
        ControversyError: A set is missing; sets do not fit together; a model's logits are missing in
            some sets (the message names the commands that add them); too few stimuli for
            ``per_pair``; ``out`` holds another configuration.
    """
    out = Path(out)
    sources, skipped = find_sets(sets, missing)
    check_fit(sources)
    identity = _identity(sources, per_pair, success_only)
    check_same_configuration(out, identity)
    if (out / MANIFEST).exists():
        return StimulusSet(out)
    descriptions = _descriptions(sources)
    fill = {name: model for name, model in (classifiers or {}).items() if name in descriptions}
    check_classifiers(fill, sources[0].classes)
    _check_models(sources, descriptions, fill)
    metadata = _selected(_joined(sources), per_pair, success_only)
    begin_set(out, identity)
    _join_logits(
        out / LOGITS, sources, metadata, descriptions, fill, batch_size=batch_size, progress=progress
    )
    _copy_images(sources, metadata, out)
    generators = [one.manifest.get("generator") for one in sources]
    _join_latents(out / LATENTS, sources, metadata, generators)
    return complete_set(
        out,
        configuration=identity,
        metadata=metadata,
        classes=sources[0].classes,
        models=descriptions,
        image_size=tuple(sources[0].manifest["image_size"]),
        success_threshold=sources[0].manifest["success_threshold"],
        record={
            "generator": generators[0] if all(g == generators[0] for g in generators) else None,
            "sources": [_source(one) for one in sources],
            "skipped": skipped,
        },
    )


def _identity(sources: Sequence[StimulusSet], per_pair: int | None, success_only: bool) -> dict[str, Any]:
    return {
        "collect": {
            "sets": [
                {"name": one.folder.resolve().name, "manifest": sha256(one.folder / MANIFEST)}
                for one in sources
            ],
            "per_pair": per_pair,
            "success_only": success_only,
        }
    }


def _source(stimuli: StimulusSet) -> dict[str, Any]:
    left_out = ("format_version", "kind", "models", "columns", "files")
    kept = {key: value for key, value in stimuli.manifest.items() if key not in left_out}
    return {"name": stimuli.folder.resolve().name} | kept


def _descriptions(sources: Sequence[StimulusSet]) -> dict[str, Any]:
    descriptions: dict[str, Any] = {}
    for one in sources:
        for name, text in one.manifest["models"].items():
            descriptions.setdefault(name, text)
    return descriptions


def _check_models(
    sources: Sequence[StimulusSet], descriptions: Mapping[str, Any], given: Mapping[str, "Classifier"]
) -> None:
    lines = []
    for one in sources:
        absent = [name for name in descriptions if name not in one.models and name not in given]
        if absent:
            lines.append(f"controversy evaluate set={one.folder} models=[{','.join(absent)}]")
    if lines:
        raise ControversyError(
            f"{len(lines)} of {len(sources)} sets lack logits of models that others have. Add them:\n  "
            + "\n  ".join(lines)
            + "\nor let collect compute them with evaluate_missing=true."
        )
    for name, classifier in given.items():
        recorded, local = (
            descriptions[name].get("weights_sha256"),
            classifier.description().get("weights_sha256"),
        )
        if recorded != local:
            raise ControversyError(
                f"the sets hold logits of {name} with other weights than the model here has "
                f"(sha256 {recorded} and {local}): its logits cannot be completed"
            )


def _joined(sources: Sequence[StimulusSet]) -> pd.DataFrame:
    """All rows: those of the sets, with a unique stimulus_id, and where each is from."""
    tables = [
        one.metadata.assign(
            source=number, source_row=np.arange(len(one)), source_stimulus_id=one.metadata["stimulus_id"]
        )
        for number, one in enumerate(sources)
    ]
    columns = list(dict.fromkeys(str(name) for table in tables for name in table))
    tables = [_filled(table, columns, tables) for table in tables]
    joined = pd.concat(tables, ignore_index=True)
    joined["stimulus_id"] = _unique_ids(joined)
    return joined[[*COLUMNS, *(name for name in columns if name not in COLUMNS)]]


def _filled(table: pd.DataFrame, columns: Sequence[str], tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The table with all columns, cells empty where only other sets have one; a number then is a float."""
    for name in columns:
        kinds = {other[name].dtype.kind for other in tables if name in other}
        if all(name in other for other in tables) and len(kinds) == 1:
            continue
        numbers = kinds <= set("iuf")
        if name not in table:
            table = table.assign(**{name: np.nan if numbers else ""})
        else:
            table = table.assign(**{name: table[name].astype(float if numbers else str)})
    return table


def _unique_ids(joined: pd.DataFrame) -> pd.Series:
    plain = joined["source_stimulus_id"]
    by_pair = joined["model_1"] + "-" + joined["model_2"] + "-" + plain
    by_set = "set" + joined["source"].astype(str) + "-" + by_pair
    return next(ids for ids in (plain, by_pair, by_set) if ids.is_unique)


def _selected(joined: pd.DataFrame, per_pair: int | None, success_only: bool) -> pd.DataFrame:
    if success_only:
        joined = joined[joined["success"]]
        if joined.empty:
            raise ControversyError("success_only=true, but no stimulus is a success: nothing to collect")
    if per_pair is not None:
        joined = joined.loc[select_per_pair(joined, per_pair)]
    names = [image_name(stimulus_id, len(joined)) for stimulus_id in joined["stimulus_id"]]
    return joined.assign(file_name=names).reset_index(drop=True)


def _join_logits(
    path: Path,
    sources: Sequence[StimulusSet],
    metadata: pd.DataFrame,
    models: Iterable[str],
    classifiers: Mapping[str, "Classifier"],
    *,
    batch_size: int,
    progress: Progress | None,
) -> None:
    kinds = {name: (np.dtype(np.float32), (len(sources[0].classes),)) for name in models}
    with row_file(path, kinds, len(metadata)) as joined:
        for one, first_row, rows in _parts(sources, metadata):
            for name in (name for name in kinds if name in one.models):
                logits = one.logits(name)
                for part in chunks(len(rows)):
                    joined.write(name, first_row + part.start, logits[rows[part]])
            absent = {name: classifiers[name] for name in kinds if name not in one.models}
            batches = score_images(one.image_paths(rows), absent, batch_size=batch_size, progress=progress)
            for part, values in batches:
                for name in absent:
                    joined.write(name, first_row + part.start, values[name])


def _join_latents(
    path: Path, sources: Sequence[StimulusSet], metadata: pd.DataFrame, generators: Sequence[Any]
) -> None:
    """Joins them where one generator made all: latents mean nothing to another."""
    path.unlink(missing_ok=True)
    if any(generator != generators[0] for generator in generators):
        return
    if any(LATENTS not in one.manifest["files"] for one in sources):
        return
    of = [array_kinds(one.folder / LATENTS) for one in sources]
    if any(kinds != of[0] for kinds in of):
        return
    with row_file(path, of[0], len(metadata)) as joined:
        for one, first_row, rows in _parts(sources, metadata):
            for name in of[0]:
                latents = read_array(one.folder / LATENTS, name)
                for part in chunks(len(rows)):
                    joined.write(name, first_row + part.start, latents[rows[part]])


def _parts(
    sources: Sequence[StimulusSet], metadata: pd.DataFrame
) -> Iterator[tuple[StimulusSet, int, np.ndarray]]:
    """Each set, the first of its rows in the new one (they stand together), and their rows in the set."""
    counts = np.bincount(metadata["source"], minlength=len(sources))
    ends = np.cumsum(counts)
    rows = metadata["source_row"].to_numpy()
    for one, count, end in zip(sources, counts, ends, strict=True):
        yield one, int(end - count), rows[end - count : end]


def _copy_images(sources: Sequence[StimulusSet], metadata: pd.DataFrame, out: Path) -> None:
    for one, first_row, rows in _parts(sources, metadata):
        mine = metadata.iloc[first_row : first_row + len(rows)]
        copies = zip(one.image_paths(rows), mine["file_name"], mine["sha256"], strict=True)
        for original, name, digest in copies:
            try:
                content = original.read_bytes()
                (out / name).parent.mkdir(exist_ok=True)
                with whole_file(out / name, durable=False) as temporary:
                    temporary.write_bytes(content)
            except OSError as problem:
                raise ControversyError(f"cannot copy {original}: {problem}") from problem
            if hashlib.sha256(content).hexdigest() != digest:
                raise ControversyError(
                    f"{original} is not the image that its set's metadata.csv records. "
                    f"Run controversy verify set={one.folder}"
                )
    os.sync()  # all at once, before there is a manifest: a wait for each takes minutes for many
