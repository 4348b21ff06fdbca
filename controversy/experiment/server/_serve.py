"""Running the server."""

from collections.abc import Awaitable, Callable

from controversy.errors import ControversyError
from controversy.experiment._extra import needs_extra

_KEEP_ALIVE_S = 30
_MOST_CONNECTIONS = 2000


def serve(
    app: Callable[..., Awaitable[None]],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    trusted_proxy: str | None = None,
) -> None:
    """Serves until it is stopped.

    Args:
        app: What `make_app` made.
        host: The address to listen at; by default only this machine can reach it.
        port: The port.
        trusted_proxy: Address of a reverse proxy whose word on the client's address and on https counts.

    Raises:
        ControversyError: The port is no port.
    """
    if not 0 < port < 65_536:
        raise ControversyError(f"port is {port}, but has to be 1 to 65535.")
    with needs_extra():
        import uvicorn
    uvicorn.run(
        app,
        host=host,
        port=port,
        # Its log of requests would hold addresses, and participants' ids in the query.
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=trusted_proxy is not None,
        forwarded_allow_ips=trusted_proxy,
        timeout_keep_alive=_KEEP_ALIVE_S,
        limit_concurrency=_MOST_CONNECTIONS,
        ws="none",
    )
