"""Every objective: its formula at points worked out by hand, and what all of them promise."""

import math

import pytest
import torch

from controversy.objectives import (
    ClassProbabilities,
    class_probabilities,
    controversiality,
    four_logits,
    jensen_shannon,
    smooth_minimum,
    two_alternative,
)

TARGETED = [smooth_minimum, four_logits, two_alternative]
ALL = [*TARGETED, jensen_shannon]


def classes(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(n, dtype=torch.long), torch.ones(n, dtype=torch.long)


@pytest.mark.parametrize("objective", TARGETED)
def test_grows_with_each_models_confidence_in_its_class(objective):
    rng = torch.Generator().manual_seed(0)
    logits = torch.randn(2, 50, 10, generator=rng)
    base = objective(*logits, *classes(50))
    for model, own in ((0, 0), (1, 1)):
        surer = logits.clone()
        surer[model, :, own] += 1
        assert (objective(*surer, *classes(50)) > base).all()


@pytest.mark.parametrize("objective", ALL)
def test_is_float32_and_finite_for_extreme_bfloat16_logits(objective):
    logits = torch.tensor([[80.0, -80.0, 0.0]]).bfloat16()
    score = objective(logits, logits.flip(1), *classes(1))
    assert score.dtype == torch.float32
    assert score.isfinite().all()


@pytest.mark.parametrize("objective", TARGETED)
def test_swapping_models_and_classes_changes_nothing(objective):
    rng = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, 20, 10, generator=rng)
    one, two = classes(20)
    torch.testing.assert_close(objective(first, second, one, two), objective(second, first, two, one))


@pytest.mark.parametrize("objective", ALL)
def test_gradient_is_that_of_finite_differences(objective):
    rng = torch.Generator().manual_seed(1)
    logits = torch.randn(2, 1, 4, generator=rng)
    logits.requires_grad_(True)
    (gradient,) = torch.autograd.grad(objective(logits[0], logits[1], *classes(1)).sum(), logits)
    for index in [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 3)]:
        step = torch.zeros_like(logits)
        step[index] = 1e-2
        above, below = ((logits + sign * step).detach() for sign in (1, -1))
        slope = (objective(*above, *classes(1)) - objective(*below, *classes(1))) / 2e-2
        assert gradient[index].item() == pytest.approx(slope.item(), abs=1e-3)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 20.0])
def test_smooth_minimum_lies_between_minimum_and_mean(sharpness):
    first, second = torch.randn(2, 30, 10, generator=torch.Generator().manual_seed(2))
    one, two = classes(30)
    terms = torch.stack([first.log_softmax(1)[:, 0], second.log_softmax(1)[:, 1]])
    score = smooth_minimum(first, second, one, two, sharpness=sharpness)
    assert (score >= terms.amin(0) - 1e-5).all()
    assert (score <= terms.mean(0) + 1e-5).all()
    if sharpness == 20.0:
        assert (score - terms.amin(0)).max() < math.log(2) / 20 + 1e-5


def test_smooth_minimum_by_hand():
    # Two classes, logit differences of log 3 and 0: probabilities 3/4 and 1/2.
    first, second = torch.tensor([[math.log(3), 0.0]]), torch.tensor([[0.0, 0.0]])
    expected = -math.log((4 / 3 + 2) / 2)  # sharpness 1: minus log of the mean of 1/p
    assert smooth_minimum(first, second, *classes(1)).item() == pytest.approx(expected, abs=1e-6)


def test_four_logits_by_hand():
    # Golan et al. (2020), eq. 4, with all four terms equal to 2: the smooth minimum is 2 as well.
    first, second = torch.tensor([[2.0, -2.0]]), torch.tensor([[-2.0, 2.0]])
    assert four_logits(first, second, *classes(1)).item() == pytest.approx(2.0, abs=1e-6)


def test_two_alternative_ignores_other_classes():
    first, second = torch.randn(2, 20, 10, generator=torch.Generator().manual_seed(3))
    changed = first.clone()
    changed[:, 2:] += 50
    torch.testing.assert_close(
        two_alternative(first, second, *classes(20)), two_alternative(changed, second, *classes(20))
    )


def test_jensen_shannon_is_log_2_for_certain_disagreement_and_0_for_certain_agreement():
    sure = 60 * torch.eye(3)
    asked = torch.full((1,), -1)
    assert jensen_shannon(sure[:1], sure[1:2], asked, asked).item() == pytest.approx(math.log(2), abs=1e-5)
    assert jensen_shannon(sure[:1], sure[:1], asked, asked).item() == pytest.approx(0, abs=1e-5)
    undecided = torch.zeros(1, 3)  # no divergence, and the entropy log 3 counts against it
    assert jensen_shannon(undecided, undecided, asked, asked).item() == pytest.approx(
        -0.5 * math.log(3), abs=1e-5
    )


def test_controversiality_is_the_smallest_of_its_four_terms():
    logits = torch.log(torch.tensor([[0.7, 0.2, 0.1], [0.05, 0.6, 0.35]]))
    p = class_probabilities(logits[:1], logits[1:], *classes(1))
    found = [x.item() for x in (p.p1_class_1, p.p1_class_2, p.p2_class_1, p.p2_class_2)]
    assert found == pytest.approx([0.7, 0.2, 0.05, 0.6], abs=1e-6)
    # min(0.7, 1 - 0.2, 0.6, 1 - 0.05)
    assert controversiality(logits[:1], logits[1:], *classes(1)).item() == pytest.approx(0.6, abs=1e-6)


def test_controversiality_is_1_for_certain_disagreement_and_0_for_agreement():
    sure = 200 * torch.eye(2, dtype=torch.float64)
    assert controversiality(sure[:1], sure[1:], *classes(1)).item() == 1
    assert controversiality(sure[:1], sure[:1], *classes(1)).item() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("p1_class_1", "p1_class_2", "p2_class_1", "p2_class_2"),
    [(0.3, 0.1, 0.2, 0.8), (0.9, 0.7, 0.2, 0.8), (0.9, 0.1, 0.7, 0.8), (0.9, 0.1, 0.2, 0.3)],
)
def test_each_of_the_four_terms_can_be_the_smallest(p1_class_1, p1_class_2, p2_class_1, p2_class_2):
    # Probabilities of independent readouts need not sum to 1: then all four terms say something.
    columns = (torch.tensor([p]) for p in (p1_class_1, p1_class_2, p2_class_1, p2_class_2))
    assert ClassProbabilities(*columns).controversiality().item() == pytest.approx(0.3)
