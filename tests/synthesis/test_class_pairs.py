"""Designs of basic-level categories, and of class pairs in a file."""

from collections import Counter

import pytest

from controversy.classes import IMAGENET, basic_categories, class_table
from controversy.errors import ControversyError
from controversy.synthesis import basic_level_pairs, read_class_pairs

CATEGORIES = basic_categories(IMAGENET)


@pytest.mark.parametrize("n", [1, 168, 240, 600])
def test_the_two_classes_are_of_different_categories_and_categories_are_balanced(n):
    requests = basic_level_pairs(CATEGORIES, n, seed=3)
    assert len(requests) == n
    named = [(CATEGORIES[r.class_1], CATEGORIES[r.class_2]) for r in requests]
    assert all(first != second for first, second in named)
    for side in (0, 1):
        counts = Counter(pair[side] for pair in named)
        assert max(counts.values()) - min([counts[c] for c in set(CATEGORIES.values())]) <= 1


def test_by_default_every_ordered_pair_of_categories_comes_once():
    named = {(CATEGORIES[r.class_1], CATEGORIES[r.class_2]) for r in basic_level_pairs(CATEGORIES)}
    assert len(named) == 16 * 15


def test_classes_of_a_category_take_turns():
    requests = basic_level_pairs(CATEGORIES, 480, seed=1)
    cats = Counter(r.class_1 for r in requests if CATEGORIES[r.class_1] == "cat")
    assert set(cats) == {281, 282, 283, 284, 285, 286}
    assert max(cats.values()) - min(cats.values()) <= 1


def test_a_seed_is_a_design():
    first, again, other = (basic_level_pairs(CATEGORIES, 50, seed=s) for s in (0, 0, 1))
    assert first == again
    assert first != other
    assert len({r.stimulus_id for r in basic_level_pairs(CATEGORIES, 600)}) == 600


def test_class_pairs_of_a_file_are_read_by_index_wordnet_id_or_name(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("class_1,class_2,why\n281,n02099601,pets\nespresso,teapot,\n", encoding="utf-8")
    assert read_class_pairs(path, class_table(IMAGENET)) == [(281, 207), (967, 849)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "columns class_1 and class_2"),
        ("class_1,class_2\n", "no class pairs"),
        ("class_1,class_2\n1,unicorn\n", "unicorn"),
    ],
)
def test_files_without_pairs_are_refused(text, said, tmp_path):
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ControversyError, match=said):
        read_class_pairs(tmp_path / "pairs.csv", class_table(IMAGENET))
