"""No network: a guarantee, not a request."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from controversy.errors import ControversyError

_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"}
# Libraries that look before they leap; the hook stops all others.
_VARIABLES = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

_depth = 0
_installed = False


@contextmanager
def no_network(offline: bool = True) -> Iterator[None]:
    """While the block runs, no Python code of this process can open an internet socket or look up a host.

    It rests on Python's audit events, which the socket module raises itself: a library cannot go round
    them. Sockets between processes of one machine (Unix) stay allowed.

    Args:
        offline: False makes the block an ordinary one.

    Raises:
        ControversyError: Inside the block, where something reaches for the network.
    """
    global _depth, _installed
    if not offline:
        yield
        return
    if not _installed:
        sys.addaudithook(_refuse)
        _installed = True
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ.update(_VARIABLES)
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if not _depth or not event.startswith("socket."):
        return
    if event == "socket.__new__" and arguments[1] in {socket.AF_INET, socket.AF_INET6}:
        raise ControversyError("offline=true, but something tried to open an internet socket")
    if event in _EVENTS and getattr(arguments[0], "family", None) != getattr(socket, "AF_UNIX", object()):
        raise ControversyError(
            f"offline=true, but something tried to reach {arguments[-1] or arguments[0]} ({event})"
        )
