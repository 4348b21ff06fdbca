"""The embedded classifiers on real digits: right on clean ones, and still right under attack."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image

from controversy.classifiers import Classifier, load_classifier
from controversy.errors import ControversyError
from controversy.weights import load_strictly

NAMES = ["digits_resnet", "digits_vit", "digits_convnext", "digits_swin"]


@pytest.fixture(scope="module")
def test_digits() -> tuple[torch.Tensor, torch.Tensor]:
    """300 digits of MNIST's test set as images ``[300, 3, 32, 32]``, and their labels."""
    sheet = np.asarray(Image.open(Path(__file__).parents[1] / "data" / "digits_test.png"))
    grid = torch.from_numpy(sheet.copy()).view(10, 28, 30, 28).permute(0, 2, 1, 3).reshape(300, 1, 28, 28)
    images = F.pad(grid.float() / 255, (2, 2, 2, 2)).expand(-1, 3, -1, -1)
    return images, torch.arange(10).repeat_interleave(30)


@pytest.fixture(scope="module", params=NAMES)
def classifier(request) -> Classifier:
    return load_classifier(request.param)


def test_knows_clean_digits(classifier, test_digits):
    images, labels = test_digits
    with torch.no_grad():
        accuracy = (classifier(images).argmax(1) == labels).float().mean()
    assert accuracy >= 0.965  # 97.5 % on all 10,000 (model card); two standard errors of 300 lower


def test_is_robust_where_a_plain_network_is_not(classifier, test_digits):
    """Projected gradient ascent, 20 steps in an l-infinity ball of 0.2, on a third of the digits."""
    images, labels = (x[::3] for x in test_digits)
    low, high = (images - 0.2).clamp(min=0), (images + 0.2).clamp(max=1)
    attacked = images.clone()
    for _ in range(20):
        attacked = attacked.detach().requires_grad_(True)
        loss = F.cross_entropy(classifier(attacked), labels)
        (gradient,) = torch.autograd.grad(loss, attacked)
        # One grey value a pixel: the attack may not use colours that no digit has.
        direction = gradient.sum(1, keepdim=True).sign()
        attacked = torch.minimum(torch.maximum(attacked + 0.025 * direction, low), high)
    assert (attacked - images).abs().max() <= 0.2 + 1e-6
    with torch.no_grad():
        accuracy = (classifier(attacked.detach()).argmax(1) == labels).float().mean()
    # 85 % under the stronger attack of the model card; this one has 100 digits, a fifth of the steps
    assert accuracy >= 0.80


def test_is_frozen_in_eval_mode_and_lets_gradients_through(classifier):
    assert not classifier.train().training
    assert all(not module.training for module in classifier.modules())
    assert all(not p.requires_grad for p in classifier.parameters())
    images = torch.rand(2, 3, 32, 32, requires_grad=True)
    logits = classifier(images)
    assert logits.shape == (2, 10)
    logits.sum().backward()
    assert images.grad is not None
    assert images.grad.abs().sum() > 0


def test_describes_itself_with_the_digest_of_its_weights(classifier):
    description = classifier.description()
    assert description["name"] == classifier.name
    assert len(description["weights_sha256"]) == 64
    assert description["preprocessing"]["size"] == 32


@pytest.mark.parametrize(
    "bad", [torch.rand(3, 32, 32), torch.rand(2, 1, 32, 32), torch.zeros(2, 3, 32, 32).byte()]
)
def test_anything_but_a_batch_of_images_is_refused_with_its_shape(bad):
    with pytest.raises(ControversyError, match=r"takes float images \[n, 3, h, w\]"):
        load_classifier("digits_convnext")(bad)


def test_the_four_differ():
    with torch.no_grad():
        images = torch.rand(8, 3, 32, 32, generator=torch.Generator().manual_seed(0))
        logits = [load_classifier(name)(images) for name in NAMES]
    for i in range(4):
        for j in range(i):
            assert (logits[i] - logits[j]).abs().max() > 0.1


def test_a_missing_or_surplus_key_is_refused(tmp_path):
    network = load_classifier("digits_convnext").network
    state = network.state_dict()
    name = next(iter(state))
    with pytest.raises(ControversyError, match=f"missing {name}"):
        load_strictly(network, {k: v for k, v in state.items() if k != name}, tmp_path / "x.safetensors")
    with pytest.raises(ControversyError, match="surplus more"):
        load_strictly(network, {**state, "more": torch.zeros(1)}, tmp_path / "x.safetensors")
