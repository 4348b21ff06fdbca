"""``controversy models [fetch|check] [NAME ...]``: classifiers and generators, and their weights."""

from typing import Any

from controversy.commands._models_check import check_all
from controversy.commands._models_fetch import fetch_all
from controversy.commands._models_list import print_tables
from controversy.errors import ControversyError


def run(config: Any) -> None:
    """Does what ``config.action`` says.

    Raises:
        ControversyError: The action or a name is unknown, or it cannot be done.
    """
    names = [str(name) for name in config.names]
    if config.action == "list":
        print_tables(names, config.digests)
    elif config.action == "fetch":
        fetch_all(names, config.offline)
    elif config.action == "check":
        check_all(names, config)
    else:
        raise ControversyError(f"action is {config.action!r}, but has to be list, fetch or check")
