"""What every corruption promises; a new one is a row of `REACH`."""

import pytest
import torch
import torch.nn.functional as F

from controversy.corruptions import DEFAULT_CORRUPTIONS, list_corruptions, load_corruption
from controversy.errors import ControversyError
from controversy.visual_change import VisualChange

# The visual change that the strongest must reach on the test photographs.
REACH = {
    "brightness": 0.99,
    "color_jitter": 0.4,  # how far a seeded mixture goes is chance
    "contrast": 0.99,
    "defocus_blur": 0.95,
    "frost": 0.95,
    "gaussian_blur": 0.95,
    "gaussian_noise": 0.95,
    "glass_blur": 0.95,
    "hue_saturation": 0.2,  # luminance hardly changes
    "impulse_noise": 0.95,
    "jpeg_compression": 0.99,
    "median_blur": 0.95,
    "motion_blur": 0.8,  # stripes along the motion stay
    "shot_noise": 0.95,
    "uniform_noise": 0.95,
}
SIDE = 80
every_corruption = pytest.mark.parametrize("name", REACH)


@pytest.fixture(scope="module")
def images():
    """Three colourful pictures with structure from the whole image down to four pixels."""
    generator = torch.Generator().manual_seed(5)
    octaves = [torch.rand(3, 3, side, side, generator=generator) for side in (2, 5, 10, 20)]
    enlarged = [F.interpolate(octave, size=(SIDE, SIDE), mode="bicubic") for octave in octaves]
    return (sum(enlarged) / 2 - 0.5).clamp(0, 1)


def _corrupt(name, images, strengths, seeds=(1, 2, 3)):
    corruption = load_corruption(name)
    drawn = corruption.draw(torch.tensor(seeds[: len(images)]), *images.shape[-2:])
    return corruption(images, torch.tensor(strengths), drawn)


def test_the_table_of_tests_knows_every_corruption_and_fourteen_are_the_default():
    assert sorted(REACH) == list_corruptions()
    assert len(set(DEFAULT_CORRUPTIONS)) == 14
    assert set(DEFAULT_CORRUPTIONS) <= set(REACH)


@every_corruption
def test_strength_0_is_the_identity_and_a_tiny_strength_is_next_to_it(name, images):
    torch.testing.assert_close(_corrupt(name, images, [0.0, 0.0, 0.0]), images, rtol=0, atol=0)
    change = VisualChange()
    tiny = _corrupt(name, images, [1e-3] * 3)
    assert change(change.reference(images), tiny).max() < 0.03


@every_corruption
def test_visual_change_grows_with_strength_up_to_the_reach(name, images):
    measure = VisualChange()
    reference = measure.reference(images)
    changes = torch.stack(
        [measure(reference, _corrupt(name, images, [t] * 3)) for t in (0.1, 0.3, 0.5, 0.75, 1.0)]
    )
    assert changes[-1].mean() > REACH[name]
    slack = 0.1 if name in {"color_jitter", "hue_saturation"} else 0.05
    assert (changes.diff(dim=0) > -slack).all()


@every_corruption
@pytest.mark.parametrize("size", [(32, 32), (41, 67)])
def test_images_of_any_size_stay_in_range_and_do_not_depend_on_their_neighbours(name, size, images):
    crops = images[..., : size[0], : size[1]]
    together = _corrupt(name, crops, [0.2, 0.5, 0.9])
    assert together.shape == crops.shape
    assert together.min() >= 0
    assert together.max() <= 1
    alone = _corrupt(name, crops[1:2], [0.5], seeds=(2,))
    torch.testing.assert_close(together[1:2], alone, rtol=0, atol=1e-5)


RANDOM = sorted(
    set(REACH)
    - {"brightness", "contrast", "defocus_blur", "gaussian_blur", "jpeg_compression", "median_blur"}
)


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_alone_decides_what_is_random(name, images):
    same = images[:1].expand(8, -1, -1, -1)
    first, again, *others = _corrupt(name, same, [0.5] * 8, seeds=(7, 7, 8, 9, 10, 11, 12, 13))
    torch.testing.assert_close(first, again, rtol=0, atol=1e-6)
    assert max((first - other).abs().mean() for other in others) > 1e-3


def test_an_unknown_corruption_and_an_impossible_strength_are_refused(images):
    with pytest.raises(ControversyError, match=r"'gausian_noise'; did you mean gaussian_noise"):
        load_corruption("gausian_noise")
    with pytest.raises(ControversyError, match=r"strength of contrast is \[1.5\]"):
        _corrupt("contrast", images[:1], [1.5])
