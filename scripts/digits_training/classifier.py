"""Trains a digit classifier adversarially (Madry et al. 2018), or plainly where `epsilon` is 0.

Each step attacks its batch by projected gradient ascent in an l-infinity ball whose radius grows
from 0 to `epsilon`: a transformer started at the full radius stays at chance. AdamW, one learning
rate cycle, exponential moving average of weights and buffers.
"""

import copy
import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn

from controversy.classifiers._digits import ARCHITECTURES
from digits_training import checkpoint


class Referee(nn.Sequential):
    """A plain digit CNN, never attacked and never used in synthesis: it judges generated samples."""

    def __init__(self) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in ((1, 32), (32, 64), (64, 64)):
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]
        super().__init__(*layers, nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 16, 10))


def pgd(model: nn.Module, images: Tensor, labels: Tensor, epsilon: float, n_steps: int, step_size: float) -> Tensor:
    """Projected gradient ascent on the cross-entropy from a random start, clipped to [0, 1].

    Args:
        model: images -> logits.
        images: ``[n, 1, h, w]`` in [0, 1].
        labels: ``[n]``.
        epsilon: l-infinity radius, in units of the [0, 1] range.
        n_steps: Ascent steps.
        step_size: Of one step, in units of ``epsilon``.

    Returns:
        The attacked images.
    """
    low, high = (images - epsilon).clamp(min=0), (images + epsilon).clamp(max=1)
    attacked = torch.lerp(low, high, torch.rand_like(images))
    for _ in range(n_steps):
        attacked.requires_grad_(True)
        (gradient,) = torch.autograd.grad(F.cross_entropy(model(attacked), labels), attacked)
        attacked = (attacked.detach() + step_size * epsilon * gradient.sign()).clamp(low, high)
    return attacked.detach()


def _shift(images: Tensor, reach: int, rng: torch.Generator) -> Tensor:
    """One random translation of the batch by at most ``reach`` pixels each way."""
    dy, dx = (torch.randint(-reach, reach + 1, (2,), generator=rng)).tolist()
    return torch.roll(images, (dy, dx), dims=(2, 3))


def _cycle(progress: float, warmup: float) -> float:
    """Linear warm-up, then half a cosine to zero."""
    if progress < warmup:
        return progress / warmup
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))


def train(name: str, recipe: dict[str, Any], splits: dict[str, tuple[Tensor, Tensor]], work: Path, place: Path) -> None:
    """Trains ``name`` (or continues), writes ``place/name.safetensors`` and prints its test accuracy."""
    torch.manual_seed(recipe["seed"])
    images, labels = splits["train"]
    model = Referee() if name == "referee" else ARCHITECTURES[name]()
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe["lr"], weight_decay=recipe["weight_decay"])
    parts = {"model": model, "average": average, "optimiser": optimiser}
    path, start = work / f"{name}.ckpt", 0
    if state := checkpoint.load(path):
        start = state["step"]
        for key, part in parts.items():
            part.load_state_dict(state[key])
    torch.manual_seed(recipe["seed"] + start)
    rng = torch.Generator().manual_seed(recipe["seed"] + start)
    ramp_start, ramp_end = recipe["ramp"]
    for step in range(start, recipe["n_steps"]):
        progress = step / recipe["n_steps"]
        optimiser.param_groups[0]["lr"] = recipe["lr"] * _cycle(progress, recipe["warmup"])
        epsilon = recipe["epsilon"] * min(max((progress - ramp_start) / (ramp_end - ramp_start), 0.0), 1.0)
        index = torch.randint(len(images), (recipe["batch_size"],), generator=rng)
        batch, target = _shift(images[index], recipe["shift"], rng), labels[index]
        model.train()
        if epsilon > 0:
            batch = pgd(model, batch, target, epsilon, recipe["attack_steps"], recipe["attack_step_size"])
        loss = F.cross_entropy(model(batch), target)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        _update_average(average, model, min(recipe["average"], (1 + step) / (10 + step)))
        if (step + 1) % recipe["checkpoint_every"] == 0 or step + 1 == recipe["n_steps"]:
            print(f"{name} step {step + 1}/{recipe['n_steps']} eps {epsilon:.3f} loss {loss.item():.3f}", flush=True)
            saved = {key: part.state_dict() for key, part in parts.items()}
            checkpoint.save(path, {"step": step + 1, **saved})
    average.eval()
    place.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous() for k, v in average.state_dict().items()}, place / f"{name}.safetensors")
    test_images, test_labels = splits["test"]
    with torch.no_grad():
        clean = sum((average(x).argmax(1) == y).sum().item() for x, y in zip(test_images.split(500), test_labels.split(500), strict=True))
    attacked = pgd(average, test_images[:1000], test_labels[:1000], 0.2, 20, 0.1)
    robust = (average(attacked).argmax(1) == test_labels[:1000]).float().mean().item()
    print(f"{name}: test accuracy {clean / len(test_labels):.4f}; PGD-20 at 0.2 on 1,000: {robust:.4f}", flush=True)


@torch.no_grad()
def _update_average(average: nn.Module, model: nn.Module, decay: float) -> None:
    for kept, new in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
        kept.lerp_(new, 1 - decay) if kept.is_floating_point() else kept.copy_(new)
