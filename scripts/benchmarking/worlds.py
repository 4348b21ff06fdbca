"""Generators and classifiers to measure on: the shipped digits, and ImageNet's sizes with random weights."""

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import timm
import torch
from pytorch_pretrained_biggan import BigGAN, BigGANConfig

import controversy
from controversy.classifiers import Classifier, Preprocessing, load_classifier
from controversy.generators import BigGANGenerator, load_generator, untrained_biggan
from controversy.weights import read_weights

_PACKAGE = Path(controversy.__file__).parent


@dataclass(frozen=True)
class World:
    """The same networks twice: as released, with everything trainable, and as synthesis takes them.

    Attributes:
        name: Of the world.
        generator: Ours.
        models: Ours, the ordered pair.
        released: The generator as the published package makes it.
        trainable: The classifiers with gradients of their parameters on.
        truncation: Of both generators.
        device: Where all of them are.
    """

    name: str
    generator: BigGANGenerator
    models: tuple[Classifier, Classifier]
    released: Any
    trainable: tuple[Classifier, Classifier]
    truncation: float
    device: torch.device


def digits(device: torch.device) -> World:
    """The embedded world."""
    folder = _PACKAGE / "generators" / "digits"
    released = BigGAN(BigGANConfig(**json.loads((folder / "config.json").read_text(encoding="utf-8"))))
    released.load_state_dict(read_weights(folder / "pytorch_model.bin"))
    models = load_classifier("digits_resnet"), load_classifier("digits_vit")
    generator = load_generator("digits")
    assert isinstance(generator, BigGANGenerator)
    return _world("digits", generator, models, released, device)


def imagenet(size: int, names: tuple[str, str], device: torch.device) -> World:
    """A BigGAN-deep of ``size`` pixels and two classifiers of timm, all with random weights."""
    settings = BigGANConfig(**_LAYERS[size]).to_dict()
    # Made twice from one seed: a network under spectral norm cannot be copied.
    released, ours = untrained_biggan(settings, seed=0), untrained_biggan(settings, seed=0)
    generator = BigGANGenerator(ours, name=f"biggan-deep-{size}", class_set="imagenet")
    models = _untrained(names[0]), _untrained(names[1])
    return _world(f"biggan-deep-{size}, {names[0]}, {names[1]}", generator, models, released, device)


def _untrained(name: str) -> Classifier:
    torch.manual_seed(0)
    network = timm.create_model(name, pretrained=False)
    side = network.pretrained_cfg["input_size"][-1]
    mean, std = network.pretrained_cfg["mean"], network.pretrained_cfg["std"]
    return Classifier(
        network,
        name=name,
        n_classes=1000,
        class_set="imagenet",
        preprocessing=Preprocessing(side, mean=tuple(mean), std=tuple(std)),
    )


def _world(
    name: str,
    generator: BigGANGenerator,
    models: tuple[Classifier, Classifier],
    released: Any,
    device: torch.device,
) -> World:
    trainable = copy.deepcopy(models)
    for model in trainable:
        model.requires_grad_(True)
    released.requires_grad_(True)
    return World(
        name,
        generator.to(device),
        (models[0].to(device), models[1].to(device)),
        released.to(device).eval(),
        (trainable[0].to(device), trainable[1].to(device)),
        generator.truncation,
        device,
    )


# (up-sampling, channels in, channels out), in units of channel_width; the published configurations.
_LAYERS: dict[int, dict[str, Any]] = {
    128: {
        "output_dim": 128,
        "layers": [
            (False, 16, 16),
            (True, 16, 16),
            (False, 16, 16),
            (True, 16, 8),
            (False, 8, 8),
            (True, 8, 4),
            (False, 4, 4),
            (True, 4, 2),
            (False, 2, 2),
            (True, 2, 1),
        ],
        "attention_layer_position": 8,
    },
    256: {
        "output_dim": 256,
        "layers": [
            (False, 16, 16),
            (True, 16, 16),
            (False, 16, 16),
            (True, 16, 8),
            (False, 8, 8),
            (True, 8, 8),
            (False, 8, 8),
            (True, 8, 4),
            (False, 4, 4),
            (True, 4, 2),
            (False, 2, 2),
            (True, 2, 1),
        ],
        "attention_layer_position": 8,
    },
}
