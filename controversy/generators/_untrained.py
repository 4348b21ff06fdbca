"""BigGAN-deeps with random weights: to try and time a study's code before its weights are there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from controversy.errors import ControversyError
from controversy.files import whole_file, write_text
from controversy.generators._biggan import BigGANGenerator

TINY: Mapping[str, Any] = {
    "output_dim": 32,
    "z_dim": 16,
    "class_embed_dim": 16,
    "channel_width": 4,
    "layers": [(False, 16, 16), (True, 16, 8), (True, 8, 4), (True, 4, 2), (False, 2, 1)],
    "attention_layer_position": 2,
}
"""A configuration of every part of BigGAN-deep, attention included, that takes a millisecond an image."""

_POWER_ITERATIONS = 30


def untrained_biggan(settings: Mapping[str, Any], seed: int) -> Any:
    """A `pytorch_pretrained_biggan.BigGAN` with random weights whose images are finite and not flat.

    As the package makes it, its images are undefined: the vectors that spectral norm divides by are far from
    the singular ones, the scale of the last batch norm is whatever memory held, and batch-norm statistics are
    not those of its activations. All three are put right here.

    Args:
        settings: Of `BigGANConfig`.
        seed: Of the weights.
    """
    from pytorch_pretrained_biggan import BigGAN, BigGANConfig
    from pytorch_pretrained_biggan.model import BigGANBatchNorm, SelfAttn

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BigGAN(BigGANConfig(**settings))
        z = torch.randn(8, model.config.z_dim)
        classes = torch.eye(model.config.num_classes)[torch.randint(model.config.num_classes, (8,))]
    final = model.generator.bn
    nn.init.ones_(final.weight)
    nn.init.zeros_(final.bias)
    handles = []
    for module in model.modules():
        if isinstance(module, SelfAttn):
            nn.init.ones_(module.gamma)
        if isinstance(module, BigGANBatchNorm):
            handles.append(module.register_forward_pre_hook(_take_statistics))
    with torch.no_grad():
        _converge_spectral_norms(model)
        model.eval()(z, classes, 1.0)
    for handle in handles:
        handle.remove()
    return model


def _take_statistics(norm: Any, inputs: tuple[Any, ...]) -> None:
    """Gives a batch norm, before it looks at a batch, that batch's statistics, for every truncation."""
    var, mean = torch.var_mean(inputs[0], dim=(0, 2, 3))
    norm.running_means.copy_(mean.expand_as(norm.running_means))
    norm.running_vars.copy_(var.expand_as(norm.running_vars))


def _converge_spectral_norms(model: nn.Module) -> None:
    """What many steps of training do to the singular vectors, without the steps."""
    from torch.nn.utils.spectral_norm import SpectralNorm

    for module in model.modules():
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm):
                for _ in range(_POWER_ITERATIONS):
                    hook.compute_weight(module, do_power_iteration=True)


def write_biggan(model: Any, folder: Path) -> None:
    """Writes a `BigGAN` in the released package's format: ``config.json`` and ``pytorch_model.bin``."""
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / "pytorch_model.bin") as temporary:
        torch.save(model.state_dict(), temporary)
    write_text(folder / "config.json", model.config.to_json_string())


def load_untrained(
    *, seed: int = 0, n_classes: int = 1000, class_set: str = "imagenet", **options: Any
) -> BigGANGenerator:
    """A tiny BigGAN-deep with random weights.

    Args:
        seed: Of the weights.
        n_classes: Of its class conditioning.
        class_set: What its classes are.
        **options: Of `BigGANGenerator`.

    Raises:
        ControversyError: An option is outside its values.
    """
    if n_classes < 2:
        raise ControversyError(f"n_classes is {n_classes}, but has to be 2 or more")
    model = untrained_biggan({**TINY, "num_classes": n_classes}, seed)
    return BigGANGenerator(model, name=f"biggan-untrained-{seed}", class_set=class_set, **options)
