"""What models say of corrupted images: one table, made part by part, that a stopped run goes on with."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from controversy.corruptions import Corruption
from controversy.errors import ControversyError
from controversy.files import whole_file, write_text
from controversy.images import from_uint8, write_png
from controversy.vcr._images import ImageSet
from controversy.vcr._sampling import Sampler, image_seeds

Model = Callable[[Tensor], Tensor]
"""Images ``[n, 3, h, w]`` in [0, 1] -> scores ``[n, classes]``, the largest being the prediction."""
ORIGINALS, OBSERVATIONS, CONFIGURATION, PARTS = (
    "originals.csv",
    "observations.csv",
    "evaluation.json",
    "parts",
)


def prediction_column(model: str) -> str:
    """The column with a model's predictions."""
    return f"prediction_{model}"


@dataclass(frozen=True)
class Evaluation:
    """Which images are corrupted how, and who looks at them.

    Attributes:
        images: The originals.
        corruptions: By name.
        models: By name, all on ``device``.
        sampler: Finds the strengths.
        seed: Of everything random.
        device: Where it runs.
        batch_size: Originals corrupted together, and images a model sees at once.
        folder: Where the tables go.
        record: What else makes the numbers (weights, visual change): a resumed run must have the same.
        save_images: Keep the corrupted images as PNGs, to show them to people.
    """

    images: ImageSet
    corruptions: Mapping[str, Corruption]
    models: Mapping[str, Model]
    sampler: Sampler
    seed: int
    device: torch.device
    batch_size: int
    folder: Path
    record: Mapping[str, Any]
    save_images: bool = False

    @property
    def total(self) -> int:
        """Corrupted images in all."""
        return len(self.images) * len(self.corruptions) * self.sampler.per_image

    def run(self, progress: Callable[[int], None] = lambda done: None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Evaluates what is not there yet.

        Originals are scored once a model; corrupted images are made once, shared by all models, and what a
        part holds is what was evaluated: seed, strength and visual change of the 8-bit image.

        Args:
            progress: Told after each part how many corrupted images it added.

        Returns:
            ``originals.csv`` and ``observations.csv``.

        Raises:
            ControversyError: The folder holds another evaluation.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._claim_folder()
        batches = list(self.images.batches(self.batch_size))
        originals = self._once(self.folder / ORIGINALS, partial(self._original_parts, batches))
        tables = []
        (self.folder / PARTS).mkdir(exist_ok=True)
        for name, corruption in self.corruptions.items():
            for number, rows in enumerate(batches):
                path = self.folder / PARTS / f"{name}_{number:05d}.csv"
                tables.append(self._once(path, partial(self._corrupted_part, corruption, rows)))
                progress(len(rows) * self.sampler.per_image)
        observations = pd.concat(tables, ignore_index=True)
        write_table(self.folder / OBSERVATIONS, observations)
        return originals, observations

    def _claim_folder(self) -> None:
        configuration = {
            "images": len(self.images),
            "first_image": self.images.names[0],
            "last_image": self.images.names[-1],
            "models": list(self.models),
            "per_image": self.sampler.per_image,
            "seed": self.seed,
            "batch_size": self.batch_size,
            **self.record,
        }
        path = self.folder / CONFIGURATION
        text = json.dumps(configuration, indent=2) + "\n"
        if not path.exists():
            write_text(path, text)
            return
        earlier, now = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
        different = [key for key in {**earlier, **now} if earlier.get(key) != now.get(key)]
        if different:
            key = different[0]
            raise ControversyError(
                f"{self.folder} holds another evaluation: {key} was {earlier.get(key)!r}, "
                f"now it is {now.get(key)!r}. Give another folder with out=DIR, or the same values."
            )

    @staticmethod
    def _once(path: Path, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        if not path.exists():
            write_table(path, make())
        return pd.read_csv(path, dtype={"image": str})

    def _original_parts(self, batches: list[list[int]]) -> pd.DataFrame:
        parts = (self._labelled(rows).assign(**self._predictions(self.images.load(rows))) for rows in batches)
        return pd.concat(parts, ignore_index=True)

    def _corrupted_part(self, corruption: Corruption, rows: list[int]) -> pd.DataFrame:
        names = [self.images.names[row] for row in rows]
        seeds = image_seeds(self.seed, corruption.name, names)
        images = from_uint8(self.images.load(rows).to(self.device))
        sample = self.sampler(images, corruption, seeds)
        k = self.sampler.per_image
        table = self._labelled(np.repeat(rows, k).tolist()).assign(
            corruption=corruption.name,
            seed=np.repeat(seeds.numpy(), k),
            strength=sample.strength.flatten().numpy(),
            visual_change=sample.visual_change.flatten().numpy(),
            reach=np.repeat(sample.reach.numpy(), k),
            **self._predictions(sample.images.flatten(0, 1)),
        )
        if self.save_images:
            self._save(corruption.name, rows, sample.images)
        return table

    def _labelled(self, rows: list[int]) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "image": [self.images.names[row] for row in rows],
                "label": [self.images.labels[row] for row in rows],
            }
        )

    @torch.no_grad()
    def _predictions(self, images: Tensor) -> dict[str, np.ndarray]:
        """The largest score's index of every model, for uint8 images ``[n, 3, h, w]``."""
        return {
            prediction_column(name): np.concatenate(
                [
                    model(from_uint8(part.to(self.device))).argmax(1).cpu().numpy()
                    for part in images.split(self.batch_size)
                ]
            )
            for name, model in self.models.items()
        }

    def _save(self, corruption: str, rows: list[int], images: Tensor) -> None:
        folder = self.folder / "images" / corruption
        folder.mkdir(parents=True, exist_ok=True)
        for row, versions in zip(rows, images.cpu(), strict=True):
            stem = self.images.names[row].replace("/", "_").rsplit(".", 1)[0]
            for number, version in enumerate(versions):
                write_png(folder / f"{stem}_{number:02d}.png", version)


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Writes a CSV, whole or not at all."""
    with whole_file(path) as temporary:
        table.to_csv(temporary, index=False)
