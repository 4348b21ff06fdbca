"""Checks of generator, models and requests before hours of work."""

from collections import Counter
from collections.abc import Sequence

import torch

from controversy.errors import ControversyError
from controversy.synthesis._problem import Problem
from controversy.synthesis._request import Request


def validate(problem: Problem, requests: Sequence[Request], device: torch.device) -> None:
    """Refuses what cannot work.

    Raises:
        ControversyError: Equal models, other classes than the generator's, a class index that does not
            exist, a repeated stimulus id, images or logits of a wrong shape, or no gradient.
    """
    generator, (model_1, model_2) = problem.generator, problem.models
    if model_1.name == model_2.name:
        raise ControversyError(f"the pair is {model_1.name} twice: a model cannot disagree with itself")
    for model in problem.models:
        if (model.class_set, model.n_classes) != (generator.class_set, generator.n_classes):
            raise ControversyError(
                f"{model.name} knows {model.n_classes} classes of {model.class_set!r}, but the generator "
                f"{generator.name} {generator.n_classes} of {generator.class_set!r}: "
                "choose a generator of the models' classes"
            )
    repeated = [name for name, count in Counter(r.stimulus_id for r in requests).items() if count > 1]
    if repeated:
        raise ControversyError(
            f"the stimulus_id {repeated[0]!r} is requested twice: ids name the image files"
        )
    for request in requests:
        _validate_classes(request, generator.n_classes)
    _try_one(problem, device)


def _validate_classes(request: Request, n_classes: int) -> None:
    if (request.class_1 is None) != (request.class_2 is None):
        raise ControversyError(
            f"{request.stimulus_id}: give both classes or none, not {request.class_1}, {request.class_2}"
        )
    if request.alternatives is None:
        return
    for value in request.alternatives:
        if not 0 <= value < n_classes:
            raise ControversyError(
                f"{request.stimulus_id}: there is no class {value}; indices run to {n_classes - 1}"
            )
    if request.class_1 == request.class_2:
        raise ControversyError(
            f"{request.stimulus_id}: class_1 and class_2 are both {request.class_1}, "
            "which leaves nothing to disagree about"
        )


def _try_one(problem: Problem, device: torch.device) -> None:
    """One image through everything: shapes, range and gradient."""
    generator = problem.generator
    latents = {
        k: v.to(device) for k, v in generator.sample(2, torch.Generator().manual_seed(0), (0, 1)).items()
    }
    with torch.no_grad():
        images = problem.images(latents)
    expected = (2, 3, generator.image_size, generator.image_size)
    if tuple(images.shape) != expected:
        raise ControversyError(
            f"{generator.name} makes images {list(images.shape)}, expected {list(expected)}"
        )
    if images.isfinite().all() and (images.amin() < 0 or images.amax() > 1):
        low, high = images.amin().item(), images.amax().item()
        raise ControversyError(
            f"{generator.name} makes values from {low:.3g} to {high:.3g}; images lie in [0, 1]"
        )
    for model in problem.models:
        probe = torch.full_like(images, 0.5).requires_grad_(True)
        logits = model(probe)
        if tuple(logits.shape) != (2, model.n_classes):
            raise ControversyError(
                f"{model.name} gives logits {list(logits.shape)}, expected {[2, model.n_classes]}"
            )
        if not logits.requires_grad:
            raise ControversyError(
                f"no gradient flows from {model.name}'s logits to the image: is it run without gradients?"
            )
