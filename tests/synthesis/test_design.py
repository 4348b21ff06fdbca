from collections import Counter

import pytest

from controversy.errors import ControversyError
from controversy.synthesis import class_pairs, explicit_pairs, untargeted


def test_default_is_every_ordered_pair_once():
    pairs = [(r.class_1, r.class_2) for r in class_pairs(10)]
    assert len(pairs) == len(set(pairs)) == 90
    assert all(a != b for a, b in pairs)


@pytest.mark.parametrize(
    ("n_classes", "n_stimuli"), [(10, 20), (10, 25), (10, 130), (1000, 168), (1000, 2500)]
)
def test_any_number_is_balanced_over_classes_on_both_sides(n_classes, n_stimuli):
    requests = class_pairs(n_classes, n_stimuli, seed=3)
    assert len(requests) == n_stimuli
    assert len({r.stimulus_id for r in requests}) == n_stimuli
    for side in ("class_1", "class_2"):
        count = Counter(getattr(r, side) for r in requests)
        assert max(count.values()) - min(count.get(c, 0) for c in range(n_classes)) <= 1
    most = max(Counter((r.class_1, r.class_2) for r in requests).values())
    assert most == -(-n_stimuli // (n_classes * (n_classes - 1)))  # no pair twice before every pair once


def test_stimulus_seeds_follow_from_the_pair_and_the_study_seed_alone():
    by_pair = {(r.class_1, r.class_2): r.seed for r in class_pairs(10, seed=5)}
    subset = class_pairs(10, 20, seed=5)
    assert all(by_pair[r.class_1, r.class_2] == r.seed for r in subset)
    assert len(set(by_pair.values())) == 90
    other = {r.seed for r in class_pairs(10, seed=6)}
    assert not other & set(by_pair.values())


def test_seeds_survive_a_spreadsheet():
    assert all(r.seed < 10**15 for r in class_pairs(10))


def test_attempts_of_one_request_draw_different_numbers():
    request = class_pairs(10)[0]
    draws = [request.rng(attempt).initial_seed() for attempt in range(5)]
    assert len(set(draws)) == 5


def test_a_pair_given_twice_is_two_stimuli():
    first, second = explicit_pairs([(3, 5), (3, 5)])
    assert first.stimulus_id != second.stimulus_id
    assert first.seed != second.seed


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: class_pairs(10, 0), "n_stimuli is 0"),
        (lambda: class_pairs(1), "1 classes make no pair"),
        (lambda: untargeted(0), "n_stimuli is 0"),
        (lambda: explicit_pairs([(4, 4)]), "names one class twice"),
    ],
)
def test_bad_designs_are_refused(make, said):
    with pytest.raises(ControversyError, match=said):
        make()
