"""What makes no sense is refused before it is in a set."""

import pytest
import torch

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter, StimulusSet


@pytest.mark.parametrize(
    ("stimulus_id", "changes", "message"),
    [
        ("../a", {"stimulus_id": "../a"}, "cannot be a file name"),
        (".a", {"stimulus_id": ".a"}, "cannot be a file name"),
        ("", {"stimulus_id": ""}, "cannot be a file name"),
        ("b", {}, "says stimulus_id 'a'"),
        ("a", {"class_2": 0}, "class_1 = class_2 = 0"),
        ("a", {"controversiality": 1.0}, "gives controversiality, which the set computes"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(tmp_path, stimulus_id, changes, message, image, row):
    with pytest.raises(ControversyError, match=message):
        SetWriter(tmp_path / "set", {}).add(stimulus_id, image(), {}, row(**changes))


@pytest.mark.parametrize(
    "column", ["stimulus_id", "model_1", "model_2", "class_1", "class_2", "seed", "n_steps"]
)
def test_a_row_that_lacks_a_column_is_refused(tmp_path, column, image, row):
    given = {key: value for key, value in row().items() if key != column}
    with pytest.raises(ControversyError, match=f"lacks {column}"):
        SetWriter(tmp_path / "set", {}).add("a", image(), {}, given)


@pytest.mark.parametrize(
    "wrong",
    [torch.zeros(3, 8, 8), torch.zeros(1, 8, 8, dtype=torch.uint8), torch.zeros(3, 8, dtype=torch.uint8)],
)
def test_an_image_that_is_not_8_bit_rgb_is_refused(tmp_path, wrong, row):
    with pytest.raises(ControversyError, match=r"must be uint8 \[3, h, w\]"):
        SetWriter(tmp_path / "set", {}).add("a", wrong, {}, row())


@pytest.mark.parametrize(
    ("changes", "order", "message"),
    [
        ({}, ["a", "b"], "1 stimuli are missing"),
        ({}, [], "empty set"),
        ({}, ["a", "a"], "twice"),
        ({"class_2": 4}, ["a"], "class_2 = 4, but there are only 4"),
        ({"class_1": -1}, ["a"], "class_1 = -1"),
        ({"model_2": "gamma"}, ["a"], "made for gamma"),
    ],
)
def test_a_set_that_cannot_be_finished_says_why(
    tmp_path, classifiers, classes, changes, order, message, image, row
):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image(), {}, row(**changes))
    with pytest.raises(ControversyError, match=message):
        writer.finish(order, classifiers, classes, {})
    with pytest.raises(ControversyError, match="unfinished"):
        StimulusSet(tmp_path / "set")


def test_stimuli_with_different_columns_are_refused(tmp_path, classifiers, classes, image, row):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image(), {}, row())
    writer.add("b", image(), {}, row(stimulus_id="b", n_restarts=1))
    with pytest.raises(ControversyError, match=r"a and b differ in their columns: n_restarts"):
        writer.finish(["a", "b"], classifiers, classes, {})


def test_the_configuration_must_be_json(tmp_path):
    with pytest.raises(ControversyError, match="must be JSON"):
        SetWriter(tmp_path / "set", {"device": torch.device("cpu")})


def test_a_classifier_of_other_classes_is_refused(tmp_path, classifiers, classes, image, row):
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image(), {}, row())
    with pytest.raises(ControversyError, match="knows 4 classes, the set has 2"):
        writer.finish(["a"], classifiers, classes.head(2), {})
