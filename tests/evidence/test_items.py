import numpy as np
import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.evidence import Items, items_from_set, items_from_tables


def table(rows):
    return pd.DataFrame(rows, columns=["item", "model", "evidence"])


EVIDENCE = table(
    [("x", "a", 1.0), ("x", "b", -2.0), ("x", "c", 0.0), ("y", "a", 3.0), ("y", "b", 4.0), ("y", "c", -5.0)]
)
TARGETS = pd.DataFrame({"item": ["x", "y"], "model_1": ["a", "a"], "model_2": ["b", None]})


def test_subsets_say_what_a_model_had_to_do_with_an_item():
    items = items_from_tables(EVIDENCE, TARGETS)
    assert items.models == ("a", "b", "c")
    assert items.subset("targeted").tolist() == [[True, True, False], [True, False, False]]
    assert items.subset("other_pairs").tolist() == [[False, False, False], [False, True, False]]
    assert items.subset("held_out").tolist() == [[False, False, True], [False, False, True]]
    assert items.subset("all").all()


def test_every_item_is_in_exactly_one_of_the_three_proper_subsets():
    rng = np.random.default_rng(0)
    items = Items(tuple("pqrst"), tuple("abc"), rng.normal(size=(5, 3)), rng.random((5, 3)) < 0.3)
    total = sum(items.subset(name).astype(int) for name in ("targeted", "other_pairs", "held_out"))
    assert (total == 1).all()


def test_positive_evidence_chooses_the_second_alternative_and_none_is_a_tie():
    items = items_from_tables(EVIDENCE)
    assert items.predictions.tolist() == [[1, 0, 0.5], [1, 1, 0]]
    assert items.n_ties.tolist() == [0, 0, 1]


def test_two_forms_of_the_targets_table_mean_the_same():
    long = pd.DataFrame({"item": ["x", "x", "y"], "model": ["a", "b", "a"]})
    assert (items_from_tables(EVIDENCE, long).targeted == items_from_tables(EVIDENCE, TARGETS).targeted).all()


@pytest.mark.parametrize(
    ("evidence", "targets", "words"),
    [
        (EVIDENCE.iloc[:-1], None, "'c' on item 'y' is nan"),
        (pd.concat([EVIDENCE, EVIDENCE.iloc[:1]]), None, "'a' on item 'x' is there twice"),
        (EVIDENCE.drop(columns="model"), None, "no column 'model'"),
        (EVIDENCE.assign(evidence=np.inf), None, "inf"),
        (EVIDENCE, pd.DataFrame({"item": ["z"], "model": ["a"]}), "item 'z'"),
        (EVIDENCE, pd.DataFrame({"item": ["x"], "model": ["d"]}), "model 'd'"),
        (EVIDENCE, TARGETS.assign(correct=[1, 3]), "correct alternative 3"),
    ],
)
def test_evidence_that_cannot_be_used_is_named(evidence, targets, words):
    with pytest.raises(ControversyError, match=words):
        items_from_tables(evidence, targets)


def test_a_model_without_evidence_is_named_with_those_there_are():
    with pytest.raises(ControversyError, match=r"'d'.*a, b, c"):
        items_from_tables(EVIDENCE).select(["d"])


LOGITS = {"a": np.array([[1, 3, 0], [5, 0, 2]], "float32"), "b": np.array([[9, 1, 0], [0, 0, 0]], "float32")}


class SetOfTwo:
    """The interface of a stimulus set, with logits known by heart."""

    models = ("a", "b")
    metadata = pd.DataFrame(
        {
            "stimulus_id": ["s0", "s1"],
            "model_1": ["a", "b"],
            "model_2": ["b", "c"],
            "class_1": [0, 2],
            "class_2": [1, 0],
            "class_1_name": ["zero", "two"],
            "class_2_name": ["one", "zero"],
        }
    )

    def evidence(self, model):
        rows = np.arange(2)
        return LOGITS[model][rows, self.metadata["class_2"]] - LOGITS[model][rows, self.metadata["class_1"]]


def test_items_of_a_set_carry_its_evidence_targets_and_class_pairs():
    items = items_from_set(SetOfTwo())
    assert items.evidence.tolist() == [[2, -8], [3, 0]]
    assert items.targeted.tolist() == [[True, True], [False, True]]
    assert items.class_pairs == ("zero / one", "two / zero")
    with pytest.raises(ControversyError, match=r"evaluate models=\[c\]"):
        items_from_set(SetOfTwo(), ["c"])


def test_two_classes_of_one_name_stay_two():
    stimuli = SetOfTwo()
    stimuli.metadata = stimuli.metadata.assign(class_1_name=["crane", "crane"], class_2_name=["7", "crane"])
    assert items_from_set(stimuli).class_pairs == ("crane (0) / 7", "crane (2) / crane (0)")
