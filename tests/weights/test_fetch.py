"""Downloads against a server on this machine: resumed, checked, and whole or not at all."""

import hashlib
import io
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch

from controversy.errors import ControversyError
from controversy.offline import no_network
from controversy.weights import Download, fetch


def checkpoint() -> bytes:
    stream = io.BytesIO()
    torch.save({"weight": torch.arange(1000.0)}, stream)
    return stream.getvalue()


CONTENT = checkpoint()
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PAGE = b"<!DOCTYPE html><html>Sign in to continue</html>"


class Handler(BaseHTTPRequestHandler):
    """Serves CONTENT, from where a Range header says; breaks off once where told to."""

    def __init__(self, state, *args):
        self.state = state
        super().__init__(*args)

    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        body = PAGE if self.path == "/page" else CONTENT
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self.state["starts"].append(start)
        if self.path == "/no_ranges":
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start : self.state.pop("break_at", None)])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    state = {"starts": []}
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, state)) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        state["url"] = f"http://127.0.0.1:{serving.server_port}"
        yield state
        serving.shutdown()
        thread.join()


def left(path):
    """What lies where a file was to be."""
    return sorted(p.name for p in path.parent.iterdir())


def test_a_file_arrives_whole_under_its_name(server, tmp_path):
    path, seen = tmp_path / "deep" / "model.pt", []
    wanted = Download(f"{server['url']}/model.pt", path, sha256=DIGEST[:8], size=len(CONTENT))
    assert fetch(wanted, lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert left(path) == ["model.pt"]
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert not fetch(wanted)


@pytest.mark.parametrize("place", ["ranges", "no_ranges"])
def test_what_broke_off_is_continued(place, server, tmp_path):
    path = tmp_path / "model.pt"
    server["break_at"] = 2000
    wanted = Download(f"{server['url']}/{place}", path, sha256=DIGEST)
    with pytest.raises(ControversyError, match="What has arrived is kept"):
        fetch(wanted)
    assert left(path) == ["model.pt.part"]
    assert fetch(wanted)
    assert path.read_bytes() == CONTENT
    assert server["starts"] == [0, 2000]


@pytest.mark.parametrize(
    ("place", "facts", "said"),
    [
        ("page", {}, "web page"),
        ("model.pt", {"sha256": "0" * 8}, "SHA-256"),
        ("model.pt", {"size": 12}, "12 are published"),
    ],
    ids=["page", "digest", "size"],
)
def test_what_is_not_the_file_is_removed_with_what_to_do_by_hand(place, facts, said, server, tmp_path):
    path = tmp_path / "model.pt"
    with pytest.raises(ControversyError, match=said) as refused:
        fetch(Download(f"{server['url']}/{place}", path, page="the page of the model", **facts))
    assert "By hand: open the page of the model" in str(refused.value)
    assert left(path) == []


def test_a_file_of_another_kind_is_refused_by_its_first_bytes(server, tmp_path):
    with pytest.raises(ControversyError, match="no safetensors file"):
        fetch(Download(f"{server['url']}/model", tmp_path / "model.safetensors"))


def test_a_server_without_the_file_leaves_nothing(server, tmp_path):
    path = tmp_path / "model.pt"
    with pytest.raises(ControversyError, match="404"):
        fetch(Download(f"{server['url']}/missing", path))
    assert left(path) == []


def test_another_process_at_the_same_file_is_waited_for_by_hand(server, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "model.pt"
    with (tmp_path / "model.pt.part").open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(ControversyError, match="another process"):
            fetch(Download(f"{server['url']}/model.pt", path))


def test_offline_nothing_is_reached(server, tmp_path):
    with no_network(), pytest.raises(ControversyError, match="offline=true"):
        fetch(Download(f"{server['url']}/model.pt", tmp_path / "model.pt"))
    assert server["starts"] == []
