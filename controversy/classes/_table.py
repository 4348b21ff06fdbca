"""The classes of a set, and finding one in it."""

from pathlib import Path

import pandas as pd

from controversy.errors import ControversyError

DIGITS = "digits"
IMAGENET = "imagenet"

_FOLDER = Path(__file__).resolve().parent


def class_table(class_set: str) -> pd.DataFrame:
    """The classes of a set: columns index (int), wnid ("" where there is none) and name.

    Args:
        class_set: "digits", "imagenet", or the path of a CSV of your own with columns index (0, 1, ...),
            name and, where there is one, wnid.

    ImageNet's names are the first of each synset's lemmas, as timm's `ImageNetInfo` gives them; the six
    of its classes whose first lemma is another's too (crane, maillot, cardigan) are told apart by their
    glosses.

    Raises:
        ControversyError: The set is unknown, or its file has other columns or gaps.
    """
    if class_set == DIGITS:
        return pd.DataFrame({"index": range(10), "wnid": "", "name": [str(digit) for digit in range(10)]})
    if class_set == IMAGENET:
        return pd.read_csv(_FOLDER / "imagenet.csv", dtype={"index": int, "wnid": str, "name": str})
    if class_set.endswith(".csv"):
        return _own_table(Path(class_set))
    raise ControversyError(
        f"there is no class set {class_set!r}; there are {DIGITS}, {IMAGENET}, and files "
        "of your own, CSV with columns index and name"
    )


def _own_table(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path.expanduser(), dtype=str, keep_default_na=False)
        table["index"] = table["index"].astype(int)
        names = table["name"]
    except (OSError, KeyError, ValueError) as problem:
        raise ControversyError(
            f"a class set is a CSV with columns index and name; {path}: {problem}"
        ) from problem
    if table["index"].tolist() != list(range(len(table))):
        raise ControversyError(f"the indices in {path} have to run 0, 1, ... in order")
    return pd.DataFrame({"index": table["index"], "wnid": table.get("wnid", ""), "name": names})


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
            f"{text!r} stands for classes {found.tolist()}: give the index or the WordNet id"
        )
    raise ControversyError(
        f"there is no class {text!r}; give an index, a WordNet id or a name of classes.csv"
    )
