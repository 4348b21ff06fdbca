"""The experiment's server; it needs the extra ``experiment``.

| name | does |
|---|---|
| `make_app` | an experiment, its store and the built page -> an ASGI application |
| `ServerOptions`, `Rate` | what it is told: limits, where participants go at the end |
| `serve` | runs it |
"""

from controversy.experiment.server._app import ServerOptions, make_app
from controversy.experiment.server._limits import MAX_BODY, Rate
from controversy.experiment.server._serve import serve

__all__ = ["MAX_BODY", "Rate", "ServerOptions", "make_app", "serve"]
