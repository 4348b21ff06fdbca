"""Each corruption is what its name says: moments, analytic values, reference implementations."""

import io
from itertools import pairwise

import matplotlib.colors
import numpy as np
import pytest
import torch
from PIL import Image
from scipy import ndimage

from controversy.corruptions import load_corruption
from controversy.corruptions._hsv import hsv_to_rgb, rgb_to_hsv
from controversy.corruptions._jpeg_compression import _tables, compress


def _corrupt(name, images, strength, seed=0):
    corruption = load_corruption(name)
    seeds = torch.arange(len(images)) + seed
    return corruption(
        images, torch.full((len(images),), strength), corruption.draw(seeds, *images.shape[-2:])
    )


def _grey(side, value=0.5):
    return torch.full((1, 3, side, side), value)


def _random(side, n=1):
    return torch.rand(n, 3, side, side, generator=torch.Generator().manual_seed(11))


def _spread(name, strength, side=129):
    """Second moments (y, x) of a corruption's point spread function, in pixels squared."""
    point = torch.zeros(1, 3, side, side)
    point[..., side // 2, side // 2] = 1
    corruption = load_corruption(name)
    drawn = (
        torch.zeros(1, 1)
        if name == "motion_blur"
        else corruption.draw(torch.zeros(1, dtype=torch.long), side, side)
    )
    # Not clipped: a band-limited spread has small negative ripples that its moments need.
    spread = corruption.distort(point, torch.full((1, 1, 1, 1), strength), drawn)[0, 0]
    offsets = torch.arange(side) - side // 2
    return (spread.sum(1) @ offsets.square().float()), (spread.sum(0) @ offsets.square().float())


def test_noises_have_the_variance_that_their_formula_says():
    grey = _grey(128)
    assert (_corrupt("gaussian_noise", grey, 0.2) - grey).std().item() == pytest.approx(8 * 0.2**3, rel=0.02)
    assert (_corrupt("uniform_noise", grey, 0.25) - grey).std().item() == pytest.approx(
        12 * 0.25**3 / np.sqrt(3), rel=0.02
    )
    photons = 0.005 / 0.3**6
    shot = _corrupt("shot_noise", _grey(128, 0.3), 0.3)
    assert shot.mean().item() == pytest.approx(0.3, rel=0.02)
    assert shot.var().item() == pytest.approx(0.3 / photons, rel=0.05)


def test_impulses_replace_the_said_share_half_with_black_and_half_with_white():
    noisy = _corrupt("impulse_noise", _grey(128), 0.6)
    assert (noisy == 0).float().mean().item() == pytest.approx(0.18, abs=0.01)
    assert (noisy == 1).float().mean().item() == pytest.approx(0.18, abs=0.01)


def test_gaussian_blur_is_scipys():
    image = _random(64)
    sigma = 0.25**2 * 64 / 3
    expected = [
        ndimage.gaussian_filter(channel.numpy(), sigma, mode="reflect", truncate=8) for channel in image[0]
    ]
    np.testing.assert_allclose(_corrupt("gaussian_blur", image, 0.25)[0], np.stack(expected), atol=1e-4)


def test_blurs_spread_a_point_as_wide_as_they_say():
    strength, side = 0.25, 129
    length = strength**2 * side
    soft = 0.5**2
    assert [float(m) for m in _spread("gaussian_blur", strength)] == pytest.approx(
        [(length / 3) ** 2] * 2, rel=1e-3
    )
    assert [float(m) for m in _spread("defocus_blur", strength)] == pytest.approx(
        [length**2 / 4 + soft] * 2, rel=1e-2
    )
    along_x = [soft, (3 * length) ** 2 / 12 + soft]
    assert [float(m) for m in _spread("motion_blur", strength)] == pytest.approx(along_x, rel=1e-2, abs=0.02)


@pytest.mark.parametrize("radius", [1, 3])
def test_median_blur_is_scipys_at_whole_radii(radius):
    image = (_random(60) * 32).round() / 32  # on the grey levels of the decomposition
    strength = float(np.sqrt(radius / 30))
    expected = [ndimage.median_filter(channel.numpy(), 2 * radius + 1, mode="mirror") for channel in image[0]]
    difference = np.abs(_corrupt("median_blur", image, strength)[0].numpy() - np.stack(expected))
    assert difference.max() < 1 / 32  # within a level
    assert difference.mean() < 0.35 / 32


def test_median_blur_of_one_pixel_is_exact_between_the_levels_too():
    image = _random(24)
    torch.testing.assert_close(_corrupt("median_blur", image, 1e-4), image, atol=1e-4, rtol=0)


def test_glass_moves_no_pixel_farther_than_it_says():
    ramp = torch.linspace(0, 1, 100).expand(1, 3, 100, 100)
    moved = (_corrupt("glass_blur", ramp, 0.2) - ramp)[..., 10:-10]
    assert moved.abs().max() <= 0.2**2 * 100 / 99 + 1e-4
    assert moved.std() > 0.005


def test_contrast_and_brightness_are_linear_until_they_clip():
    image = 0.3 + 0.2 * _random(16)
    torch.testing.assert_close(
        _corrupt("contrast", image, 0.7).std((2, 3)), 0.3 * image.std((2, 3)), rtol=1e-4, atol=1e-6
    )
    torch.testing.assert_close(_corrupt("brightness", image, 0.25), image + 0.25)


def test_hsv_is_matplotlibs_and_back():
    image = _random(20)
    image[..., :5] = image[:, :1, :, :5]  # greys, whose hue is undefined
    hsv = rgb_to_hsv(image)
    expected = matplotlib.colors.rgb_to_hsv(image[0].permute(1, 2, 0).numpy())
    np.testing.assert_allclose(hsv[0].permute(1, 2, 0) / torch.tensor([6, 1, 1]), expected, atol=1e-5)
    torch.testing.assert_close(hsv_to_rgb(hsv), image, atol=1e-6, rtol=0)


def test_hue_and_saturation_leave_grey_alone():
    grey = _random(16)[:, :1].expand(-1, 3, -1, -1)
    torch.testing.assert_close(_corrupt("hue_saturation", grey, 1.0), grey, atol=1e-6, rtol=0)


@pytest.mark.parametrize(("quality", "factor"), [(80, 0.4), (50, 1.0), (20, 2.5)])
def test_jpeg_is_libjpegs_at_a_whole_quality(quality, factor):
    rng = np.random.default_rng(2)
    smooth = ndimage.gaussian_filter(rng.random((50, 70, 3)), (2, 2, 0))
    pixels = (255 * (smooth - smooth.min()) / np.ptp(smooth)).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=quality, subsampling=0)
    expected = np.asarray(Image.open(stream)).astype(float)
    image = torch.from_numpy(pixels).permute(2, 0, 1)[None] / 255
    tables = (_tables(image) * factor + 0.5).floor().clamp(1, 255)
    ours = 255 * compress(image, tables)[0].permute(1, 2, 0).numpy()
    # libjpeg rounds colours to integers on its way, and a coefficient near .5 may then fall either way.
    assert np.median(np.abs(ours - expected)) < 0.7
    assert np.abs(ours - expected).mean() < 0.35 * np.abs(pixels - expected).mean()


def test_frost_covers_all_in_the_end_and_hides_the_image_bit_by_bit():
    frost = load_corruption("frost")
    drawn = frost.draw(torch.tensor([4]), 48, 48)
    black, white = torch.zeros(1, 3, 48, 48), torch.ones(1, 3, 48, 48)

    def visible(strength):
        return (
            frost(white, torch.tensor([strength]), drawn) - frost(black, torch.tensor([strength]), drawn)
        ).mean()

    shares = [float(visible(strength)) for strength in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert shares[0] == 1
    assert shares[-1] < 1e-6
    assert all(a > b for a, b in pairwise(shares))
