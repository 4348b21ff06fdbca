"""Any torch module becomes a classifier by declaring its preprocessing."""

import pytest
import torch
from hydra.utils import instantiate
from torch import nn

from controversy.classifiers import wrap_module
from controversy.errors import ControversyError


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 10))


def test_a_module_is_wrapped_with_what_it_declares(tmp_path):
    original = network()
    torch.save(
        {"state_dict": {f"module.{k}": v for k, v in original.state_dict().items()}}, tmp_path / "mine.pt"
    )
    with torch.no_grad():
        for parameter in (fresh := network()).parameters():
            parameter.zero_()
    wrapped = wrap_module(
        fresh,
        name="mine",
        size=16,
        n_classes=10,
        class_set="digits",
        weights=tmp_path / "mine.pt",
        mean=(0.5,),
        std=(0.25,),
    )
    images = torch.rand(2, 3, 16, 16, requires_grad=True)
    logits = wrapped(images)
    assert torch.allclose(logits, original((images - 0.5) / 0.25))
    logits.sum().backward()
    assert images.grad.abs().sum() > 0
    assert not any(p.requires_grad for p in wrapped.parameters())
    assert not wrapped.train().network.training
    assert len(wrapped.description()["weights_sha256"]) == 64


def test_a_configuration_makes_one_by_its_target():
    made = instantiate(
        {
            "_target_": "controversy.classifiers.wrap_module",
            "network": {
                "_target_": "timm.create_model",
                "model_name": "mobilenetv3_small_050",
                "num_classes": 10,
            },
            "name": "mine",
            "size": 64,
            "n_classes": 10,
            "class_set": "digits",
            "mean": [0.485, 0.456, 0.406],
            "std": [0.229, 0.224, 0.225],
        }
    )
    assert made(torch.rand(1, 3, 64, 64)).shape == (1, 10)


def test_weights_that_do_not_fit_are_refused(tmp_path):
    torch.save(nn.Linear(3, 3).state_dict(), tmp_path / "other.pt")
    with pytest.raises(ControversyError, match=r"other\.pt does not fit"):
        wrap_module(network(), name="mine", size=16, weights=tmp_path / "other.pt")
