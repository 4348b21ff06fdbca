"""``manifest.json``: what the set is, written last, so that a folder which has one is complete."""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from controversy import __version__
from controversy.errors import ControversyError
from controversy.files import write_text
from controversy.stimuli._layout import FORMAT_VERSION, KIND, LOGITS, MANIFEST, METADATA, PROGRESS

_PACKAGES = (
    "torch",
    "torchvision",
    "timm",
    "pytorch-pretrained-biggan",
    "robustbench",
    "numpy",
    "pandas",
    "pillow",
    "safetensors",
)
SEAL = "manifest_sha256"
_REQUIRED = {
    "n_stimuli": int,
    "configuration": dict,
    "models": dict,
    "success_threshold": float,
    "columns": dict,
    "image_size": list,
    "files": dict,
}


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that a set's numbers depend on."""
    versions = {"controversy": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes ``manifest.json`` with a digest of itself, whole or not at all."""
    sealed = {**manifest, SEAL: manifest_digest(manifest)}
    write_text(folder / MANIFEST, json.dumps(sealed, indent=2, ensure_ascii=False) + "\n")


def manifest_digest(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of all that a manifest says but this digest itself, however it is laid out.

    It finds what was changed by accident. Whoever changes a manifest on purpose can change it too.
    """
    content = {key: value for key, value in manifest.items() if key != SEAL}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_json(path: Path) -> dict[str, Any]:
    """Reads one JSON object.

    Raises:
        ControversyError: The file cannot be read or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ControversyError(
            f"cannot read {path}: {problem}. Restore it or make the set again."
        ) from problem
    if not isinstance(content, dict):
        raise ControversyError(f"{path} holds no JSON object. Restore it or make the set again.")
    return content


def read_manifest(folder: Path) -> dict[str, Any]:
    """Reads the manifest of a finished set.

    Raises:
        ControversyError: There is no folder, it is no stimulus set, an unfinished one, one of
            another format version, or the manifest is damaged.
    """
    path = folder / MANIFEST
    if not folder.exists():
        raise ControversyError(f"no stimulus set at {folder}: there is no such folder")
    if not folder.is_dir():
        raise ControversyError(
            f"{folder} is a file; a stimulus set is a folder (the one that holds {MANIFEST})"
        )
    if not path.exists():
        if (folder / PROGRESS).is_dir():
            raise ControversyError(
                f"the stimulus set {folder} is unfinished. Run the command that began it again, with the "
                "same out=: it keeps what is there and makes the rest."
            )
        raise ControversyError(f"{folder} is not a stimulus set: it holds no {MANIFEST}")
    manifest = read_json(path)
    if manifest.get("kind") != KIND:
        raise ControversyError(f"{folder} is not a stimulus set: {path} is of kind {manifest.get('kind')!r}")
    version = manifest.get("format_version")
    if version != FORMAT_VERSION:
        raise ControversyError(
            f"{folder} is a stimulus set of format version {version!r}; controversy {__version__} reads "
            f"version {FORMAT_VERSION}. Install the version of controversy that made it "
            f"({manifest.get('packages', {}).get('controversy', 'not recorded')}) or a newer one."
        )
    _check_fields(path, manifest)
    return manifest


def _check_fields(path: Path, manifest: Mapping[str, Any]) -> None:
    for field, kind in _REQUIRED.items():
        if not isinstance(manifest.get(field), kind):
            raise ControversyError(
                f"{path} is damaged: {field!r} should be {kind.__name__}, is {manifest.get(field)!r}. "
                "Restore it or make the set again."
            )
    if not all(isinstance(digest, str) for digest in manifest["files"].values()):
        raise ControversyError(f"{path} is damaged: a digest is no text. Restore it or make the set again.")
    if not all(isinstance(description, dict) for description in manifest["models"].values()):
        raise ControversyError(
            f"{path} is damaged: a model has no description. Restore it or make the set again."
        )
    for name in (METADATA, LOGITS):
        if name not in manifest["files"]:
            raise ControversyError(
                f"{path} is damaged: it does not list {name}. Restore it or make the set again."
            )
