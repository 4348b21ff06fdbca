"""Tensors written a few rows at a time are the file that safetensors writes at once."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from controversy.errors import ControversyError
from controversy.stimuli._rows import chunks, row_file
from controversy.stimuli._tensors import array_kinds, read_array

N = 7


@pytest.fixture
def tensors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "z": rng.normal(size=(N, 5)).astype(np.float32),
        "a model": rng.normal(size=(N, 3, 2)).astype(np.float32),
        "größe": rng.normal(size=N),
        "half": rng.normal(size=(N, 4)).astype(np.float16),
        "label": rng.integers(0, 9, N),
        "seen": rng.integers(0, 2, N).astype(bool),
    }


def write(path, tensors, size):
    kinds = {name: (values.dtype, values.shape[1:]) for name, values in tensors.items()}
    with row_file(path, kinds, N) as rows:
        for part in chunks(N, size):
            for name, values in tensors.items():
                rows.write(name, part.start, values[part])


@pytest.mark.parametrize("size", [1, 3, N])
def test_the_bytes_are_those_of_safetensors(tmp_path, tensors, size):
    save_file(tensors, tmp_path / "at_once")
    write(tmp_path / "by_rows", tensors, size)
    assert (tmp_path / "by_rows").read_bytes() == (tmp_path / "at_once").read_bytes()


def test_a_file_without_tensors_is_one_too(tmp_path):
    save_file({}, tmp_path / "at_once")
    write(tmp_path / "by_rows", {}, N)
    assert (tmp_path / "by_rows").read_bytes() == (tmp_path / "at_once").read_bytes()


def test_each_tensor_is_read_back_as_it_was(tmp_path, tensors):
    save_file(tensors, tmp_path / "file")
    assert array_kinds(tmp_path / "file") == {n: (v.dtype, v.shape[1:]) for n, v in tensors.items()}
    for name, values in tensors.items():
        again = read_array(tmp_path / "file", name)
        np.testing.assert_array_equal(again, values)
        assert again.dtype == values.dtype


def test_changing_what_was_read_leaves_the_file_alone(tmp_path, tensors):
    save_file(tensors, tmp_path / "file")
    read_array(tmp_path / "file", "z")[:] = 0
    np.testing.assert_array_equal(read_array(tmp_path / "file", "z"), tensors["z"])


@pytest.mark.parametrize("values", [np.zeros((1, 4), np.float32), np.zeros((1, 5))])
def test_a_row_of_another_kind_is_refused_and_leaves_no_file(tmp_path, values):
    kinds = {"z": (np.dtype("float32"), (5,))}
    with pytest.raises(ControversyError, match="of one kind"), row_file(tmp_path / "file", kinds, N) as rows:
        rows.write("z", 0, values)
    assert not list(tmp_path.iterdir())


def test_a_type_that_a_set_does_not_hold_is_refused(tmp_path):
    with (
        pytest.raises(ControversyError, match="z is complex64"),
        row_file(tmp_path / "file", {"z": (np.dtype("complex64"), ())}, N),
    ):
        pass
