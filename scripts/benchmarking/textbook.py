"""The loop that a textbook would give: what public practice does, and what ours is measured against.

One fixed batch at a time, from one random start each, in float32, eager, with the generator as released (its
spectral norm live) and every parameter's gradient computed because nobody said not to. It runs a fixed number
of steps, or until no pixel of 8 bits changes, which it asks the device after every step.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from benchmarking.worlds import World
from controversy.images import to_uint8
from controversy.objectives import smooth_minimum
from controversy.synthesis import Request


def textbook(
    world: World, requests: Sequence[Request], *, n_steps: int, batch_size: int, learning_rate: float
) -> Iterator[tuple[Request, Tensor]]:
    """(request, uint8 image ``[3, h, w]``), batch by batch."""
    for start in range(0, len(requests), batch_size):
        part = requests[start : start + batch_size]
        images = _one_batch(world, part, n_steps, learning_rate)
        yield from zip(part, images, strict=True)


def _one_batch(world: World, part: Sequence[Request], n_steps: int, learning_rate: float) -> Tensor:
    device = world.device
    sampled = [world.generator.sample(1, request.rng(0), request.alternatives) for request in part]
    z = torch.cat([one["z"] for one in sampled]).to(device).requires_grad_(True)
    vector = torch.cat([one["class_vector"] for one in sampled]).to(device)
    class_logits = vector.clamp(min=1e-3).log().requires_grad_(True)
    classes = torch.tensor([request.alternatives for request in part], device=device)
    adam = torch.optim.Adam([z, class_logits], lr=learning_rate)
    before = None
    for _ in range(n_steps):
        adam.zero_grad()
        images = _images(world.released, z, class_logits, world.truncation)
        first, second = (model(images) for model in world.trainable)
        (-smooth_minimum(first, second, classes[:, 0], classes[:, 1])).sum().backward()
        adam.step()
        with torch.no_grad():
            z.clamp_(-2 * world.truncation, 2 * world.truncation)
        now = to_uint8(images.detach())
        if before is not None and bool((now == before).all()):
            break
        before = now
    with torch.no_grad():
        return to_uint8(_images(world.released, z, class_logits, world.truncation)).cpu()


def _images(released: Any, z: Tensor, class_logits: Tensor, truncation: float) -> Tensor:
    return (released(z, class_logits.softmax(1), truncation) + 1) / 2
