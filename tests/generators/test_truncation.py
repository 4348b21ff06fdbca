import pytest
import torch
from scipy.stats import kstest, truncnorm

from controversy.generators._truncation import (
    CUT,
    SECOND_MOMENT,
    largest_typical_norm,
    sample_truncated_normal,
    typical_norm,
)


def test_draws_are_those_of_the_released_package():
    # pytorch_pretrained_biggan.truncated_noise_sample is scipy's truncnorm(-2, 2)
    draws = sample_truncated_normal(200, 100, torch.Generator().manual_seed(0))
    assert draws.abs().max() <= CUT
    assert kstest(draws.flatten().numpy(), truncnorm(-CUT, CUT).cdf).pvalue > 0.01


def test_moments_are_scipys():
    assert pytest.approx(truncnorm(-CUT, CUT).var(), rel=1e-9) == SECOND_MOMENT


def test_the_largest_typical_norm_is_exceeded_by_one_sample_in_a_hundred():
    norms = sample_truncated_normal(20000, 64, torch.Generator().manual_seed(1)).norm(dim=1)
    share = (norms > largest_typical_norm(64)).float().mean().item()
    assert share == pytest.approx(0.01, abs=0.003)
    assert norms.square().mean().sqrt().item() == pytest.approx(typical_norm(64), rel=0.01)
