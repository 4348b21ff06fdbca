"""Strengths are inverted so that visual change is spread evenly, and what was made can be made again."""

import pytest
import torch
import torch.nn.functional as F

from controversy.corruptions import load_corruption
from controversy.errors import ControversyError
from controversy.images import from_uint8, to_uint8
from controversy.vcr import Sampler, image_seeds
from controversy.visual_change import VisualChange


@pytest.fixture(scope="module")
def images():
    generator = torch.Generator().manual_seed(5)
    coarse = torch.rand(2, 3, 12, 12, generator=generator)
    return from_uint8(to_uint8(F.interpolate(coarse, size=(72, 72), mode="bicubic")))


@pytest.mark.parametrize("name", ["gaussian_noise", "gaussian_blur", "jpeg_compression", "contrast"])
def test_visual_change_is_spread_evenly_up_to_the_reach_of_each_image(name, images):
    sampler = Sampler(VisualChange(), 6)
    sample = sampler(images, load_corruption(name), image_seeds(0, name, ["a", "b"]))
    targets = (torch.arange(6) + 0.5) / 6 * sample.reach[:, None]
    assert (sample.visual_change - targets).abs().max() < 0.06
    assert (sample.strength.diff(dim=1) > 0).all()
    assert (sample.reach > 0.9).all()


def test_what_is_stored_repeats_what_was_evaluated(images):
    measure, corruption = VisualChange(), load_corruption("glass_blur")
    seeds = image_seeds(3, "glass_blur", ["a", "b"])
    sample = Sampler(measure, 4)(images, corruption, seeds)
    again = corruption(images, sample.strength[:, 2], corruption.draw(seeds, 72, 72))
    torch.testing.assert_close(to_uint8(again), sample.images[:, 2])
    change = measure(measure.reference(images), from_uint8(sample.images[:, 2]))
    torch.testing.assert_close(change, sample.visual_change[:, 2], atol=1e-5, rtol=0)


def test_a_short_reach_is_covered_and_said():
    generator = torch.Generator().manual_seed(1)
    grey = torch.rand(1, 1, 72, 72, generator=generator).expand(-1, 3, -1, -1)
    sample = Sampler(VisualChange(), 3)(grey, load_corruption("hue_saturation"), torch.tensor([1]))
    assert sample.reach.max() < 0.01
    assert sample.visual_change.max() < 0.01


def test_an_images_seed_depends_on_its_name_and_not_on_its_neighbours():
    seeds = image_seeds(0, "frost", ["a", "b", "c"])
    assert len(set(seeds.tolist())) == 3
    assert image_seeds(0, "frost", ["c"])[0] == seeds[2]
    assert image_seeds(1, "frost", ["c"])[0] != seeds[2] != image_seeds(0, "contrast", ["c"])[0]
    assert ((seeds >= 0) & (seeds < 2**53)).all()


def test_impossible_sampling_is_refused():
    with pytest.raises(ControversyError, match="per_image=0"):
        Sampler(VisualChange(), 0)
