import copy

import pytest
import torch

from controversy.generators import untrained_biggan
from controversy.generators._untrained import TINY

SEVEN = {**TINY, "num_classes": 7}


@pytest.fixture(scope="session")
def _made_once():
    model = untrained_biggan(SEVEN, seed=0)
    rng = torch.Generator().manual_seed(1)
    # Every truncation gets its own statistics, as in the released weights, so that a wrong row shows.
    for name, buffer in model.named_buffers():
        if "running_" in name:
            buffer.mul_(1 + 0.5 * torch.rand(buffer.shape, generator=rng))
    return model.state_dict()


@pytest.fixture
def released(_made_once):
    """A tiny BigGAN-deep of the released class, a new one at each call, always with the same weights."""
    from pytorch_pretrained_biggan import BigGAN, BigGANConfig

    def make():
        model = BigGAN(BigGANConfig(**SEVEN)).eval()
        model.load_state_dict(copy.deepcopy(_made_once))
        return model

    return make
