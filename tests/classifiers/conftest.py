import pytest

from controversy.offline import no_network


@pytest.fixture(autouse=True)
def _sockets_blocked():
    """No test here may reach for the network: every library that tries is stopped."""
    with no_network():
        yield


@pytest.fixture
def weights_root(tmp_path, monkeypatch):
    """An empty folder of weights, and an empty cache of torch.hub."""
    monkeypatch.setenv("CONTROVERSY_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "huggingface"))
    return tmp_path / "weights"
