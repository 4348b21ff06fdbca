import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.judgments import ExclusionRules, apply_exclusions, pseudonymise, validate


def study():
    rows = [
        # participant, stimulus, choice, kind, correct, rt, confidence
        *[
            ("good", s, c, "main", None, 1.0, k)
            for s, c, k in zip("pqrs", [1, 2, 1, 2], [1, 2, 3, 1], strict=True)
        ],
        ("good", "clear", 1, "catch", 1, 1.0, 3),
        ("good", "p", 1, "repeat", None, 1.0, 1),
        *[("same", s, 2, "main", None, 0.1, 3) for s in "pqrs"],
        ("same", "clear", 2, "catch", 1, 0.1, 3),
        ("same", "p", 1, "repeat", None, 0.1, 3),
        *[("slow", s, c, "main", None, t, 2) for s, c, t in zip("pq", [1, 2], [2.0, 50.0], strict=True)],
    ]
    names = ["participant", "stimulus_id", "choice", "kind", "correct", "rt", "confidence"]
    return validate(pd.DataFrame(rows, columns=names))


@pytest.mark.parametrize(
    ("rules", "participants", "trials"),
    [
        ({"min_catch_accuracy": 0.5}, 1, 4),
        ({"min_repeat_consistency": 0.5}, 1, 4),
        ({"max_same_response": 0.9}, 1, 4),
        ({"min_rt": 0.2}, 1, 4),
        ({"max_rt": 10}, 0, 1),
        ({"min_trials": 3}, 1, 2),
        ({"min_trials": 1}, 0, 0),
    ],
)
def test_each_rule_leaves_out_whom_it_says_and_counts_them(rules, participants, trials):
    kept, exclusions = apply_exclusions(study(), ExclusionRules(**rules))
    assert [(e.participants, e.trials) for e in exclusions] == [(participants, trials)]
    assert (kept["kind"] == "main").sum() == 10 - trials


def test_rules_apply_one_after_the_other_and_nobody_is_counted_twice():
    rules = ExclusionRules(min_catch_accuracy=0.5, max_same_response=0.9, max_rt=10, min_trials=2)
    kept, exclusions = apply_exclusions(study(), rules)
    assert [(e.rule, e.participants, e.trials) for e in exclusions] == [
        ("min_catch_accuracy", 1, 4),
        ("max_same_response", 0, 0),
        ("max_rt", 0, 1),
        ("min_trials", 1, 1),
    ]
    assert set(kept["participant"]) == {"good"}


def test_no_rule_leaves_out_nothing():
    kept, exclusions = apply_exclusions(study(), ExclusionRules())
    assert len(kept) == len(study())
    assert exclusions == []


def test_rules_that_cannot_apply_are_refused():
    main = study().query("kind == 'main'").drop(columns="rt")
    for rules, words in [
        ({"min_catch_accuracy": 0.5}, "kind=catch"),
        ({"min_repeat_consistency": 0.5}, "kind=repeat"),
        ({"min_rt": 0.2}, "no rt"),
        ({"min_trials": 99}, "leave no judgment"),
    ]:
        with pytest.raises(ControversyError, match=words):
            apply_exclusions(main, ExclusionRules(**rules))
    with pytest.raises(ControversyError, match="is no share"):
        ExclusionRules(min_catch_accuracy=80)


def test_pseudonyms_join_sessions_under_one_salt_and_say_nothing_without_it():
    ids = pd.Series(["ann", "bob", "ann"])
    first = pseudonymise(ids, b"pepper")
    assert first[0] == first[2] != first[1]
    assert (pseudonymise(ids, b"pepper") == first).all()
    assert not set(pseudonymise(ids)) & set(first)
    assert not set(pseudonymise(ids)) & set(pseudonymise(ids))
    with pytest.raises(ControversyError, match="empty"):
        pseudonymise(ids, b"")
