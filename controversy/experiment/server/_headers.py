"""Headers that every answer carries."""

from collections.abc import Awaitable, Callable
from typing import Any

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class SecurityHeaders:
    """Adds what tells a browser to run nothing from elsewhere; pages that say nothing else are not kept.

    Args:
        app: An ASGI application.
    """

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                given = {name.lower() for name, _ in headers}
                added = {**_ALWAYS, "cache-control": "no-store"}
                headers += [
                    (name.encode(), value.encode())
                    for name, value in added.items()
                    if name.encode() not in given
                ]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
