"""The tensor path agrees with each protocol's documented Pillow pipeline on photographs."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
import torchvision
from PIL import Image
from torchvision import transforms
from torchvision.transforms import InterpolationMode

from controversy.classifiers import Preprocessing
from controversy.classifiers._robustbench import PROTOCOLS
from controversy.classifiers._timm import protocol as of_timm
from controversy.classifiers._torchvision import protocol as of_torchvision
from controversy.errors import ControversyError

# Pillow rounds to 8 bits after each of its two passes, ours never: half a level, spread by the second pass,
# and half a level again stay within two. On average it is less than the half level of one rounding.
LEVELS = 2 / 255


@pytest.fixture(scope="module", params=["astronaut.png", "coffee.png", "chelsea.png"])
def photograph(request):
    folder = Path(find_spec("skimage").submodule_search_locations[0]) / "data"
    return Image.open(folder / request.param).convert("RGB")


def tensor(image):
    return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)[None].float() / 255


def difference(preprocessing, pipeline, image):
    return (preprocessing(tensor(image)) - pipeline(image)[None]).abs()


# What RobustBench's data.py documents under each name.
ROBUSTBENCH = {
    "Res256Crop224": [transforms.Resize(256), transforms.CenterCrop(224)],
    "BicubicRes256Crop224": [transforms.Resize(256, InterpolationMode.BICUBIC), transforms.CenterCrop(224)],
    "Res224": [transforms.Resize([224, 224])],
    "Crop288": [transforms.CenterCrop(288)],
    "timm": [transforms.Resize(224, InterpolationMode.BICUBIC), transforms.CenterCrop(224)],
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_of_robustbench_is_its_pillow_pipeline(name, photograph):
    pipeline = transforms.Compose([*ROBUSTBENCH[name], transforms.ToTensor()])
    off = difference(Preprocessing(**PROTOCOLS[name], fit="crop"), pipeline, photograph)
    assert off.max() < LEVELS
    assert off.mean() < 0.5 / 255


@pytest.mark.parametrize("name", ["resnet18.a1_in1k", "mixnet_s.ft_in1k", "vit_base_patch16_224.augreg_in1k"])
def test_a_protocol_of_timm_is_the_pipeline_that_timm_makes_of_its_configuration(name, photograph):
    import timm

    facts = timm.models.get_pretrained_cfg(name)
    pipeline = timm.data.create_transform(
        facts.input_size,
        interpolation=facts.interpolation,
        mean=facts.mean,
        std=facts.std,
        crop_pct=facts.crop_pct,
    )
    off = difference(Preprocessing(**of_timm(facts), fit="crop"), pipeline, photograph)
    assert off.max() < LEVELS / min(facts.std)
    assert off.mean() < 0.5 / 255 / min(facts.std)


@pytest.mark.parametrize(
    "weights", ["ResNet18_Weights.IMAGENET1K_V1", "EfficientNet_B0_Weights.IMAGENET1K_V1"]
)
def test_a_protocol_of_torchvision_is_the_transform_of_its_weights(weights, photograph):
    own = torchvision.models.get_weight(weights).transforms()
    off = difference(Preprocessing(**of_torchvision(own), fit="crop"), own, photograph)
    assert off.max() < LEVELS / min(own.std)
    assert off.mean() < 0.5 / 255 / min(own.std)


@pytest.mark.parametrize(("side", "size"), [(128, 224), (256, 224), (512, 288), (512, 224)])
def test_all_of_a_generated_square_image_reaches_the_network(side, size):
    """Each pixel, the corners too, has a say in the input, and a flat image stays flat."""
    images = torch.full((1, 3, side, side), 0.25, requires_grad=True)
    made = Preprocessing(size, resize=256 if size == 224 else None)(images)
    assert made.shape == (1, 3, size, size)
    assert torch.allclose(made, torch.full_like(made, 0.25), atol=1e-6)
    made.square().sum().backward()
    assert (images.grad > 0).all()


def test_the_protocol_hides_the_margin_of_an_image():
    images = torch.rand(1, 3, 256, 256, requires_grad=True)
    Preprocessing(224, resize=256, fit="crop")(images).sum().backward()
    assert images.grad[..., 16:240, 16:240].min() == 1
    assert images.grad.sum() == 3 * 224 * 224


def test_what_is_done_is_recorded():
    described = Preprocessing(224, resize=256, interpolation="bicubic", fit="crop").description()
    assert {
        "size": 224,
        "resize": 256,
        "interpolation": "bicubic",
        "fit": "crop",
    }.items() <= described.items()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"interpolation": "nearest"}, "nearest"),
        ({"fit": "stretch"}, "stretch"),
        ({"resize": 200}, "less than the 224"),
        ({"std": (0.0,)}, "positive"),
    ],
)
def test_options_outside_their_values_are_refused(options, said):
    with pytest.raises(ControversyError, match=said):
        Preprocessing(224, **options)


def test_an_image_too_small_to_cut_is_refused():
    with pytest.raises(ControversyError, match="cannot cut 288"):
        Preprocessing(288, fit="crop")(torch.rand(1, 3, 256, 256))
