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
from digits_training.attack import pgd
from digits_training.average import update_average
from digits_training.calibration import fit_gain, scale_logits
from digits_training.referee import Referee


def _shift(images: Tensor, reach: int, rng: torch.Generator) -> Tensor:
    """One random translation of the batch by at most ``reach`` pixels each way."""
    dy, dx = (torch.randint(-reach, reach + 1, (2,), generator=rng)).tolist()
    return torch.roll(images, (dy, dx), dims=(2, 3))


def _cycle(progress: float, warmup: float) -> float:
    """Linear warm-up, then half a cosine to zero."""
    if progress < warmup:
        return progress / warmup
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))


def train(
    name: str,
    recipe: dict[str, Any],
    images: Tensor,
    labels: Tensor,
    held_out: tuple[Tensor, Tensor],
    work: Path,
    place: Path,
) -> None:
    """Trains a classifier, or goes on where its checkpoint ends; writes its weights.

    Args:
        name: Of the classifier, or "referee".
        recipe: Of ``recipes/<name>.yaml``.
        images: Training digits ``[n, 1, 32, 32]`` in [0, 1].
        labels: ``[n]``.
        held_out: Digits and labels that only the temperature is fitted to.
        work: Folder of the checkpoint ``<name>.ckpt``.
        place: Folder of the finished ``<name>.safetensors``.
    """
    torch.manual_seed(recipe["seed"])
    model = Referee() if name == "referee" else ARCHITECTURES[name]()
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe["lr"], weight_decay=recipe["weight_decay"])
    parts: dict[str, Any] = {"model": model, "average": average, "optimiser": optimiser}
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
        update_average(average, model, recipe["average"], step)
        if (step + 1) % recipe["checkpoint_every"] == 0 or step + 1 == recipe["n_steps"]:
            print(
                f"{name} step {step + 1}/{recipe['n_steps']} eps {epsilon:.3f} loss {loss.item():.3f}",
                flush=True,
            )
            saved = {key: part.state_dict() for key, part in parts.items()}
            checkpoint.save(path, {"step": step + 1, **saved})
    average.eval()
    if recipe["calibrate"]:
        gain = fit_gain(average, *held_out)
        print(f"{name}: logits times {gain:.2f} fit clean digits best", flush=True)
        last: Any = average.get_submodule(recipe["last_layer"])
        scale_logits(last, gain)
    place.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous() for k, v in average.state_dict().items()}, place / f"{name}.safetensors")
    print(f"{name}: wrote {place / name}.safetensors; measure it with scripts/digits_card.py", flush=True)
