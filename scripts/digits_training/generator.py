"""Trains the digits BigGAN-deep on MNIST.

Brock, Donahue & Simonyan (2019), "Large scale GAN training for high fidelity natural image
synthesis", in small: hinge loss, projection discriminator (Miyato & Koyama 2018) with spectral
norm, exponential moving average of the generator, standing statistics for every truncation.
The released `pytorch_pretrained_biggan.BigGAN` has no batch-statistics mode, so this file supplies
one; what it saves is the library's own directory format.
"""

import copy
import json
import types
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from pytorch_pretrained_biggan import BigGAN, BigGANConfig
from pytorch_pretrained_biggan.model import BigGANBatchNorm
from scipy.stats import truncnorm
from torch import Tensor, nn
from torch.nn.utils import spectral_norm

from digits_training import checkpoint
from digits_training.average import update_average


class Discriminator(nn.Module):
    """Four strided convolutions with spectral norm, and a projection on the class."""

    def __init__(self, width: int, n_classes: int) -> None:
        super().__init__()
        widths = [1, width, 2 * width, 4 * width, 8 * width]
        self.convolutions = nn.ModuleList(
            spectral_norm(nn.Conv2d(i, o, 4, stride=2, padding=1)) for i, o in pairwise(widths)
        )
        self.score = spectral_norm(nn.Linear(widths[-1], 1))
        self.projection = spectral_norm(nn.Embedding(n_classes, widths[-1]))

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        """Images ``[n, 1, 32, 32]`` in [-1, 1] and labels ``[n]`` -> scores ``[n]``."""
        x = images
        for convolution in self.convolutions:
            x = F.leaky_relu(convolution(x), 0.2)
        features = x.mean(dim=(2, 3))
        return self.score(features).squeeze(1) + (self.projection(labels) * features).sum(1)


def _batch_statistics_forward(
    self: Any, x: Tensor, truncation: float, condition_vector: Any = None
) -> Tensor:
    """`BigGANBatchNorm.forward` with the statistics of this batch, kept in ``self.seen``."""
    var, mean = torch.var_mean(x, dim=(0, 2, 3), correction=0)
    if getattr(self, "seen", None) is not None:
        self.seen.append(torch.stack([mean, var]).detach())
    x = (x - mean[:, None, None]) * torch.rsqrt(var + self.eps)[:, None, None]
    if self.conditional:
        weight = 1 + self.scale(condition_vector)
        bias = self.offset(condition_vector)
        return x * weight[:, :, None, None] + bias[:, :, None, None]
    return x * self.weight[:, None, None] + self.bias[:, None, None]


def with_batch_statistics(model: BigGAN) -> BigGAN:
    """Makes every batch norm of ``model`` use the statistics of its batch."""
    for norm in _norms(model):
        norm.forward = types.MethodType(_batch_statistics_forward, norm)
    return model


def _norms(model: BigGAN) -> list[BigGANBatchNorm]:
    return [m for m in model.modules() if isinstance(m, BigGANBatchNorm)]


def tie_grey(model: BigGAN) -> None:
    """Copies the red output filter to green and blue, so that images are exactly grey."""
    last = model.generator.conv_to_rgb
    with torch.no_grad():
        for parameter in (last.weight_orig, last.bias):
            parameter[1:3] = parameter[:1]


def new_generator(recipe: dict[str, Any]) -> BigGAN:
    model = BigGAN(BigGANConfig(**recipe["architecture"]))
    # Classes start alike, and the last ReLU mostly open: it has few channels, and a class for which all
    # of them are shut gets no gradient any more. (The released class leaves the norm uninitialised.)
    nn.init.normal_(model.embeddings.weight, std=0.05)
    nn.init.ones_(model.generator.bn.weight)
    nn.init.ones_(model.generator.bn.bias)
    tie_grey(model)
    return model


def sample_latents(
    n: int, z_dim: int, n_classes: int, truncation: float, rng: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Noise as the released package draws it (normal cut at +-2, times the truncation), and labels."""
    uniform = torch.rand(n, z_dim, generator=rng, dtype=torch.float64).numpy()
    z = torch.from_numpy(truncnorm.ppf(uniform, -2, 2)).float() * truncation
    return z, torch.randint(n_classes, (n,), generator=rng)


def _batches(n: int, size: int, rng: torch.Generator) -> Iterator[Tensor]:
    while True:
        yield from torch.randperm(n, generator=rng).split(size)[: n // size]


def train(recipe: dict[str, Any], images: Tensor, labels: Tensor, folder: Path) -> BigGAN:
    """Trains, or continues the training that left a checkpoint in ``folder``."""
    torch.manual_seed(recipe["seed"])
    n_classes, z_dim = recipe["architecture"]["num_classes"], recipe["architecture"]["z_dim"]
    generator = with_batch_statistics(new_generator(recipe)).train()
    average = copy.deepcopy(generator)
    discriminator = Discriminator(recipe["discriminator_width"], n_classes).train()
    optimisers = {
        "generator": torch.optim.Adam(generator.parameters(), lr=recipe["lr_generator"], betas=(0.0, 0.999)),
        "discriminator": torch.optim.Adam(
            discriminator.parameters(), lr=recipe["lr_discriminator"], betas=(0.0, 0.999)
        ),
    }
    parts = {
        "generator_net": generator,
        "average_net": average,
        "discriminator_net": discriminator,
        **optimisers,
    }
    start = 0
    if state := checkpoint.load(folder / "generator.ckpt"):
        start = state["step"]
        for name, part in parts.items():
            part.load_state_dict(state[name])
    rng = torch.Generator().manual_seed(recipe["seed"] + start)
    variety = recipe["variety_share"] * variety_of_classes(images * 2 - 1, labels, n_classes)
    order = _batches(len(images), recipe["batch_size"], rng)
    for step in range(start, recipe["n_steps"]):
        decay = max(0.0, 1 - step / recipe["n_steps"]) if recipe["decay"] else 1.0
        for name, optimiser in optimisers.items():
            optimiser.param_groups[0]["lr"] = recipe[f"lr_{name}"] * max(decay, 0.05)
        z, fake_labels = sample_latents(recipe["batch_size"], z_dim, n_classes, 1.0, rng)
        fake_labels = fake_labels[: len(z) // 2].repeat(2)  # pairs of one class, half a batch apart
        condition = F.one_hot(fake_labels, n_classes).float()
        fake = generator(z, condition, 1.0)[:, :1]
        index = next(order)
        blur = recipe["noise"] * max(0.0, 1 - step / recipe["noise_steps"])
        real_score = discriminator(_noisy(images[index] * 2 - 1, blur, rng), labels[index])
        fake_score = discriminator(_noisy(fake.detach(), blur, rng), fake_labels)
        loss = F.relu(1 - real_score).mean() + F.relu(1 + fake_score).mean()
        optimisers["discriminator"].zero_grad(set_to_none=True)
        loss.backward()
        optimisers["discriminator"].step()

        discriminator.requires_grad_(False)
        optimisers["generator"].zero_grad(set_to_none=True)
        fooled = -discriminator(_noisy(fake, blur, rng), fake_labels).mean()
        (fooled + recipe["variety"] * _lack_of_variety(fake, fake_labels, variety)).backward()
        discriminator.requires_grad_(True)
        optimisers["generator"].step()
        tie_grey(generator)
        update_average(average, generator, recipe["average"], step)
        if (step + 1) % recipe["checkpoint_every"] == 0 or step + 1 == recipe["n_steps"]:
            print(
                f"generator step {step + 1}/{recipe['n_steps']} discriminator loss {loss.item():.3f}",
                flush=True,
            )
            saved = {name: part.state_dict() for name, part in parts.items()}
            checkpoint.save(folder / "generator.ckpt", {"step": step + 1, **saved})
    return average


def variety_of_classes(images: Tensor, labels: Tensor, n_classes: int) -> Tensor:
    """Mean absolute difference of two images of a class, by class, ``[n_classes]``."""
    found = []
    for label in range(n_classes):
        some = images[labels == label][:2000]
        half = len(some) // 2
        found.append((some[:half] - some[half : 2 * half]).abs().mean())
    return torch.stack(found)


def _lack_of_variety(images: Tensor, labels: Tensor, variety: Tensor) -> Tensor:
    """By how much two samples of a class differ less than they should: 0 (not at all) to 1.

    Against the collapse of each class to one image, to which a small discriminator is blind; after the
    mode-seeking term of Mao et al. (2019), but with an end: a given share of the digits' variety is enough.
    """
    first, second = images.chunk(2)
    difference = (first - second).abs().mean(dim=(1, 2, 3))
    return F.relu(1 - difference / variety[labels[: len(first)]]).mean()


def _noisy(images: Tensor, amplitude: float, rng: torch.Generator) -> Tensor:
    """Instance noise (Sønderby et al. 2017): without it whole classes collapse in the first steps."""
    return images + amplitude * torch.randn(images.shape, generator=rng) if amplitude > 0 else images


@torch.no_grad()
def fill_standing_statistics(model: BigGAN, recipe: dict[str, Any]) -> None:
    """Fills row ``i`` of every norm's statistics with those at truncation ``i / (n_stats - 1)``.

    Balanced batches at each truncation; the spectral-norm vectors are first brought to
    convergence for the averaged weights and then left alone (eval mode).
    """
    config = model.config
    rng = torch.Generator().manual_seed(recipe["seed"])
    size, norms = recipe["statistics_batch_size"], _norms(model)
    labels = torch.arange(size) % config.num_classes
    condition = F.one_hot(labels, config.num_classes).float()
    model.train()
    for _ in range(50):
        model(torch.randn(2, config.z_dim, generator=rng), condition[:2], 1.0)
    model.eval()
    for row in range(config.n_stats):
        for norm in norms:
            norm.seen = []
        for _ in range(recipe["statistics_batches"]):
            z, _ = sample_latents(size, config.z_dim, config.num_classes, row / (config.n_stats - 1), rng)
            model(z, condition, 1.0)
        for norm in norms:
            mean, var = torch.stack(norm.seen).mean(0)
            norm.running_means[row], norm.running_vars[row] = mean, var
            norm.seen = None


def save_pretrained(model: BigGAN, folder: Path) -> None:
    """Writes ``config.json`` and ``pytorch_model.bin``, the released package's own format."""
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint.save(folder / "pytorch_model.bin", model.state_dict())
    (folder / "config.json").write_text(json.dumps(model.config.to_dict(), indent=2, sort_keys=True) + "\n")
