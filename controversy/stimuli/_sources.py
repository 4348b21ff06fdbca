"""Which finished sets a list of folders and patterns stands for, and whether they fit together."""

import glob
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

from controversy.errors import ControversyError
from controversy.jobs import SweepJob, read_status, sweep_of
from controversy.stimuli._set import StimulusSet


def find_sets(
    patterns: Iterable[str | Path], missing: Literal["refuse", "skip"] = "refuse"
) -> tuple[list[StimulusSet], list[str]]:
    """Opens the sets that folders or glob patterns name, each once, in this order (matches sorted).

    Args:
        patterns: Folders, or patterns such as ``outputs/sweep/*``.
        missing: What to do about what is missing, unfinished or no set: refuse all, or skip those.

    Returns:
        The sets, and a line for each one that was skipped.

    Raises:
        ControversyError: Some are missing and ``missing`` is "refuse", or none is left.
    """
    if missing not in ("refuse", "skip"):
        raise ControversyError(f"missing must be refuse or skip, got {missing!r}")
    sets: dict[Path, StimulusSet] = {}
    problems = []
    for pattern in patterns:
        matches = sorted(Path(match) for match in glob.glob(str(pattern)))  # noqa: PTH207  (may be absolute)
        folders = [match for match in matches if match.is_dir()]
        if not folders:
            problems.append(f"nothing at {pattern}")
        for folder in folders:
            try:
                sets.setdefault(folder.resolve(), StimulusSet(folder))
            except ControversyError as problem:
                told = SweepJob(folder).problem() if read_status(folder) else None
                problems.append(told or str(problem))
        problems += _never_begun(str(pattern))
    if problems and missing == "refuse":
        raise ControversyError(
            f"{len(problems)} of the sets cannot be collected:\n  "
            + "\n  ".join(problems)
            + "\nFinish them, or leave "
            "them out with missing=skip."
        )
    if not sets:
        raise ControversyError(
            "there is no set to collect" + "".join(f"\n  {problem}" for problem in problems)
        )
    return list(sets.values()), problems


def _never_begun(pattern: str) -> list[str]:
    """A line for each job of a sweep whose folder would match a pattern, if it were there."""
    path = Path(pattern)
    if not glob.has_magic(path.name):
        return []
    parents = [Path(match) for match in sorted(glob.glob(str(path.parent)))]  # noqa: PTH207
    jobs = [job for parent in parents for job in sweep_of(parent).jobs if not job.folder.is_dir()]
    return [job.problem() or "" for job in jobs if fnmatch(job.folder.name, path.name)]


def check_fit(sets: Sequence[StimulusSet]) -> None:
    """Refuses sets that do not make one.

    Raises:
        ControversyError: Two are the same set, or they differ in classes, image size, success
            threshold, or the weights of a model.
    """
    first = sets[0]
    by_configuration: dict[str, StimulusSet] = {}
    models: dict[str, tuple[StimulusSet, str | None]] = {}
    for one in sets:
        same = by_configuration.setdefault(repr(one.manifest["configuration"]), one)
        if same is not one:
            raise ControversyError(f"{same.folder} and {one.folder} are the same set: leave one out")
        for field in ("image_size", "success_threshold"):
            if one.manifest[field] != first.manifest[field]:
                raise ControversyError(
                    f"{first.folder} and {one.folder} differ in {field}: {first.manifest[field]} and "
                    f"{one.manifest[field]}. Collect them separately."
                )
        if not one.classes.equals(first.classes):
            raise ControversyError(
                f"{first.folder} and {one.folder} differ in their classes. Collect them separately."
            )
        for name, description in one.manifest["models"].items():
            other, digest = models.setdefault(name, (one, description.get("weights_sha256")))
            if digest != description.get("weights_sha256"):
                raise ControversyError(
                    f"{other.folder} and {one.folder} hold logits of {name} with different weights (sha256 "
                    f"{digest} and {description.get('weights_sha256')}). Collect them separately, or make "
                    "one of them again."
                )
