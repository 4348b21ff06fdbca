"""Basic-level categories: what a person would call the thing at first sight."""

from pathlib import Path

import pandas as pd

from controversy.classes._table import DIGITS, class_table

_FILE = Path(__file__).resolve().parent / "basic_categories.csv"


def basic_categories(class_set: str) -> dict[int, str]:
    """The basic category of each class that has one: class index -> category.

    For ImageNet, the 16 categories of Geirhos et al. (2018, "Generalisation in humans and deep neural
    networks"), as mapped to WordNet ids in their group's model-vs-human benchmark: 207 of the 1,000
    classes have one. For digits, each is its own.

    Raises:
        ControversyError: The class set is unknown.
    """
    table = class_table(class_set)
    if class_set == DIGITS:
        return dict(zip(table["index"], table["name"], strict=True))
    found = table.merge(pd.read_csv(_FILE), on="wnid", validate="one_to_one")
    return dict(zip(found["index"], found["category"], strict=True))
