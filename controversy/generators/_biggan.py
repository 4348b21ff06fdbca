"""BigGAN-deep (Brock, Donahue & Simonyan 2019), as `pytorch_pretrained_biggan` releases it."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from controversy.errors import ControversyError
from controversy.files import sha256
from controversy.generators._base import Generator, Latents
from controversy.generators._biggan_attention import replace_attention
from controversy.generators._biggan_norm import fix_truncation
from controversy.generators._simplex import project_to_simplex
from controversy.generators._truncation import (
    CUT,
    largest_typical_norm,
    sample_truncated_normal,
    typical_norm,
)
from controversy.weights import load_strictly, read_weights

Conditioning = Literal["fixed", "mixture", "simplex", "embedding"]
ZConstraint = Literal["box", "typical"]


class BigGANGenerator(Generator):
    """A BigGAN-deep at one truncation, with its class conditioning open to optimisation.

    Latents: noise ``z [n, z_dim]`` and either ``class_vector [n, n_classes]``, a point of the
    simplex that weights the class embeddings, or ``embedding [n, z_dim]`` itself.

    Args:
        model: A `pytorch_pretrained_biggan.BigGAN` with its weights; it is taken over and changed
            (spectral norm folded into the weights, batch norm fixed to the truncation).
        name: What users and manifests call it.
        class_set: What its classes are.
        truncation: In (0, 1]: noise lies within +- twice this.
        conditioning: What synthesis may do with the class. "fixed": nothing, it is one of the two
            alternatives; "mixture": any mixture of the two; "simplex": any mixture of all classes;
            "embedding": any vector in the place of a class embedding.
        z_constraint: "box": each coordinate of z within the truncation; "typical": moreover its norm no
            larger than that of 99 % of samples, since a box has corners where no sample falls.
        released_statistics: Interpolate the batch-norm statistics as the released package does.
        weights_sha256: Digests of the files it was loaded from.

    Raises:
        ControversyError: An option is outside its values.
    """

    padded_embeddings: Tensor

    def __init__(
        self,
        model: Any,
        *,
        name: str,
        class_set: str,
        truncation: float = 1.0,
        conditioning: Conditioning = "simplex",
        z_constraint: ZConstraint = "typical",
        released_statistics: bool = False,
        weights_sha256: dict[str, str] | None = None,
    ) -> None:
        super().__init__()
        if not 0 < truncation <= 1:
            raise ControversyError(f"truncation is {truncation}, but has to be above 0 and at most 1")
        for option, value, allowed in (
            ("conditioning", conditioning, get_args(Conditioning)),
            ("z_constraint", z_constraint, get_args(ZConstraint)),
        ):
            if value not in allowed:
                raise ControversyError(f"{option} is {value!r}, but has to be one of {', '.join(allowed)}")
        self.name, self.class_set, self.truncation = name, class_set, truncation
        self.conditioning, self.z_constraint = conditioning, z_constraint
        self.released_statistics, self.weights_sha256 = released_statistics, weights_sha256
        self.n_classes, self.z_dim = model.config.num_classes, model.config.z_dim
        self.image_size = model.config.output_dim
        self.free = {"fixed": ("z",), "embedding": ("z", "embedding")}.get(
            conditioning, ("z", "class_vector")
        )
        _fold_spectral_norm(model)
        _keep_three_filters(model.generator.conv_to_rgb)
        fix_truncation(model, truncation, as_released=released_statistics)
        replace_attention(model)
        self.model = model
        # Small matrix products whose sides are no multiples of 16 are summed in an order that depends on a
        # row's place in the batch (MKL); with padded classes an image's gradient does not.
        weight = F.pad(model.embeddings.weight.detach(), (0, -self.n_classes % 16))
        self.register_buffer("padded_embeddings", weight, persistent=False)
        self.requires_grad_(False)
        self.train(False)

    def sample(self, n: int, rng: torch.Generator, alternatives: tuple[int, int] | None = None) -> Latents:
        """Truncated noise, and a class between the alternatives: `Generator.sample`."""
        z = sample_truncated_normal(n, self.z_dim, rng) * self.truncation
        position = torch.rand(n, 1, generator=rng)
        drawn = torch.rand(n, self.n_classes, generator=rng).argsort(1)[:, :2]
        pair = drawn if alternatives is None else torch.tensor(alternatives).expand(n, 2)
        if self.conditioning == "fixed":
            position = position.round()
        first, second = (F.one_hot(pair[:, side], self.n_classes).float() for side in (0, 1))
        class_vector = torch.lerp(first, second, position)
        latents = {"z": z, "class_vector": class_vector}
        if self.conditioning == "embedding":
            weight = self.model.embeddings.weight
            latents = {"z": z, "embedding": class_vector @ weight.detach().cpu().T}
        elif self.conditioning == "mixture":
            latents["alternatives"] = pair.clone()
        return self.constrain(latents)

    def forward(self, latents: Latents) -> Tensor:
        """Latents -> images ``[n, 3, h, w]`` in [0, 1]."""
        condition = torch.cat([latents["z"], self._embedding(latents)], dim=1)
        return (self.model.generator(condition, self.truncation) + 1) / 2

    def constrain(self, latents: Latents) -> Latents:
        """Noise inside the truncation, class vectors on the simplex (or their face of it)."""
        bound = CUT * self.truncation
        z = latents["z"].clamp(-bound, bound)
        if self.z_constraint == "typical":
            largest = largest_typical_norm(self.z_dim) * self.truncation
            z = z * (largest / z.norm(dim=1, keepdim=True).clamp(min=1e-12)).clamp(max=1)
        allowed = {**latents, "z": z}
        if "class_vector" in self.free:
            face = None
            if "alternatives" in latents:
                face = torch.zeros_like(latents["class_vector"], dtype=torch.bool)
                face = face.scatter(1, latents["alternatives"], torch.ones_like(face))
            allowed["class_vector"] = project_to_simplex(latents["class_vector"], face)
        return allowed

    def deviation(self, latents: Latents) -> dict[str, Tensor]:
        """How far latents are from the training distribution.

        * ``z_norm``: norm of z over the root mean square norm of samples (1 is typical);
        * ``z_at_bound``: share of z's coordinates on the bound of the truncation;
        * ``class_distance``: distance of the embedding from the nearest class's, over the mean distance
          of two classes (0: a class it was trained on; 0.5: half-way between two);
        * ``class_weight``: largest weight in the class vector (1: one class), where there is one.
        """
        z, bound = latents["z"], CUT * self.truncation
        classes = self.model.embeddings.weight.T
        between = torch.pdist(classes).mean()
        measures = {
            "z_norm": z.norm(dim=1) / (typical_norm(self.z_dim) * self.truncation),
            "z_at_bound": (z.abs() >= bound * (1 - 1e-6)).float().mean(1),
            "class_distance": torch.cdist(self._embedding(latents), classes).amin(1) / between,
        }
        if "class_vector" in latents:
            measures["class_weight"] = latents["class_vector"].amax(1)
        return measures

    def description(self) -> dict[str, Any]:
        """What a manifest records."""
        return {
            "name": self.name,
            "class_set": self.class_set,
            "image_size": self.image_size,
            "truncation": self.truncation,
            "conditioning": self.conditioning,
            "z_constraint": self.z_constraint,
            "released_statistics": self.released_statistics,
            "weights_sha256": self.weights_sha256,
        }

    def _embedding(self, latents: Latents) -> Tensor:
        if "embedding" in latents:
            return latents["embedding"]
        return F.linear(F.pad(latents["class_vector"], (0, -self.n_classes % 16)), self.padded_embeddings)


def _fold_spectral_norm(model: nn.Module) -> None:
    """Divides each weight by its spectral norm once, where the released model does at every call.

    Same operations in the same order, so the images are the same to the bit.
    """
    from torch.nn.utils import remove_spectral_norm

    for module in model.modules():
        if hasattr(module, "weight_orig"):
            remove_spectral_norm(module)


def _keep_three_filters(last: nn.Conv2d) -> None:
    """Drops the filters of the last convolution whose output the released model computes and throws away."""
    assert last.bias is not None
    last.weight = nn.Parameter(last.weight[:3].detach().clone())
    last.bias = nn.Parameter(last.bias[:3].detach().clone())
    last.out_channels = 3


def load_biggan(folder: Path | str, *, name: str, class_set: str, **options: Any) -> BigGANGenerator:
    """Loads a BigGAN-deep from the released package's directory format.

    Args:
        folder: Holds ``config.json`` and ``pytorch_model.bin`` (or ``model.safetensors``).
        name: What to call it.
        class_set: What its classes are.
        **options: Of `BigGANGenerator`.

    Raises:
        ControversyError: A file is missing or damaged, a key is missing, surplus or of another shape (the
            released loader accepts anything), or an option is outside its values.
    """
    from pytorch_pretrained_biggan import BigGAN, BigGANConfig

    folder = Path(folder)
    configuration = folder / "config.json"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        weights = folder / "pytorch_model.bin"
    if not configuration.is_file():
        raise ControversyError(f"{folder} has no config.json: not a BigGAN in the released package's format")
    try:
        settings = json.loads(configuration.read_text(encoding="utf-8"))
        model = BigGAN(BigGANConfig(**settings))
    except (json.JSONDecodeError, TypeError) as problem:
        raise ControversyError(
            f"{configuration} is no configuration of a BigGAN-deep: {problem}"
        ) from problem
    load_strictly(model, read_weights(weights), weights)
    digests = {path.name: sha256(path) for path in (configuration, weights)}
    return BigGANGenerator(model, name=name, class_set=class_set, weights_sha256=digests, **options)
