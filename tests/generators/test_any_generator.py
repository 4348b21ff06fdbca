"""A user's own generator keeps the contract with one class, and is named by ``_target_``."""

import importlib.util
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from omegaconf import OmegaConf
from torch import nn

from controversy.classifiers import Classifier, Preprocessing
from controversy.commands._models import make
from controversy.generators import Generator
from controversy.synthesis import Settings, explicit_pairs, synthesize
from controversy.weights import load_strictly, read_weights

CLASSES = ["amber", "blue", "brown", "gray", "grayscale", "green", "hazel", "red"]

OWN = """
import torch
from controversy.generators import Generator

class Levels(Generator):
    def __init__(self, size):
        super().__init__()
        self.name, self.class_set, self.n_classes = "levels", "digits", 10
        self.image_size, self.free = size, ("z",)
    def sample(self, n, rng, alternatives=None):
        return {"z": torch.rand(n, 3, generator=rng)}
    def forward(self, latents):
        return latents["z"][:, :, None, None].expand(-1, -1, self.image_size, self.image_size)
    def constrain(self, latents):
        return {"z": latents["z"].clamp(0, 1)}
    def deviation(self, latents):
        return {}
    def description(self):
        return {"name": self.name}
"""


def test_any_generator_is_made_by_its_target(tmp_path, monkeypatch):
    (tmp_path / "my_own_generator.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    generator = make(OmegaConf.create({"_target_": "my_own_generator.Levels", "size": 5}), "generator")
    assert isinstance(generator, Generator)
    assert generator(generator.sample(2, torch.Generator().manual_seed(0))).shape == (2, 3, 5, 5)


class Eyes(Generator):
    """The conditional DCGAN of painted eyes that is published as omniart-eye-generator (MIT), 128 px."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        self.name, self.class_set, self.n_classes = "eyes", "eyes", len(CLASSES)
        self.image_size, self.free = 128, ("z", "class_vector")
        # The package's layers; importing it would load its weights onto whatever device there is.
        layers: list[nn.Module] = []
        widths = [108, 1024, 512, 256, 128, 64]
        for k, (before, after) in enumerate(pairwise(widths)):
            stride, padding = (1, 0) if k == 0 else (2, 1)
            layers += [
                nn.ConvTranspose2d(before, after, 4, stride, padding, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
            ]
            layers += [nn.Dropout(0.2)] if k == 0 else []
        layers += [nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh()]
        self.main = nn.Sequential(*layers)
        load_strictly(self, read_weights(weights), weights)
        self.requires_grad_(False).train(False)

    def sample(self, n, rng, alternatives=None):
        z = torch.randn(n, 100, generator=rng)
        weight = torch.rand(n, 1, generator=rng)
        first, second = alternatives or (0, 1)
        pure = [F.one_hot(torch.full((n,), c), self.n_classes).float() for c in (first, second)]
        return {"z": z, "class_vector": torch.lerp(*pure, weight)}

    def forward(self, latents):
        x = torch.cat([latents["z"], latents["class_vector"]], 1)[:, :, None, None]
        return (self.main(x) + 1) / 2

    def constrain(self, latents):
        vector = latents["class_vector"].clamp(min=1e-6)
        return {"z": latents["z"].clamp(-3, 3), "class_vector": vector / vector.sum(1, keepdim=True)}

    def deviation(self, latents):
        return {"z_norm": latents["z"].norm(dim=1) / 10}

    def description(self):
        return {"name": self.name}


class Colours(nn.Module):
    """Sees the class whose colour the mean of a window is most like."""

    PALETTE = torch.tensor(
        [
            *([0.7, 0.5, 0.2], [0.3, 0.4, 0.8], [0.4, 0.25, 0.15], [0.5, 0.5, 0.55]),
            *([0.5, 0.5, 0.5], [0.3, 0.6, 0.3], [0.5, 0.4, 0.2], [0.8, 0.2, 0.2]),
        ]
    )

    def __init__(self, window: slice) -> None:
        super().__init__()
        self.window = window

    def forward(self, images):
        seen = images[:, :, self.window, self.window].mean((2, 3))
        return -300 * (seen[:, None] - self.PALETTE).square().sum(2)


@pytest.fixture(scope="module")
def eyes() -> Eyes:
    package = importlib.util.find_spec("omniart_eye_generator")
    if package is None:
        pytest.skip("needs the file of the package omniart-eye-generator: pip install it, or `.[dev]`")
    return Eyes(Path(package.origin).parent / "generator_model_state.pth")


@torch.no_grad()
def test_a_real_gan_of_natural_images_shows_the_class_that_it_is_given(eyes):
    rng = torch.Generator().manual_seed(0)
    mean = {}
    for k, name in enumerate(CLASSES):
        vector = F.one_hot(torch.full((24,), k), len(CLASSES)).float()
        images = eyes({"z": torch.randn(24, 100, generator=rng), "class_vector": vector})
        assert 0 <= images.min() <= images.max() <= 1
        mean[name] = images.mean((0, 2, 3))
        if name == "grayscale":
            assert (images.amax(1) - images.amin(1)).mean() < 0.1
    assert mean["blue"][2] - mean["blue"][0] > mean["brown"][2] - mean["brown"][0] + 0.05
    assert mean["red"][0] - mean["red"][1] > mean["green"][0] - mean["green"][1] + 0.05


def test_synthesis_sets_two_models_against_each_other_on_it(eyes):
    centre, rim = (
        Classifier(
            Colours(window), name=name, n_classes=8, class_set="eyes", preprocessing=Preprocessing(128)
        )
        for name, window in (("centre", slice(48, 80)), ("rim", slice(0, 24)))
    )
    settings = Settings(n_candidates=4, n_steps=25, n_attempts=1, batch_size=2, learning_rate=0.1)
    made = list(synthesize(eyes, centre, rim, explicit_pairs([(2, 6), (2, 0)]), settings=settings))
    start = list(
        synthesize(
            eyes,
            centre,
            rim,
            explicit_pairs([(2, 6), (2, 0)]),
            settings=Settings(n_candidates=1, n_steps=1, n_attempts=1, batch_size=2),
        )
    )
    gained = {s.request.stimulus_id: s.controversiality for s in made}
    for stimulus in start:
        assert gained[stimulus.request.stimulus_id] > stimulus.controversiality
    assert all(stimulus.image.shape == (3, 128, 128) for stimulus in made)
