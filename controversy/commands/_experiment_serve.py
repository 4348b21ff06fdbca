"""``controversy experiment serve``: the server, from its configuration."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from controversy.commands._experiment_folder import made, settings
from controversy.errors import ControversyError
from controversy.experiment import Experiment, PageSettings, Store, built_page, sqlite_url, study

DATABASE = "answers.sqlite"


def run_server(config: Any) -> None:
    """Runs the experiment until it is stopped; makes the lists first where there are none.

    Raises:
        ControversyError: Something is missing or wrong; nothing was started.
    """
    page, options = built_page(), PageSettings(**settings(config))
    try:
        from controversy.experiment.server import Rate, ServerOptions, make_app, serve
    except ModuleNotFoundError as problem:
        raise ControversyError(
            f"running an experiment needs {problem.name}: pip install 'controversy[experiment]'"
        ) from problem
    limits = {name: Rate(*pair) for name, pair in config.limits.items()}
    experiment = made(config)
    told = study(options, texts(config), experiment.image_size)
    server = ServerOptions(
        study=told,
        n_levels=options.n_levels,
        completion_url=config.completion.url,
        completion_code=config.completion.code,
        **limits,
    )
    store = open_store(config, experiment)
    address = f"http://{config.host}:{config.port}"
    print(f"participants: {address}/?participant=ID")
    print(f"owner: {address}/owner?token={experiment.secret.owner_token}", flush=True)
    try:
        serve(
            make_app(experiment, store, page, server),
            host=config.host,
            port=config.port,
            trusted_proxy=config.trusted_proxy,
        )
    finally:
        store.dispose()


def open_store(config: Any, experiment: Experiment) -> Store:
    """The database that ``config.database`` says; by default a file in the experiment's folder."""
    url = sqlite_url(experiment.folder / DATABASE) if config.database is None else config.database
    return Store(
        url,
        lists=experiment.record["lists"],
        n_lists=int(experiment.lists["list"].nunique()),
        abandoned_after=timedelta(hours=config.abandoned_after_h),
    )


def texts(config: Any) -> dict[str, Path | None]:
    """The Markdown files of the page's texts."""
    return {name: None if path is None else Path(path) for name, path in config.text.items()}
