"""Files of weights: tensors only, and every usual failure refused with the file's name and a remedy."""

import pickle

import pytest
import torch
from safetensors.torch import save_file

from controversy.errors import ControversyError
from controversy.weights import load_strictly, read_weights, strip_prefixes

STATE = {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.ones(2)}


class Shell:
    """What a malicious file holds: something to call while it is unpickled."""

    def __reduce__(self):
        import os

        return os.system, ("touch /tmp/controversy_was_here",)


@pytest.mark.parametrize("name", ["state.pt", "state.safetensors"])
def test_what_was_saved_is_read(name, tmp_path):
    path = tmp_path / name
    (save_file if path.suffix == ".safetensors" else torch.save)(STATE, path)
    assert all(torch.equal(value, STATE[key]) for key, value in read_weights(path).items())


@pytest.mark.parametrize("legacy", [False, True])
def test_nested_tensors_are_found(legacy, tmp_path):
    path = tmp_path / "state.pt"
    torch.save({"epoch": 3, "state_dict": STATE}, path, _use_new_zipfile_serialization=not legacy)
    assert read_weights(path, nested=("state_dict",)).keys() == STATE.keys()
    with pytest.raises(ControversyError, match="no names to tensors"):
        read_weights(path)


@pytest.mark.parametrize("legacy", [False, True])
def test_code_in_a_file_is_named_and_not_run(legacy, tmp_path):
    path = tmp_path / "evil.pt"
    torch.save({"state_dict": STATE, "extra": Shell()}, path, _use_new_zipfile_serialization=not legacy)
    with pytest.raises(ControversyError, match=r"system.* was not loaded") as refused:
        read_weights(path, nested=("state_dict",))
    assert str(path) in str(refused.value)
    assert "weights_only=False" not in str(refused.value)  # torch's advice is to run it


def test_a_plain_pickle_is_no_file_of_weights(tmp_path):
    path = tmp_path / "plain.pt"
    path.write_bytes(pickle.dumps(Shell()))
    with pytest.raises(ControversyError, match=r"plain\.pt"):
        read_weights(path)


@pytest.mark.parametrize("name", ["state.pt", "state.safetensors"])
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_truncated_file_is_refused(name, kept, tmp_path):
    path = tmp_path / name
    big = {"weight": torch.rand(100, 100)}
    (save_file if path.suffix == ".safetensors" else torch.save)(big, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ControversyError, match="cannot read weights") as refused:
        read_weights(path)
    assert str(path) in str(refused.value)
    assert "fetch it again" in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n  <!DOCTYPE html><title>Google Drive - Virus scan warning</title>", "web page"),
        (b"<html><body>Quota exceeded</body></html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1234", "git lfs pull"),
        (b"", "empty"),
    ],
    ids=["warning", "quota", "pointer", "empty"],
)
def test_what_is_saved_in_the_place_of_a_file_is_recognised(content, said, tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(content)
    with pytest.raises(ControversyError, match=said) as refused:
        read_weights(path)
    assert str(path) in str(refused.value)


def test_a_missing_file_is_named_with_what_to_do(tmp_path):
    with pytest.raises(ControversyError, match=r"models fetch NAME.*docs/models\.md"):
        read_weights(tmp_path / "absent.pt")


def test_prefixes_go_only_where_all_keys_have_them():
    wrapped = {f"module.{key}": value for key, value in STATE.items()}
    assert strip_prefixes(wrapped, ("module.", "model.")).keys() == STATE.keys()
    half = {"module.weight": STATE["weight"], "bias": STATE["bias"]}
    assert strip_prefixes(half, ("module.",)) == half
    beside = {"model.weight": STATE["weight"], "normalize.mean": STATE["bias"]}
    assert strip_prefixes(beside, ("model.",), keep=("normalize.",)).keys() == {"weight", "normalize.mean"}


def test_only_the_counter_of_training_steps_may_be_missing(tmp_path):
    norm = torch.nn.BatchNorm2d(3)
    state = {k: v for k, v in norm.state_dict().items() if k != "num_batches_tracked"}
    load_strictly(norm, {**state, "running_mean": torch.full((3,), 2.0)}, tmp_path)
    assert norm.running_mean.tolist() == [2.0, 2.0, 2.0]
    del state["running_mean"]
    with pytest.raises(ControversyError, match="missing running_mean"):
        load_strictly(norm, state, tmp_path)
