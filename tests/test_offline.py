"""offline=true is a guarantee: whatever a library does, no socket to anywhere opens."""

import os
import socket
import urllib.request

import pytest

from controversy.errors import ControversyError
from controversy.offline import no_network

REACHES = {
    "a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "a connection": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    "a name": lambda: socket.getaddrinfo("example.org", 443),
    "an URL": lambda: urllib.request.urlopen("http://127.0.0.1:9/", timeout=1),
}


@pytest.mark.parametrize("reach", REACHES.values(), ids=REACHES)
def test_no_library_reaches_the_network(reach):
    with no_network(), pytest.raises(ControversyError, match="offline=true"):
        reach()


def test_torch_hub_and_hugging_face_are_stopped_too(tmp_path, monkeypatch):
    import torch
    from huggingface_hub import hf_hub_download

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with no_network():
        with pytest.raises(ControversyError, match="offline=true"):
            torch.hub.load_state_dict_from_url("http://127.0.0.1:9/model.pth")
        with pytest.raises(Exception, match=r"offline|cannot find|locate"):
            hf_hub_download("timm/resnet18.a1_in1k", "model.safetensors", cache_dir=tmp_path)


def test_processes_of_one_machine_may_still_talk():
    with no_network():
        ours, theirs = socket.socketpair()
        ours.sendall(b"hello")
        assert theirs.recv(5) == b"hello"
        ours.close()
        theirs.close()


def test_afterwards_all_is_as_before():
    before = os.environ.get("HF_HUB_OFFLINE")
    with no_network(), no_network(offline=False):
        assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ.get("HF_HUB_OFFLINE") == before
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
