import pytest
import torch
from torch import Tensor, nn

from controversy.classifiers import Classifier, Preprocessing
from controversy.generators import Generator, Latents


class Patches(Generator):
    """Four grey levels in, an image of four 8 x 8 patches out: a world whose optimum is known."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.class_set, self.n_classes, self.image_size, self.free = (
            "patches",
            "digits",
            10,
            16,
            ("z",),
        )

    def sample(self, n, rng, alternatives=None) -> Latents:
        return {"z": torch.rand(n, 4, generator=rng) * 0.5 + 0.25}

    def forward(self, latents: Latents) -> Tensor:
        levels = latents["z"].view(-1, 1, 2, 2)
        return levels.repeat_interleave(8, 2).repeat_interleave(8, 3).expand(-1, 3, -1, -1)

    def constrain(self, latents: Latents) -> Latents:
        return {"z": latents["z"].clamp(0, 1)}

    def deviation(self, latents: Latents) -> dict[str, Tensor]:
        return {"brightness": latents["z"].mean(1)}

    def description(self):
        return {"name": self.name}


class PatchLogits(nn.Module):
    """Sees class ``c`` (of the first ten patch pairings) by how bright its patch is."""

    def __init__(self, seed: int, gain: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(gain * torch.randn(10, 4, generator=torch.Generator().manual_seed(seed)))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.avg_pool2d(x, 8).flatten(1) @ self.weight.T


def patch_model(name: str, seed: int, gain: float = 30.0) -> Classifier:
    return Classifier(
        PatchLogits(seed, gain),
        name=name,
        n_classes=10,
        class_set="digits",
        preprocessing=Preprocessing(16, channels="grey"),
    )


@pytest.fixture
def patches() -> Patches:
    return Patches()


@pytest.fixture
def pair() -> tuple[Classifier, Classifier]:
    return patch_model("one", 1), patch_model("two", 2)
