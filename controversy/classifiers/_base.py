"""The contract of a classifier: an image in, logits out."""

from typing import Any

from torch import Tensor, nn

from controversy.classifiers._preprocessing import Preprocessing
from controversy.errors import ControversyError


class Classifier(nn.Module):
    """Images ``[n, 3, h, w]`` in [0, 1] -> logits ``[n, n_classes]``.

    It owns its preprocessing, so no caller ever normalises; it is always in eval mode and its
    parameters are frozen, while gradients flow to the image.

    Args:
        network: Preprocessed images -> logits.
        name: What users, metadata and logits call it.
        n_classes: Number of logits.
        class_set: What they mean: a name that `controversy.classes.class_table` knows.
        preprocessing: What the network needs done to a [0, 1] image.
        weights_sha256: Digest of the weights file, where there is one.
    """

    def __init__(
        self,
        network: nn.Module,
        *,
        name: str,
        n_classes: int,
        class_set: str,
        preprocessing: Preprocessing,
        weights_sha256: str | None = None,
    ) -> None:
        super().__init__()
        self.name, self.n_classes, self.class_set, self.weights_sha256 = (
            name,
            n_classes,
            class_set,
            weights_sha256,
        )
        self.preprocessing, self.network = preprocessing, network
        self.requires_grad_(False)
        self.train(False)

    def train(self, mode: bool = True) -> "Classifier":
        """Stays in eval mode whatever is asked: nothing may move under synthesis."""
        super().train(False)
        return self

    def forward(self, images: Tensor) -> Tensor:
        """Logits of a batch.

        Raises:
            ControversyError: The batch is not ``[n, 3, h, w]`` of floats.
        """
        if images.dim() != 4 or images.shape[1] != 3 or not images.is_floating_point():
            raise ControversyError(
                f"{self.name} takes float images [n, 3, h, w] in [0, 1], "
                f"got {images.dtype} {list(images.shape)}"
            )
        return self.network(self.preprocessing(images))

    def description(self) -> dict[str, Any]:
        """What a manifest records: enough to know whether another machine holds the same model."""
        return {
            "name": self.name,
            "n_classes": self.n_classes,
            "class_set": self.class_set,
            "n_parameters": sum(p.numel() for p in self.network.parameters()),
            "weights_sha256": self.weights_sha256,
            "preprocessing": self.preprocessing.description(),
        }
