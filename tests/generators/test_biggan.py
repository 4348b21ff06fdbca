"""Our BigGAN-deep against the released class, in every row of its statistics."""

import copy

import pytest
import torch
import torch.nn.functional as F
from pytorch_pretrained_biggan import BigGAN
from pytorch_pretrained_biggan.model import BigGANBatchNorm
from safetensors.torch import save_file

from controversy.generators import BigGANGenerator, load_biggan, untrained_biggan, write_biggan
from controversy.generators._biggan import _fold_spectral_norm
from controversy.generators._biggan_norm import FixedTruncationNorm
from controversy.generators._untrained import TINY

GRID = [round(0.02 * row, 2) for row in range(1, 51)]
# Where the released class takes the neighbouring row, as its authors' arithmetic has it.
MISSED = [0.14, 0.28, 0.56, 0.58, 0.94]


def ours(model: BigGAN, **options) -> BigGANGenerator:
    return BigGANGenerator(model, name="tiny", class_set="seven", **options)


def latents_of(n: int, truncation: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(3)
    return truncation * torch.randn(n, 16, generator=rng), F.one_hot(torch.arange(n) % 7, 7).float()


@torch.no_grad()
def test_the_released_class_misses_five_rows_of_its_grid(released):
    """What `released_statistics` reproduces, and what is put right without it."""
    norm = released().generator.bn
    norm.running_means.copy_(torch.arange(51.0)[:, None].expand(51, 4))
    norm.running_vars.fill_(1 - norm.eps)
    norm.weight.fill_(1)
    norm.bias.fill_(0)
    rows = {t: -norm(torch.zeros(1, 4, 1, 1), t).mean().item() for t in GRID}
    assert [t for t in GRID if abs(rows[t] - 50 * t) > 0.5] == MISSED


@torch.no_grad()
@pytest.mark.parametrize("conditional", [True, False])
def test_the_fixed_norm_is_the_released_one_in_every_row_and_between_rows(conditional):
    rng = torch.Generator().manual_seed(0)
    norm = BigGANBatchNorm(5, condition_vector_dim=6, conditional=conditional, eps=1e-4)
    norm.running_means.copy_(torch.randn(51, 5, generator=rng))
    norm.running_vars.copy_(torch.rand(51, 5, generator=rng) + 0.1)
    if not conditional:
        norm.weight.data, norm.bias.data = torch.randn(5, generator=rng), torch.randn(5, generator=rng)
    norm.eval()
    x, condition = torch.randn(3, 5, 4, 4, generator=rng), torch.randn(3, 6, generator=rng)
    for truncation in [*GRID, 0.505, 0.013, 0.999]:
        fixed = FixedTruncationNorm(norm, truncation, as_released=True)
        expected = norm(x, truncation, condition)
        torch.testing.assert_close(fixed(x, truncation, condition), expected, rtol=1e-4, atol=1e-4)
        if truncation in GRID and truncation not in MISSED:
            right = FixedTruncationNorm(norm, truncation)
            torch.testing.assert_close(right(x, truncation, condition), expected, rtol=1e-4, atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("truncation", [0.02, 0.1, 0.5, 0.98, 1.0])
def test_images_are_those_of_the_released_class(released, truncation):
    z, classes = latents_of(8, truncation)
    expected = (released()(z, classes, truncation) + 1) / 2
    found = ours(released(), truncation=truncation)({"z": z, "class_vector": classes})
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("truncation", [*MISSED, 0.325])
def test_where_the_released_class_takes_another_row_ours_does_so_only_when_asked(released, truncation):
    z, classes = latents_of(8, truncation)
    latents = {"z": z, "class_vector": classes}
    expected = (released()(z, classes, truncation) + 1) / 2
    as_released = ours(released(), truncation=truncation, released_statistics=True)
    torch.testing.assert_close(as_released(latents), expected, rtol=1e-4, atol=1e-5)
    assert (ours(released(), truncation=truncation)(latents) - expected).abs().max() > 1e-3


@torch.no_grad()
def test_folding_the_spectral_norm_changes_no_bit(released):
    z, classes = latents_of(4)
    folded = released()
    _fold_spectral_norm(folded)
    assert torch.equal(folded(z, classes, 0.5), released()(z, classes, 0.5))
    assert not [name for name in folded.state_dict() if name.endswith(("_orig", "_u", "_v"))]


def test_it_is_in_eval_mode_frozen_and_copied_where_the_released_one_cannot_be(released, tmp_path):
    model = untrained_biggan({**TINY, "num_classes": 7}, seed=0)
    write_biggan(model, tmp_path)
    loaded = BigGAN.from_pretrained(str(tmp_path))
    assert loaded.training
    assert all(parameter.requires_grad for parameter in loaded.parameters())
    z, classes = latents_of(2)
    loaded(z, classes, 1.0)
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(loaded)

    generator = ours(released())
    generator.train()
    assert not any(module.training for module in generator.modules())
    assert not any(parameter.requires_grad for parameter in generator.parameters())
    before = copy.deepcopy(generator.state_dict())
    image = generator({"z": z.requires_grad_(True), "class_vector": classes})
    assert torch.equal(copy.deepcopy(generator)({"z": z, "class_vector": classes}), image)
    assert all(torch.equal(before[name], value) for name, value in generator.state_dict().items())


@torch.no_grad()
def test_a_folder_is_read_as_the_released_package_reads_it(tmp_path):
    model = untrained_biggan({**TINY, "num_classes": 7}, seed=5)
    write_biggan(model, tmp_path / "torch")
    z, classes = latents_of(4)
    theirs = BigGAN.from_pretrained(str(tmp_path / "torch")).eval()(z, classes, 0.4)
    latents = {"z": z, "class_vector": classes}
    found = load_biggan(tmp_path / "torch", name="x", class_set="seven", truncation=0.4)
    torch.testing.assert_close(found(latents), (theirs + 1) / 2, rtol=1e-4, atol=1e-5)

    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "config.json").write_text((tmp_path / "torch" / "config.json").read_text())
    save_file(model.state_dict(), tmp_path / "safe" / "model.safetensors")
    safe = load_biggan(tmp_path / "safe", name="x", class_set="seven", truncation=0.4)
    assert torch.equal(safe(latents), found(latents))


@torch.no_grad()
def test_untrained_weights_follow_from_their_seed_and_give_images_that_are_finite_and_not_flat():
    z, classes = latents_of(16)
    images = [
        untrained_biggan({**TINY, "num_classes": 7}, seed).eval()(z, classes, 0.3) for seed in (0, 0, 1)
    ]
    assert torch.equal(images[0], images[1])
    assert not torch.equal(images[0], images[2])
    assert images[0].isfinite().all()
    assert images[0].std(dim=(1, 2, 3)).min() > 0.1
    assert (images[0].abs() < 0.99).float().mean() > 0.5


def test_untrained_weights_leave_the_callers_random_numbers_alone():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    untrained_biggan({**TINY, "num_classes": 7}, seed=9)
    assert torch.equal(torch.rand(1), expected)
