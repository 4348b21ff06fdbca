"""Faster, and the same but for rounding."""

from dataclasses import replace

import pytest
import torch

from controversy.classifiers import load_classifier
from controversy.generators import load_generator
from controversy.objectives import smooth_minimum
from controversy.synthesis import Settings, class_pairs, fast_layouts, synthesize
from controversy.synthesis._problem import Problem

SHORT = Settings(n_candidates=4, n_steps=12, n_attempts=1, batch_size=16, check_every=4)


@pytest.fixture
def digits():
    return load_generator("digits"), (load_classifier("digits_resnet"), load_classifier("digits_vit"))


def test_the_step_is_the_same_but_for_rounding(digits):
    generator, models = digits
    problem = Problem(generator, models, smooth_minimum, "fp32")
    latents = generator.sample(16, torch.Generator().manual_seed(0), (3, 5))
    asked = torch.full((16,), 3), torch.full((16,), 5)
    look, gradients = problem.look_with_gradient(latents, *asked)
    with fast_layouts([generator, *models], torch.device("cpu")):
        fast, fast_gradients = problem.look_with_gradient(latents, *asked)
        assert not torch.equal(fast.score, look.score)  # other kernels did run
    torch.testing.assert_close(fast.score, look.score, rtol=1e-4, atol=1e-4)
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            fast_gradients[name], gradient, rtol=1e-2, atol=1e-3 * gradient.abs().max()
        )


def test_networks_are_afterwards_what_they_were(digits):
    generator, models = digits
    images = torch.rand(16, 3, 32, 32, generator=torch.Generator().manual_seed(1))
    before = [model(images) for model in models]
    list(synthesize(generator, *models, class_pairs(10, 2), settings=replace(SHORT, layout="fast")))
    assert all(torch.equal(model(images), logits) for model, logits in zip(models, before, strict=True))
    assert not any("forward" in vars(layer) for model in models for layer in model.modules())


def test_a_stimulus_of_a_fast_run_depends_on_its_request_alone(digits):
    generator, models = digits
    fast, requests = replace(SHORT, layout="fast"), class_pairs(10, 20)
    together = {s.request.stimulus_id: s for s in synthesize(generator, *models, requests, settings=fast)}
    few = list(synthesize(generator, *models, requests[7:11][::-1], settings=fast))
    assert len(few) == 4
    assert all(torch.equal(s.image, together[s.request.stimulus_id].image) for s in few)


def test_checkpointing_changes_no_bit(digits):
    generator, models = digits
    requests = class_pairs(10, 6)
    kept = list(synthesize(generator, *models, requests, settings=SHORT))
    again = list(synthesize(generator, *models, requests, settings=replace(SHORT, checkpointing=True)))
    for one, other in zip(kept, again, strict=True):
        assert torch.equal(one.image, other.image)
        assert one.controversiality == other.controversiality


def test_checkpointing_keeps_fewer_activations(digits):
    generator, models = digits

    def bytes_kept(checkpointing: bool) -> int:
        problem = Problem(generator, models, smooth_minimum, "fp32", checkpointing)
        latents = generator.sample(4, torch.Generator().manual_seed(0), (3, 5))
        free = {name: latents[name].requires_grad_(True) for name in generator.free}
        kept: list[int] = []

        def note(tensor):
            kept.append(tensor.nbytes)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            problem.look({**latents, **free}, torch.full((4,), 3), torch.full((4,), 5))
        return sum(kept)

    assert bytes_kept(True) < bytes_kept(False) / 10
