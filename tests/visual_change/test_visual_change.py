"""Visual change of images in [0, 1]: its range, its small images, its choice of method."""

import pytest
import torch
import torch.nn.functional as F

from controversy.errors import ControversyError
from controversy.visual_change import SteerableVIF, VisualChange, luma


def _images(side, n=2):
    generator = torch.Generator().manual_seed(3)
    coarse = torch.rand(n, 3, side // 4, side // 4, generator=generator)
    return F.interpolate(coarse, size=(side, side), mode="bicubic").clamp(0, 1)


def _change(images, distorted, method="steerable"):
    measure = VisualChange(method)
    return measure(measure.reference(images), distorted)


def test_luma_is_bt601_in_grey_levels():
    primaries = torch.eye(3)[:, :, None, None]
    torch.testing.assert_close(luma(primaries).flatten(), 255 * torch.tensor([0.299, 0.587, 0.114]))


@pytest.mark.parametrize("side", [32, 96])
def test_change_runs_from_nothing_to_everything_and_never_leaves_the_unit_interval(side):
    images = _images(side)
    flat = images.mean((2, 3), keepdim=True).expand_as(images)
    steps = [images.lerp(flat, weight) for weight in (0.0, 0.3, 0.9, 1.0)]
    changes = torch.stack([_change(images, step) for step in steps])
    assert changes[0].abs().max() < 1e-4
    assert (changes[-1] > 0.99).all()
    assert (changes.diff(dim=0) > 0).all()
    raised = (images + 0.2 * (images - 0.5)).clamp(0, 1)
    assert (_change(images, raised) >= 0).all()


def test_a_small_image_is_enlarged_by_the_smallest_whole_factor_that_fits_four_octaves():
    images = _images(32)
    noisy = (images + 0.1 * torch.randn(images.shape, generator=torch.Generator().manual_seed(0))).clamp(0, 1)
    vif = SteerableVIF()
    enlarged = [
        F.interpolate(luma(x)[:, None], size=(96, 96), mode="bilinear")[:, 0] for x in (images, noisy)
    ]
    expected = 1 - vif(vif.reference(enlarged[0]), enlarged[1])
    torch.testing.assert_close(_change(images, noisy), expected.clamp(0, 1))
    assert "x3" in VisualChange().description(32, 32)
    assert "enlarged" not in VisualChange().description(72, 300)


def test_the_pixel_domain_is_a_choice_and_is_recorded_as_another_measure():
    pytest.importorskip("torchmetrics", reason="torchmetrics is an extra")
    images = _images(96)
    blurred = F.avg_pool2d(F.pad(images, (2, 2, 2, 2), mode="reflect"), 5, stride=1)
    pixel = _change(images, blurred, "pixel")
    assert ((pixel > 0) & (pixel < 1)).all()
    assert not torch.allclose(pixel, _change(images, blurred), atol=0.01)
    assert VisualChange("pixel").description(96, 96) != VisualChange().description(96, 96)
    assert repr(VisualChange()) == "VisualChange(SteerableVIF(sigma_n_sq=0.1, pooling='mean'))"


def test_an_unknown_method_is_refused_with_the_choices():
    with pytest.raises(ControversyError, match=r"'ssim'.*steerable"):
        VisualChange("ssim")
