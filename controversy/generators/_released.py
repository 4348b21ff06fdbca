"""The BigGAN-deeps of ImageNet at 128, 256 and 512 pixels, as `pytorch_pretrained_biggan` publishes them."""

import json
from pathlib import Path
from typing import Any

from controversy.classes import IMAGENET
from controversy.errors import ControversyError
from controversy.generators._biggan import BigGANGenerator, load_biggan
from controversy.weights import Download, fetch, first_present, weights_root

RELEASED = {"biggan-deep-128": 128, "biggan-deep-256": 256, "biggan-deep-512": 512}
"""Names, and the side of the images in pixels."""

N_CLASSES = 1000


def released_folder(name: str) -> Path:
    """Where a released generator is looked for unless another folder is given."""
    return weights_root() / name


def released_files(name: str) -> tuple[Path, ...]:
    """Its files, whether they are there or not."""
    folder = released_folder(name)
    return folder / "config.json", first_present(folder / "pytorch_model.bin", folder / "model.safetensors")


def released_downloads(name: str, folder: Path | None = None) -> tuple[Download, ...]:
    """Where its files are published. The publisher gives neither sizes nor digests."""
    from pytorch_pretrained_biggan.model import PRETRAINED_CONFIG_ARCHIVE_MAP, PRETRAINED_MODEL_ARCHIVE_MAP

    folder = folder or released_folder(name)
    return (
        Download(PRETRAINED_CONFIG_ARCHIVE_MAP[name], folder / "config.json"),
        Download(PRETRAINED_MODEL_ARCHIVE_MAP[name], folder / "pytorch_model.bin"),
    )


def load_released(
    name: str, *, folder: Path | str | None = None, download: bool = False, **options: Any
) -> BigGANGenerator:
    """Loads a released BigGAN-deep of ImageNet.

    Args:
        name: One of `RELEASED`.
        folder: Holds ``config.json`` and ``pytorch_model.bin`` (or ``model.safetensors``); by default the
            folder of its name under the folder of weights.
        download: Fetch files that are missing.
        **options: Of `BigGANGenerator`.

    Raises:
        ControversyError: Files are missing, or are those of another generator, or as `load_biggan`.
    """
    place = released_folder(name) if folder is None else Path(folder)
    if download and not (place / "model.safetensors").is_file():
        for one in released_downloads(name, place):
            fetch(one)
    if not place.is_dir():
        by_hand = " ".join(one.by_hand() + "." for one in released_downloads(name, place))
        raise ControversyError(
            f"the weights of {name} are not there: there is no folder {place}. `controversy models "
            f"fetch {name}` downloads them, and so does generator.download=true. {by_hand}"
        )
    _check_configuration(name, place / "config.json")
    return load_biggan(place, name=name, class_set=IMAGENET, **options)


def _check_configuration(name: str, path: Path) -> None:
    """Refuses the configuration of another size or of other classes, which would load without complaint."""
    if not path.is_file():
        return  # `load_biggan` says what is wrong
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return
    expected = {"output_dim": RELEASED[name], "num_classes": N_CLASSES}
    for key, value in expected.items():
        if isinstance(found, dict) and found.get(key) != value:
            raise ControversyError(
                f"{path} says {key} {found.get(key)}, but {name} has {value}. "
                "Is it another generator's folder?"
            )
