"""VIF against known values, against a one-image NumPy implementation on pyrtools, and its own invariants."""

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from controversy.visual_change import SteerableVIF


def _waves():
    x, y = np.arange(128)[None, :], np.arange(128)[:, None]
    return 127.5 + 60 * np.sin(x / 3) + 40 * np.cos(y / 5) + 20 * np.sin((x + 2 * y) / 1.7)


def _checkerboard(amplitude):
    return amplitude * (1 - 2 * (np.add.outer(np.arange(128), np.arange(128)) % 2))


KNOWN = {
    "contrast halved": (lambda image: 127.5 + (image - 127.5) / 2, 0.804679),
    "gaussian blur": (lambda image: gaussian_filter(image, 2), 0.755764),
    "contrast raised": (lambda image: 127.5 + (image - 127.5) * 1.2, 1.057034),
    "checkerboard": (lambda image: image + _checkerboard(10), 1.0),
}


def _vif(reference, distorted, dtype=torch.float64, **options):
    measure = SteerableVIF(**options)
    reference, distorted = (
        torch.as_tensor(np.asarray(image), dtype=dtype)[None] for image in (reference, distorted)
    )
    return float(measure(measure.reference(reference), distorted))


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-6), (torch.float32, 1e-4)])
def test_vif_has_the_known_values_of_the_wave_image(name, dtype, tolerance):
    distort, expected = KNOWN[name]
    assert _vif(_waves(), distort(_waves()), dtype) == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, (0.7584, 0.5288, 0.3015)), ({"sigma_n_sq": 0.4, "pooling": "sum"}, (0.5353, 0.2486, 0.0936))],
)
def test_vif_has_the_known_values_of_the_blurred_cameraman_in_both_conventions(options, expected):
    camera = pytest.importorskip("skimage.data", reason="scikit-image is a test extra").camera()
    blurred = [gaussian_filter(camera.astype(float), sigma).astype(np.uint8) for sigma in (1, 2, 4)]
    measure = SteerableVIF(**options)
    reference = measure.reference(torch.as_tensor(camera).float()[None]).select(
        torch.zeros(3, dtype=torch.long)
    )
    values = measure(reference, torch.as_tensor(np.stack(blurred)).float())
    assert values.tolist() == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("shape", [(72, 72), (97, 131)])
@pytest.mark.parametrize(
    ("options", "pool"), [({}, np.mean), ({"sigma_n_sq": 0.4, "pooling": "sum"}, np.sum)]
)
def test_a_batch_equals_the_numpy_route_on_pyrtools_image_by_image(shape, options, pool, numpy_vif):
    rng = np.random.default_rng(1)
    reference = np.stack([gaussian_filter(255 * rng.random(shape), sigma) for sigma in (0.0, 0.7, 1.5)])
    reference[0, : shape[0] // 2] = 40.0  # a flat half: zero variance in the channel estimate
    distorted = reference + 20 * rng.standard_normal(reference.shape)
    distorted[2] = 255 - reference[2]  # negative gain everywhere
    measure = SteerableVIF(**options)
    batched = measure(measure.reference(torch.as_tensor(reference)), torch.as_tensor(distorted))
    sigma_n_sq = options.get("sigma_n_sq", 0.1)
    expected = [numpy_vif(x, y, sigma_n_sq, pool) for x, y in zip(reference, distorted, strict=True)]
    assert batched.tolist() == pytest.approx(expected, abs=1e-6)


def test_an_image_keeps_all_its_information_and_a_flat_one_none():
    image = _waves()
    assert _vif(image, image) == pytest.approx(1, abs=1e-9)
    assert _vif(image, np.full_like(image, 127.5)) < 1e-4


def test_a_reference_made_once_serves_any_number_of_distorted_versions():
    image = torch.as_tensor(_waves())
    versions = torch.stack([torch.as_tensor(distort(_waves())) for distort, _ in KNOWN.values()])
    measure = SteerableVIF()
    once = measure(measure.reference(image[None]).select(torch.zeros(4, dtype=torch.long)), versions)
    each = measure(measure.reference(image.expand(4, -1, -1)), versions)
    torch.testing.assert_close(once, each)
