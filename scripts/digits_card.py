"""Measures the embedded digits world and writes its model cards.

    python scripts/digits_card.py --mnist mnist.pkl.gz [--threads 2] [--only NAME]

Results of earlier runs stay in outputs/training/card.json, so that models can be measured one at a time;
the cards are written once everything is there. Needs the extra `train` (foolbox).
"""

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import foolbox
import torch
import torch.nn.functional as F
from eagerpy.astensor import astensor
from foolbox.models.pytorch import PyTorchModel
from torch import Tensor, nn

from controversy.classifiers import load_classifier
from controversy.files import write_text
from controversy.generators import load_generator
from digits_training.generator import variety_of_classes
from digits_training.mnist import load_mnist
from digits_training.referee import load_referee
from digits_training.sheet import write_sheet

ROOT = Path(__file__).resolve().parent.parent
CLASSIFIERS = ("digits_resnet", "digits_vit", "digits_convnext", "digits_swin")
N_DRAWS = 10
EPSILON, N_ATTACK_STEPS, N_RESTARTS, N_ATTACKED = 0.2, 100, 5, 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mnist", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=["generator", *CLASSIFIERS])
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    record = ROOT / "outputs" / "training" / "card.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    images, labels = load_mnist(arguments.mnist)["test"]
    write_sheet(images, labels, ROOT / "tests" / "data" / "digits_test.png")
    for name in [arguments.only] if arguments.only else ["generator", *CLASSIFIERS]:
        measure = measure_generator if name == "generator" else partial(measure_classifier, name)
        measured = measure(images, labels)
        print(name, measured, flush=True)
        figures = json.loads(record.read_text()) if record.exists() else {}
        figures[name] = measured  # read just before: another run may have added a model meanwhile
        write_text(record, json.dumps(figures, indent=2) + "\n")
    if all(name in figures for name in ("generator", *CLASSIFIERS)):
        write_cards(figures)


@torch.no_grad()
def measure_generator(digits: Tensor, labels: Tensor) -> dict[str, Any]:
    """How often the referee sees the class asked for, in ten draws of 1,000 at truncation 1; and variety."""
    generator = load_generator("digits", conditioning="fixed", truncation=1.0)
    referee = load_referee(ROOT / "tests" / "data" / "referee.safetensors")
    asked = torch.arange(10).repeat_interleave(100)
    class_vector = F.one_hot(asked, 10).float()
    right, variety = [], []
    for seed in range(N_DRAWS):
        latents = generator.sample(1000, torch.Generator().manual_seed(seed))
        images = generator({**latents, "class_vector": class_vector})[:, :1]
        right.append(referee(images).argmax(1) == asked)
        variety.append(variety_of_classes(images, asked, 10))
    by_draw = torch.stack(right).float().mean(1)
    return {
        "recognised": by_draw.mean().item(),
        "least": by_draw.min().item(),
        "most": by_draw.max().item(),
        "by_class": torch.stack(right).view(N_DRAWS, 10, 100).float().mean((0, 2)).tolist(),
        "variety": (torch.stack(variety).mean(0) / variety_of_classes(digits, labels, 10)).tolist(),
        "n_parameters": sum(p.numel() for p in generator.parameters()),
    }


def measure_classifier(name: str, images: Tensor, labels: Tensor) -> dict[str, Any]:
    """Accuracy on all test digits, and on the first 1,000 under foolbox's projected gradient descent."""
    model = load_classifier(name)
    rgb = images.expand(-1, 3, -1, -1)
    with torch.no_grad():
        predicted = torch.cat([model(batch).argmax(1) for batch in torch.split(rgb, 500)])
    attack = foolbox.attacks.LinfPGD(steps=N_ATTACK_STEPS, rel_stepsize=0.05, random_start=True).repeat(
        N_RESTARTS
    )
    attacked = PyTorchModel(_grey_only(model), bounds=(0, 1), device="cpu")
    torch.manual_seed(0)
    broken = []
    for index in torch.arange(N_ATTACKED).view(-1, 250):
        batch = astensor(images[index]), astensor(labels[index])
        _, _, success = attack(attacked, *batch, epsilons=EPSILON)
        broken.append(success.raw)
    return {
        "clean": (predicted == labels).float().mean().item(),
        "clean_first_1000": (predicted[:N_ATTACKED] == labels[:N_ATTACKED]).float().mean().item(),
        "robust": 1 - torch.cat(broken).float().mean().item(),
        "n_parameters": sum(p.numel() for p in model.parameters()),
    }


def _grey_only(model: nn.Module) -> nn.Module:
    """The attack moves one grey value a pixel, as no digit has colours."""

    class Grey(nn.Module):
        def forward(self, images: Tensor) -> Tensor:
            logits: Tensor = model(images.expand(-1, 3, -1, -1))
            return logits

    return Grey().eval()


def write_cards(figures: dict[str, dict[str, Any]]) -> None:
    """Writes both model cards from the figures."""
    templates = ROOT / "scripts" / "digits_training" / "cards"
    rows = "\n".join(
        f"| `{name}` | {one['n_parameters']:,} | {one['clean']:.2%} | {one['robust']:.1%} |"
        for name, one in ((name, figures[name]) for name in CLASSIFIERS)
    )
    text = (templates / "classifiers.md").read_text()
    write_text(ROOT / "controversy" / "classifiers" / "digits" / "README.md", text.replace("{rows}", rows))
    made = figures["generator"]
    text = (templates / "generator.md").read_text()
    for key in ("by_class", "variety"):
        text = text.replace(f"{{{key}}}", " | ".join(f"{share:.0%}" for share in made[key]))
    for key in ("recognised", "least", "most"):
        text = text.replace(f"{{{key}}}", f"{made[key]:.1%}")
    text = text.replace("{n_parameters}", f"{made['n_parameters']:,}")
    write_text(ROOT / "controversy" / "generators" / "digits" / "README.md", text)


if __name__ == "__main__":
    main()
