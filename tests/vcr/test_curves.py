"""Curves and areas: published numbers, analytic values, a reference implementation, resampling."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from controversy.errors import ControversyError
from controversy.vcr import (
    Curve,
    Monotone,
    Observations,
    Shen2024,
    area,
    fit_curve,
    hmri,
    mrsi,
    non_increasing,
    relative_to_people,
    robustness,
)

# Bin accuracies of a model in the public pipeline, and the area that it reports for them.
PUBLISHED_BINS = [
    *(0.82385, 0.81658, 0.82392, 0.81914, 0.83333, 0.82119, 0.78969, 0.79817, 0.78844, 0.77195),
    *(0.75763, 0.74031, 0.71729, 0.66590, 0.63845, 0.57140, 0.51479, 0, 0, 0),
]


def _curve(function, covered=(0.0, 1.0)):
    value = function(Monotone.grid)
    return Curve(Monotone.grid, value, np.tile(value, (5, 1)), covered, 100)


def _trials(probability, n_images=60, per_image=20, seed=0):
    """Trials of a model that is right with a known probability of visual change."""
    rng = np.random.default_rng(seed)
    change = rng.random(n_images * per_image)
    hits = (rng.random(len(change)) < probability(change)).astype(float)
    return Observations(change, hits, np.ones(len(change)), (np.repeat(np.arange(n_images), per_image),))


def test_the_public_pipeline_is_reproduced_from_its_bins():
    pipeline = Shen2024(smoothing=0.05)
    assert area(pipeline.grid, pipeline.spline(np.array(PUBLISHED_BINS))) == pytest.approx(0.61106, abs=1e-4)


def test_the_public_pipeline_bins_openly_and_counts_an_empty_bin_as_0():
    change = np.array([0.02, 0.05, 0.07, 0.1])  # 0.05 and 0.1 lie on edges and are lost
    hits, trials = np.array([[1.0, 0.0, 1.0, 0.0]]), np.ones((1, 4))
    expected = Shen2024().spline(np.array([1.0, 1.0] + [0.0] * 18))
    np.testing.assert_allclose(Shen2024().fit(change, hits, trials)[0], expected)


def test_hmri_and_mrsi_have_their_analytic_and_published_values():
    grid = Monotone.grid
    human, model = np.full(len(grid), 0.5), 1 - grid
    assert hmri(grid, human, model) == pytest.approx(0.75, abs=1e-4)
    assert mrsi(grid, human, model) == pytest.approx(0.25, abs=1e-4)
    # Human area 0.76977, of which 0.15871 lies above the model, which is nowhere above people.
    human = np.full(len(grid), 0.76977)
    assert hmri(grid, human, human - 0.15871) == pytest.approx(0.79382, abs=1e-5)
    assert mrsi(grid, human, human - 0.15871) == 0


def test_without_anything_to_compare_with_the_indices_are_not_a_number():
    grid, nothing = Monotone.grid, np.zeros(len(Monotone.grid))
    assert np.isnan(hmri(grid, nothing, 1 - grid))
    assert np.isnan(mrsi(grid, 1 - grid, nothing))
    assert hmri(grid, 1 - grid, nothing) == 0


def test_the_batched_fit_is_scipys_isotonic_regression():
    rng = np.random.default_rng(3)
    rates, weights = rng.random((20, 15)), rng.integers(1, 50, (20, 15)).astype(float)
    expected = [
        isotonic_regression(y, weights=w, increasing=False).x for y, w in zip(rates, weights, strict=True)
    ]
    np.testing.assert_allclose(non_increasing(rates, weights), expected, atol=1e-12)


def test_the_default_recovers_a_known_curve_and_its_area_and_the_interval_covers_it():
    observed = _trials(lambda v: 1 - 0.8 * v**2, n_images=200)
    curve = fit_curve(observed, Monotone(), n_bootstrap=200, seed=1)
    assert (np.diff(curve.value) <= 1e-12).all()
    inner = slice(50, 950)
    np.testing.assert_allclose(curve.value[inner], (1 - 0.8 * curve.grid**2)[inner], atol=0.1)
    estimate = robustness(curve)
    assert estimate.low < 1 - 0.8 / 3 < estimate.high
    assert estimate.high - estimate.low < 0.06


def test_intervals_widen_when_the_trials_of_an_image_hang_together():
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(40), 30)
    change, hits = rng.random(1200), (rng.random(40) < 0.6)[image].astype(float)
    ones = np.ones(1200)
    widths = []
    for factors in ((image,), (np.arange(1200),)):
        estimate = robustness(
            fit_curve(Observations(change, hits, ones, factors), Monotone(), n_bootstrap=200, seed=0)
        )
        widths.append(estimate.high - estimate.low)
    assert widths[0] > 3 * widths[1]


def test_empty_bins_are_passed_over_and_what_is_extrapolated_is_said():
    change = np.array([0.2, 0.3, 0.6])
    observed = Observations(change, np.array([10.0, 8.0, 5.0]), np.full(3, 10.0))
    curve = fit_curve(observed, Monotone(), n_bootstrap=20, seed=0)
    np.testing.assert_allclose(
        np.interp([0, 0.2, 0.25, 0.45, 0.6, 1], curve.grid, curve.value), [1, 1, 0.9, 0.65, 0.5, 0.5]
    )
    assert curve.covered == (0.2, 0.6)
    assert curve.extrapolated == pytest.approx(0.6)
    covered = robustness(curve, covered_only=True).value
    assert covered == pytest.approx((0.1 * 0.9 + 0.3 * 0.65) / 0.4, abs=2e-3)


def test_the_untouched_image_is_a_knot_of_its_own():
    change = np.array([0.0, 0.01])
    curve = fit_curve(
        Observations(change, np.array([10.0, 5.0]), np.full(2, 10.0)), Monotone(), n_bootstrap=2, seed=0
    )
    assert curve.value[0] == pytest.approx(1)
    assert curve.value[10] == pytest.approx(0.5)


def test_the_same_seed_gives_the_same_band_and_another_gives_another():
    observed = _trials(lambda v: 1 - v)
    bands = [fit_curve(observed, Monotone(), n_bootstrap=50, seed=seed).band() for seed in (1, 1, 2)]
    np.testing.assert_array_equal(bands[0], bands[1])
    assert not np.array_equal(bands[0], bands[2])


def test_a_model_meets_people_only_where_both_were_seen():
    relative = relative_to_people(
        _curve(lambda v: 0 * v + 0.5, (0.1, 0.8)), _curve(lambda v: 1 - v, (0.0, 0.6))
    )
    assert relative.range == (0.1, 0.6)
    assert relative.hmri.value == pytest.approx(1 - 0.005 / 0.25, abs=1e-4)
    with pytest.raises(ControversyError, match="no range in common"):
        relative_to_people(_curve(lambda v: 1 - v, (0.0, 0.3)), _curve(lambda v: 1 - v, (0.5, 1.0)))


@pytest.mark.parametrize(
    ("change", "hits", "trials", "message"),
    [
        ([], [], [], "no observation"),
        ([1.2], [1], [1], r"visual change is \[1.2\]"),
        ([float("nan")], [1], [1], r"visual change is \[nan\]"),
        ([0.5], [2], [1], "between 0 and trials"),
    ],
)
def test_impossible_observations_are_refused(change, hits, trials, message):
    with pytest.raises(ControversyError, match=message):
        Observations(*(np.array(values, dtype=float) for values in (change, hits, trials)))
