"""Class sets: what the indices of logits mean.

A class is keyed by its index and, for ImageNet, its WordNet id; a display name is for people only.
"""

import pandas as pd

from controversy.errors import ControversyError

DIGITS = "digits"


def class_table(class_set: str) -> pd.DataFrame:
    """The classes of a set: columns index (int), wnid ("" where there is none) and name.

    Raises:
        ControversyError: The set is unknown.
    """
    if class_set != DIGITS:
        raise ControversyError(f"there is no class set {class_set!r}; there is: {DIGITS}")
    return pd.DataFrame({"index": range(10), "wnid": "", "name": [str(digit) for digit in range(10)]})


def class_index(word: str | int, table: pd.DataFrame) -> int:
    """The index of a class given by index, WordNet id, or display name where that is unique.

    Raises:
        ControversyError: There is no such class, or its name stands for several.
    """
    text = str(word)
    if text.lstrip("-").isdigit():
        if int(text) in set(table["index"]):
            return int(text)
        raise ControversyError(f"there is no class {text}: indices run from 0 to {table['index'].max()}")
    found = table.loc[(table["wnid"] == text) | (table["name"].str.casefold() == text.casefold()), "index"]
    if len(found) == 1:
        return int(found.iloc[0])
    if len(found) > 1:
        raise ControversyError(
            f"the name {text!r} stands for classes {found.tolist()}: give the index or the WordNet id"
        )
    raise ControversyError(
        f"there is no class {text!r}; give an index, a WordNet id or a name of classes.csv"
    )
