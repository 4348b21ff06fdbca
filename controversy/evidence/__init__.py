"""Two-alternative items and the models' evidence on them.

| name | is |
|---|---|
| `Items` | items, models, evidence, which model an item was made against |
| `items_from_set` | the items of a stimulus set |
| `items_from_tables` | items from plain tables, for data that is not images |
| `SUBSETS` | the subsets on which every measure is given |
"""

from controversy.evidence._items import SUBSETS, Items
from controversy.evidence._sources import items_from_set, items_from_tables

__all__ = ["SUBSETS", "Items", "items_from_set", "items_from_tables"]
