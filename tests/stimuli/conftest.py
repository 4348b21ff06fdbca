"""A world small enough to compute by hand: classifiers that read their logits off the image's pixels."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor, nn

from controversy.classifiers import Classifier, Preprocessing
from controversy.files import sha256
from controversy.stimuli import SetWriter, StimulusSet

N_CLASSES, SIDE, GAIN = 4, 8, 20.0
ROW_OF = {"alpha": 0, "beta": 1, "gamma": 2, "delta": 3}


class PixelReadout(nn.Module):
    """logit of class k = GAIN * the red value of pixel k in one row of the image."""

    def __init__(self, row: int, gain: float) -> None:
        super().__init__()
        self.row, self.gain = row, nn.Parameter(torch.tensor(gain))

    def forward(self, images: Tensor) -> Tensor:
        return self.gain * images[:, 0, self.row, :N_CLASSES]


def pixel_classifier(name: str, gain: float = GAIN) -> Classifier:
    return Classifier(
        PixelReadout(ROW_OF[name], gain),
        name=name,
        n_classes=N_CLASSES,
        class_set="pixels",
        preprocessing=Preprocessing(SIDE),
        weights_sha256=hashlib.sha256(f"{name} {gain}".encode()).hexdigest(),
    )


def random_image(seed: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 256, (3, SIDE, SIDE), dtype=np.uint8))


@pytest.fixture
def classifier() -> Callable[..., Classifier]:
    """A fake classifier by name: alpha, beta, gamma or delta; another gain is another model."""
    return pixel_classifier


@pytest.fixture
def classifiers() -> dict[str, Classifier]:
    return {name: pixel_classifier(name) for name in ("alpha", "beta")}


@pytest.fixture
def digests() -> Callable[..., dict[str, str]]:
    """The sha256 of every file in a folder by relative path, some names left out."""

    def digest(folder: Path, *, but: tuple[str, ...] = ("manifest.json",)) -> dict[str, str]:
        files = (path for path in folder.rglob("*") if path.is_file() and path.name not in but)
        return {path.relative_to(folder).as_posix(): sha256(path) for path in files}

    return digest


@pytest.fixture
def classes() -> pd.DataFrame:
    # Names as they come: a number, a bird and a machine of one name, a word pandas takes for a missing value.
    return pd.DataFrame(
        {
            "index": range(N_CLASSES),
            "wnid": ["n00000000", "n02012849", "n03126707", "n00000003"],
            "name": ["7", "crane", "crane", "NA"],
        }
    )


@pytest.fixture
def add_stimuli() -> Callable[..., list[str]]:
    """Adds one stimulus an ordered class pair (12), all images from ``seed``; gives the order of ids."""

    def add(
        writer: SetWriter, pair: tuple[str, str] = ("alpha", "beta"), seed: int = 0, only: int | None = None
    ) -> list[str]:
        order = []
        for class_1 in range(N_CLASSES):
            for class_2 in (c for c in range(N_CLASSES) if c != class_1):
                stimulus_id = f"{class_1}-{class_2}-seed{seed}"
                order.append(stimulus_id)
                if stimulus_id in writer.done or (only is not None and len(order) > only):
                    continue
                own = 1000 * seed + 10 * class_1 + class_2
                writer.add(
                    stimulus_id,
                    random_image(own),
                    {"z": torch.full((5,), float(own)), "class_vector": torch.eye(N_CLASSES)[class_1]},
                    {
                        "stimulus_id": stimulus_id,
                        "model_1": pair[0],
                        "model_2": pair[1],
                        "class_1": class_1,
                        "class_2": class_2,
                        "seed": own,
                        "n_steps": 150,
                        "z_norm": own / 3,
                        "note": "007",
                    },
                )
        return order

    return add


@pytest.fixture
def make_set(
    tmp_path: Path, classes: pd.DataFrame, add_stimuli: Callable[..., list[str]]
) -> Callable[..., StimulusSet]:
    """A finished set of 12 stimuli."""

    def make(
        name: str = "set",
        pair: tuple[str, str] = ("alpha", "beta"),
        seed: int = 0,
        models: tuple[str, ...] | None = None,
        **record: object,
    ) -> StimulusSet:
        writer = SetWriter(tmp_path / name, {"pair": list(pair), "seed": seed})
        order = add_stimuli(writer, pair, seed)
        given = {model: pixel_classifier(model) for model in models or pair}
        return writer.finish(
            order, given, classes, {"generator": {"name": "random pixels"}, "seeds": [seed], **record}
        )

    return make


@pytest.fixture
def row() -> Callable[..., dict[str, object]]:
    """The row of stimulus "a", with changes."""

    def make(**changes: object) -> dict[str, object]:
        given = {
            "stimulus_id": "a",
            "model_1": "alpha",
            "model_2": "beta",
            "class_1": 0,
            "class_2": 1,
            "seed": 3,
            "n_steps": 7,
        }
        return {**given, **changes}

    return make


@pytest.fixture
def image() -> Callable[..., Tensor]:
    """The pixels from which the two fake classifiers read their logits: 20/255 a grey level."""

    def make(alpha: tuple[int, ...] = (0,) * 4, beta: tuple[int, ...] = (0,) * 4) -> Tensor:
        pixels = torch.zeros(3, SIDE, SIDE, dtype=torch.uint8)
        pixels[:, 0, :4], pixels[:, 1, :4] = torch.tensor(alpha), torch.tensor(beta)
        return pixels

    return make
