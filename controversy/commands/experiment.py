"""``controversy experiment [lists|serve|export|import]``: the two-alternative task for a stimulus set."""

from typing import Any

from controversy.errors import ControversyError


def run(config: Any) -> None:
    """Does what ``config.action`` says.

    Raises:
        ControversyError: The action is unknown, or it cannot be done.
    """
    from controversy.commands._experiment_export import export, import_
    from controversy.commands._experiment_folder import made
    from controversy.commands._experiment_serve import run_server

    actions = {"lists": made, "serve": run_server, "export": export, "import": import_}
    if config.action not in actions:
        raise ControversyError(f"action is {config.action!r}, but has to be one of {', '.join(actions)}")
    actions[config.action](config)
