import itertools
import weakref

import pytest

from controversy.errors import ControversyError
from controversy.synthesis import class_pairs
from controversy.synthesis._attempts import MOST_NON_FINITE, AttemptQueue, Outcome


def outcome(value: float, *, reached: bool = False, finite: bool = True) -> Outcome:
    return Outcome(finite, reached, value, {}, (0, 1), 10)


def decide(outcomes: list[Outcome], order: tuple[int, ...], n_attempts: int):
    """Feeds outcomes of one request in the given order until it is decided."""
    queue = AttemptQueue(class_pairs(10)[:1], n_attempts)
    queue.next()
    for attempt in order:
        choice = queue.record(0, attempt, outcomes[attempt])
        if choice:
            return choice
    return None


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([outcome(0.2), outcome(0.96, reached=True), outcome(0.99, reached=True)], (1, 2)),
        ([outcome(0.2), outcome(0.6), outcome(0.4)], (1, 3)),
        ([outcome(0.5), outcome(0.5), outcome(0.5)], (0, 3)),
    ],
)
def test_the_choice_does_not_depend_on_the_order_in_which_attempts_end(outcomes, expected):
    for order in itertools.permutations(range(3)):
        choice = decide(outcomes, order, 3)
        assert choice is not None
        assert (choice.attempt, choice.n_attempts) == expected


def test_an_attempt_on_non_finite_numbers_does_not_count():
    outcomes = [outcome(9.0, finite=False), outcome(0.3), outcome(0.2)]
    choice = decide(outcomes, (0, 1, 2), 2)
    assert choice is not None
    assert (choice.attempt, choice.n_attempts, choice.n_non_finite) == (1, 3, 1)


def test_a_request_that_is_never_finite_stops_the_run_with_its_name():
    queue = AttemptQueue(class_pairs(10)[:1], 3)
    for attempt in range(MOST_NON_FINITE):
        assert queue.next() == (0, attempt)
        assert queue.record(0, attempt, outcome(0, finite=False)) is None
    with pytest.raises(ControversyError, match="stimulus 0-1-0"):
        queue.record(0, MOST_NON_FINITE, outcome(0, finite=False))


def test_every_request_is_begun_before_any_gets_a_second_slot():
    queue = AttemptQueue(class_pairs(10)[:5], 4)
    assert [queue.next() for _ in range(5)] == [(i, 0) for i in range(5)]
    # Idle slots then try ahead, evenly, and never more than the budget.
    ahead = []
    while (attempt := queue.next()) is not None:
        ahead.append(attempt)
    assert ahead == [(i, attempt) for attempt in (1, 2, 3) for i in range(5)]


def test_a_failed_attempt_is_followed_up_before_new_requests():
    queue = AttemptQueue(class_pairs(10)[:5], 4)
    queue.next()
    queue.record(0, 0, outcome(0.1))
    assert queue.next() == (0, 1)


def test_what_was_tried_is_forgotten_once_a_request_is_decided():
    """So that memory does not grow with the number of stimuli."""
    queue = AttemptQueue(class_pairs(10)[:1], 2)
    queue.next()
    tried = [outcome(0.2), outcome(0.6), outcome(0.9)]
    seen = [weakref.ref(one) for one in tried]
    queue.record(0, 0, tried.pop(0))
    assert seen[0]() is not None
    choice = queue.record(0, 1, tried.pop(0))
    assert choice is not None
    queue.record(0, 2, tried.pop(0))  # was running when the others decided
    assert [ref() is None for ref in seen] == [True, False, True]
    del choice
    assert seen[1]() is None
