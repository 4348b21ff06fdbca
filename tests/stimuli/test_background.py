"""In a ``with`` block a thread stores the stimuli: later, but the same bytes, and none lost unsaid."""

import threading

import pytest

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter, _records, _writer

PAIR = {"pair": ["alpha", "beta"], "seed": 0}


@pytest.fixture
def gate(monkeypatch) -> threading.Event:
    """While it is closed, no image gets to the disk."""
    opened, write = threading.Event(), _records.write_png

    def wait(*arguments):
        assert opened.wait(60)
        write(*arguments)

    monkeypatch.setattr(_records, "write_png", wait)
    return opened


@pytest.fixture
def full_disk(monkeypatch) -> None:
    """There is no room for the third image."""
    write, calls = _records.write_png, []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        write(*arguments)

    monkeypatch.setattr(_records, "write_png", fail)


def test_the_set_is_the_same(tmp_path, digests, make_set, add_stimuli, classifiers, classes):
    expected = make_set("expected")
    with SetWriter(tmp_path / "set", PAIR) as writer:
        order = add_stimuli(writer)
        writer.finish(order, classifiers, classes, {})
    assert digests(tmp_path / "set") == digests(expected.folder)


def test_the_caller_goes_on_while_the_disk_is_slow_and_done_is_what_is_there(tmp_path, add_stimuli, gate):
    with SetWriter(tmp_path / "set", PAIR) as writer:
        order = add_stimuli(writer, only=5)
        assert not writer.done
        gate.set()
        writer.flush()
        assert writer.done == set(order[:5])
        assert SetWriter(tmp_path / "set", PAIR).done == set(order[:5])


def test_no_more_than_the_queue_waits_in_memory(tmp_path, add_stimuli, gate, monkeypatch):
    monkeypatch.setattr(_writer, "QUEUE", 3)
    with SetWriter(tmp_path / "set", PAIR) as writer:
        adding = threading.Thread(target=add_stimuli, args=(writer,))
        adding.start()
        adding.join(0.5)
        waits = adding.is_alive()  # the fourth of twelve, for room
        gate.set()
        adding.join(60)
        assert waits
        assert not adding.is_alive()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_what_was_added_is_stored_when_the_loop_ends_by_an_exception(tmp_path, add_stimuli, gate, stop):
    def loop():
        with SetWriter(tmp_path / "set", PAIR) as writer:
            order.extend(add_stimuli(writer, only=5))
            raise stop

    order: list[str] = []
    threading.Timer(0.2, gate.set).start()
    with pytest.raises(stop):
        loop()
    assert SetWriter(tmp_path / "set", PAIR).done == set(order[:5])


def test_a_stimulus_that_could_not_be_stored_is_named_and_the_others_are_there(
    tmp_path, add_stimuli, full_disk
):
    lost = "0-3-seed0"
    with (
        pytest.raises(ControversyError, match=f"cannot store stimulus {lost}.*No space left") as told,
        SetWriter(tmp_path / "set", PAIR) as writer,
    ):
        order = add_stimuli(writer)
    assert "The 2 stimuli before it are safe" in str(told.value)
    assert SetWriter(tmp_path / "set", PAIR).done == writer.done
    assert lost in order
    assert lost not in writer.done


@pytest.mark.usefixtures("full_disk")
def test_finish_does_not_complete_a_set_with_a_hole(tmp_path, add_stimuli, classifiers, classes):
    with SetWriter(tmp_path / "set", PAIR) as writer:
        order = add_stimuli(writer, only=3)
        with pytest.raises(ControversyError, match="cannot store"):
            writer.finish(order[:3], classifiers, classes, {})
    assert not writer.complete


@pytest.mark.usefixtures("full_disk")
def test_the_error_of_the_loop_comes_first_and_carries_that_of_the_disk(tmp_path, add_stimuli):
    def loop():
        with SetWriter(tmp_path, PAIR) as writer:
            add_stimuli(writer, only=3)
            raise RuntimeError("the loop's own")

    with pytest.raises(RuntimeError, match="the loop's own") as told:
        loop()
    assert "No space left" in "".join(told.value.__notes__)
