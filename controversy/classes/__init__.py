"""Classes: what the indices of logits mean.

A class is keyed by its index and, for ImageNet, its WordNet id (WNID); a display name is for people only.

| name               | is |
|--------------------|----|
| `class_table`      | the classes of a set: index, wnid, name |
| `class_index`      | a class by index, WordNet id or name |
| `rename_classes`   | other names, for what participants read |
| `read_class_names` | such names from a CSV |
| `basic_categories` | the 16 basic categories of Geirhos et al. (2018) |
"""

from controversy.classes._categories import basic_categories
from controversy.classes._names import read_class_names, rename_classes
from controversy.classes._table import DIGITS, IMAGENET, class_index, class_table

__all__ = [
    "DIGITS",
    "IMAGENET",
    "basic_categories",
    "class_index",
    "class_table",
    "read_class_names",
    "rename_classes",
]
