"""Images without a GAN: their statistics are those that the authors state."""

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from controversy.errors import ControversyError
from controversy.generators import FourierGenerator, PixelGenerator
from controversy.generators._image_statistics import image_deviation
from controversy.generators._jitter import roll, shifts


def fourier(**options) -> FourierGenerator:
    return FourierGenerator(name="fourier", **{"image_size": 64, "class_set": "digits", **options})


def pixels(**options) -> PixelGenerator:
    return PixelGenerator(name="pixels", **{"image_size": 64, "class_set": "digits", **options})


def drawn(generator, n: int, seed: int = 0):
    return generator.sample(n, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("generator", [fourier(), fourier(image_size=33), pixels(), pixels(image_size=7)])
def test_the_contract(generator):
    latents = drawn(generator, 3)
    images = generator(latents)
    side = generator.image_size
    assert images.shape == (3, 3, side, side)
    assert images.dtype == torch.float32
    assert 0 <= images.min() <= images.max() <= 1
    assert generator.n_classes == 10
    assert set(generator.free) == set(latents)
    assert all(torch.equal(generator.constrain(latents)[name], latents[name]) for name in latents)
    again = drawn(generator, 3)
    assert all(torch.equal(again[name], latents[name]) for name in latents)
    grey = generator({name: torch.zeros_like(value) for name, value in latents.items()})
    assert (grey == 0.5).all()
    free = {name: value.clone().requires_grad_(True) for name, value in latents.items()}
    generator(free)[:1].square().sum().backward()
    for value in free.values():
        assert value.grad[0].abs().sum() > 0
        assert value.grad[1:].abs().sum() == 0  # one image's latents are not another's


def test_the_fourier_image_is_numpys_inverse_transform():
    generator = fourier(image_size=16, std=0.3)
    latents = drawn(generator, 2)
    spectrum = latents["spectrum"].double().numpy()
    frequency = np.hypot(np.fft.fftfreq(16)[:, None], np.fft.rfftfreq(16)[None])
    scaled = (spectrum[..., 0] + 1j * spectrum[..., 1]) / np.maximum(frequency, 1 / 16)
    channels = np.fft.irfft2(scaled, s=(16, 16), norm="ortho") / 4
    # Lucid's colour_correlation_svd_sqrt over the largest norm of its columns
    root = np.array([[0.26, 0.09, 0.02], [0.27, 0.00, -0.05], [0.27, -0.09, 0.03]])
    root /= np.linalg.norm(root, axis=0).max()
    expected = 1 / (1 + np.exp(-np.einsum("ij,njhw->nihw", root, channels)))
    np.testing.assert_allclose(generator(latents).numpy(), expected, atol=1e-5)


@pytest.mark.parametrize(("decay", "slope"), [(1.0, -1.0), (0.5, -0.5), (0.0, 0.0)])
def test_amplitude_falls_with_frequency_as_asked(decay, slope):
    """1/f, the spectrum of photographs (Field 1987), for latents that are white."""
    generator = fourier(decay=decay, decorrelate_colours=False, std=0.01)
    channels = torch.logit(generator(drawn(generator, 40)).double()).numpy()
    amplitude = np.sqrt((np.abs(np.fft.rfft2(channels)) ** 2).mean((0, 1)))[:, 1:-1]
    frequency = np.hypot(np.fft.fftfreq(64)[:, None], np.fft.rfftfreq(64)[None])[:, 1:-1]
    fitted = np.polyfit(np.log(frequency.ravel()), np.log(amplitude.ravel()), 1)[0]
    assert fitted == pytest.approx(slope, abs=0.03)


def test_colours_are_correlated_as_in_photographs():
    """White latents give the covariance whose root the decorrelation is; red, green and blue go together."""
    generator = fourier(image_size=32, std=0.01)
    values = torch.logit(generator(drawn(generator, 100)).double()).transpose(0, 1).flatten(1)
    root = torch.tensor([[0.26, 0.09, 0.02], [0.27, 0.00, -0.05], [0.27, -0.09, 0.03]]).double()
    covariance = root @ root.T
    scale = covariance.diagonal().rsqrt()
    expected = covariance * scale[:, None] * scale
    torch.testing.assert_close(torch.corrcoef(values), expected, atol=0.02, rtol=0)
    assert expected.min() > 0.75


def test_jitter_moves_the_image_cyclically_and_always_alike():
    plain, moved = fourier(std=0.1), fourier(std=0.1, jitter=8, jitter_seed=3)
    latents = drawn(plain, 6)
    found, expected = moved(latents), plain(latents)
    for k, (down, right) in enumerate(shifts(latents["spectrum"], 8, 3).tolist()):
        assert torch.equal(found[k], torch.roll(expected[k], (down, right), dims=(1, 2)))
    assert torch.equal(moved(latents), found)
    alone = {name: value[4:5] for name, value in latents.items()}
    torch.testing.assert_close(moved(alone), found[4:5])
    assert not torch.equal(fourier(std=0.1, jitter=8, jitter_seed=4)(latents), found)


def test_shifts_are_uniform_and_change_with_the_smallest_change_of_the_latents():
    start = torch.randn(1, 3, 4, 3, 2, generator=torch.Generator().manual_seed(0))
    walk = start.repeat(4000, 1, 1, 1, 1)
    walk[:, 0, 1, 2, 0] += 1e-5 * torch.arange(4000)
    found = shifts(walk, 4, seed=0)
    cells = (found[:, 0] + 4) * 9 + found[:, 1] + 4
    assert chisquare(torch.bincount(cells, minlength=81).numpy()).pvalue > 1e-3
    follows = (cells[1:] == cells[:-1]).float().mean().item()
    assert follows == pytest.approx(1 / 81, abs=0.008)


def test_roll_is_torchs():
    images = torch.rand(4, 3, 5, 6, generator=torch.Generator().manual_seed(0))
    moves = torch.tensor([[0, 0], [1, -2], [-3, 4], [5, 6]])
    for image, move, found in zip(images, moves.tolist(), roll(images, moves), strict=True):
        assert torch.equal(found, torch.roll(image, move, dims=(1, 2)))


def test_deviation_of_fields_whose_values_are_known():
    black_and_white = torch.zeros(3, 4, 4)
    black_and_white[:, :2] = 1
    grey, one_level = torch.full((3, 4, 4), 0.5), torch.full((3, 4, 4), 1 / 255)
    measures = image_deviation(torch.stack([black_and_white, grey, one_level]))
    assert measures["rms_contrast"].tolist() == pytest.approx([0.5, 0, 0], abs=1e-6)
    assert measures["clipped"].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fourier(jitter=33), "jitter is 33"),
        (lambda: fourier(jitter=-1), "jitter is -1"),
        (lambda: pixels(image_size=1), "image_size is 1"),
        (lambda: pixels(std=-0.1), r"std is -0\.1"),
        (lambda: pixels(class_set="words"), "no class set 'words'"),
    ],
)
def test_impossible_options_are_refused_with_their_value(make, words):
    with pytest.raises(ControversyError, match=words):
        make()
