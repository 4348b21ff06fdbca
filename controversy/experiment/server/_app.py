"""The server: what it answers to which request (docs/experiment.md lists them)."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from controversy.experiment._folder import Experiment
from controversy.experiment._images import bare_png
from controversy.experiment._page import PageFiles
from controversy.experiment._store import Answer, NoListFreeError, Session, Store, StudyClosedError, now
from controversy.experiment._trials import list_for_browser
from controversy.experiment.server._commits import GroupCommit
from controversy.experiment.server._headers import SecurityHeaders
from controversy.experiment.server._limits import Rate, RateLimiter, read_body
from controversy.experiment.server._messages import Environment, Join, Trial, parse
from controversy.experiment.server._owner import Owner
from controversy.experiment.server._refusal import RefusalError

_LOG = logging.getLogger("controversy.experiment")
_IMAGES_IN_MEMORY = 2048
_DATABASE_RETRY_S = 5
_PER_SESSION, _PER_ADDRESS, _JOINING = Rate(10, 40), Rate(100, 400), Rate(1, 30)


@dataclass(frozen=True)
class ServerOptions:
    """What the server is told besides the experiment.

    Attributes:
        study: What the browser is told (`study`).
        n_levels: Levels of confidence; None where it is not asked.
        completion_url: Where participants go at the end, e.g. back to the platform that pays them.
        completion_code: Shown at the end.
        per_session: Limit on each session's requests.
        per_address: Limit on each address's requests.
        joining: Limit on each address's new sessions.
    """

    study: Mapping[str, Any]
    n_levels: int | None
    completion_url: str | None = None
    completion_code: str | None = None
    per_session: Rate = _PER_SESSION
    per_address: Rate = _PER_ADDRESS
    joining: Rate = _JOINING


class Server:
    """The endpoints for participants; each checks everything before it does anything.

    Args:
        experiment: What is run.
        store: Where answers go.
        page: The built page.
        options: The rest.
    """

    def __init__(self, experiment: Experiment, store: Store, page: PageFiles, options: ServerOptions) -> None:
        self.experiment, self.store, self.page, self.options = experiment, store, page, options
        self._trials = {
            trial: place
            for trial, *place in experiment.lists[["trial_id", "list", "position", "kind"]]
            .to_numpy()
            .tolist()
        }
        self._needed = {
            number: tuple(own.loc[own["kind"] != "practice", "trial_id"])
            for number, own in experiment.lists.groupby("list")
        }
        self._images = experiment.image_paths
        self._png = lru_cache(_IMAGES_IN_MEMORY)(lambda name: bare_png(self._images[name]))
        self._sessions: dict[str, Session] = {}
        self.commits = GroupCommit(lambda answers: store.record(answers, now()))
        self._by_session = RateLimiter(options.per_session)
        self.by_address = RateLimiter(options.per_address)
        self._joining = RateLimiter(options.joining)

    def routes(self) -> list[Route]:
        """The paths that participants' browsers use."""
        return [
            Route("/", self.index),
            Route("/assets/{name}", self.asset),
            Route("/api/images/{name}", self.image),
            Route("/api/sessions", self.join, methods=["POST"]),
            Route("/api/sessions", self.resume, methods=["GET"]),
            Route("/api/sessions/environment", self.environment, methods=["POST"]),
            Route("/api/sessions/complete", self.complete, methods=["POST"]),
            Route("/api/trials", self.trial, methods=["POST"]),
        ]

    async def index(self, request: Request) -> Response:
        """The page itself."""
        return FileResponse(self.page.index, media_type="text/html", headers={"cache-control": "no-cache"})

    async def asset(self, request: Request) -> Response:
        """One of the page's files: a name is looked up, never a path."""
        path = self.page.assets.get(request.path_params["name"])
        if path is None:
            raise RefusalError(404, "no such file")
        return FileResponse(path, headers={"cache-control": "no-cache"})

    async def image(self, request: Request) -> Response:
        """An image by its opaque name."""
        name = request.path_params["name"]
        if name not in self._images:
            raise RefusalError(404, "no such image")
        content = await asyncio.to_thread(self._png, name)
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(content, media_type="image/png", headers=headers)

    async def join(self, request: Request) -> Response:
        """Begins or continues a participant's session."""
        self._joining.take(_address(request))
        message = parse(await _body(request), Join)
        secret = self.experiment.secret
        given = None if message.participant is None else message.participant.strip()
        # Who gives no id is somebody new each time; the browser keeps the session by its token.
        pseudonym = secret.pseudonym(given or f"anonymous:{secrets.token_hex(16)}")
        token = secret.session_token(pseudonym)
        try:
            session = await asyncio.to_thread(self.store.join, pseudonym, token, now())
        except NoListFreeError:
            raise RefusalError(409, "all places in this study are taken") from None
        except StudyClosedError:
            raise RefusalError(403, "this study is closed") from None
        self._sessions[token] = session
        return JSONResponse(await self._told(session, token))

    async def resume(self, request: Request) -> Response:
        """The session that the browser's token belongs to."""
        session, token = await self._authenticated(request)
        return JSONResponse(await self._told(session, token))

    async def environment(self, request: Request) -> Response:
        """Keeps what the browser says of the screen."""
        session, _ = await self._authenticated(request)
        message = parse(await _body(request), Environment)
        await asyncio.to_thread(self.store.set_environment, session.id, message.model_dump(), now())
        return Response(status_code=204)

    async def trial(self, request: Request) -> Response:
        """Stores an answer; says so only after it is durable."""
        session, _ = await self._authenticated(request)
        answer = self._checked(session, parse(await _body(request), Trial))
        return JSONResponse({"stored": True, "new": await self.commits.store(answer)})

    async def complete(self, request: Request) -> Response:
        """Ends a session when every answer is there."""
        session, _ = await self._authenticated(request)
        await _body(request)
        have = set(await asyncio.to_thread(self.store.answered, session.id))
        missing = [trial for trial in self._needed[session.list] if trial not in have]
        if missing:
            raise RefusalError(409, f"{len(missing)} answers are missing", missing=missing)
        await asyncio.to_thread(self.store.complete, session.id, now())
        return JSONResponse({"completion": self._completion()})

    def _checked(self, session: Session, message: Trial) -> Answer:
        if message.trial_id not in self._trials:
            raise RefusalError(404, "no such trial")
        list_, position, kind = self._trials[message.trial_id]
        if list_ != session.list:
            raise RefusalError(403, "this trial belongs to another session")
        if kind == "practice":
            raise RefusalError(422, "answers to practice trials are not kept")
        levels = self.options.n_levels
        if levels is None and message.confidence is not None:
            raise RefusalError(422, "confidence: this study does not ask for it")
        if levels is not None and (message.confidence is None or not 1 <= message.confidence <= levels):
            raise RefusalError(422, f"confidence: has to be 1 to {levels}")
        return Answer(session=session.id, position=position, **message.model_dump())

    async def _authenticated(self, request: Request) -> tuple[Session, str]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise RefusalError(401, "no session token")
        session = self._sessions.get(token)
        if session is None:
            session = await asyncio.to_thread(self.store.session, token)
            if session is None:
                raise RefusalError(401, "unknown session")
            # Sessions never change their list, and there are no more of them than were begun.
            self._sessions[token] = session
        self._by_session.take(str(session.id))
        return session, token

    async def _told(self, session: Session, token: str) -> dict[str, Any]:
        lists = self.experiment.lists
        return {
            "session": token,
            "study": self.options.study,
            "trials": list_for_browser(lists[lists["list"] == session.list]),
            "answered": await asyncio.to_thread(self.store.answered, session.id),
            "completion": self._completion(),
        }

    def _completion(self) -> dict[str, str | None]:
        return {"url": self.options.completion_url, "code": self.options.completion_code}


def make_app(
    experiment: Experiment, store: Store, page: PageFiles, options: ServerOptions
) -> Callable[..., Awaitable[None]]:
    """The whole ASGI application: participants' and owner's pages, limits, errors, headers."""
    server = Server(experiment, store, page, options)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        writer = asyncio.create_task(server.commits.run())
        yield
        writer.cancel()
        with suppress(asyncio.CancelledError):
            await writer

    def tag(request: Request) -> str:
        return experiment.secret.address_tag(_address(request))

    async def refused(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, RefusalError)
        return _error(request, tag(request), problem)

    async def http_error(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        reasons = {404: "no such page", 405: "no such method here"}
        return _error(
            request,
            tag(request),
            RefusalError(problem.status_code, reasons.get(problem.status_code, "refused")),
        )

    async def gone(request: Request, problem: Exception) -> Response:
        return _error(request, tag(request), RefusalError(400, "the request broke off"))

    async def not_stored(request: Request, problem: Exception) -> Response:
        # A full disk, or a database that restarts: the page keeps the answer and comes again.
        _LOG.error("the database failed", exc_info=problem)
        reason = RefusalError(503, "could not be stored; try again", retry_after=_DATABASE_RETRY_S)
        return _error(request, tag(request), reason)

    async def failed(request: Request, problem: Exception) -> Response:
        return _error(request, tag(request), RefusalError(500, "the server has a fault"))

    app = Starlette(
        routes=[*server.routes(), *Owner(experiment, store).routes()],
        lifespan=running,
        exception_handlers={
            RefusalError: refused,
            HTTPException: http_error,
            ClientDisconnect: gone,
            SQLAlchemyError: not_stored,
            Exception: failed,
        },
    )
    return SecurityHeaders(_Counted(app, server.by_address, refused))


class _Counted:
    """Counts every request by its address, whatever it asks for."""

    def __init__(
        self,
        app: Callable[..., Awaitable[None]],
        limiter: RateLimiter,
        refused: Callable[[Request, Exception], Awaitable[Response]],
    ) -> None:
        self._app, self._limiter, self._refused = app, limiter, refused

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            request = Request(scope, receive)
            try:
                self._limiter.take(_address(request))
            except RefusalError as problem:
                await (await self._refused(request, problem))(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _error(request: Request, tag: str, problem: RefusalError) -> Response:
    # Neither the query, which may hold a participant's id, nor the address itself.
    _LOG.warning(
        "refused %d %s %r from %s: %s",
        problem.status,
        request.method,
        request.url.path[:100],
        tag,
        problem.reason,
    )
    headers = {} if problem.retry_after is None else {"retry-after": str(problem.retry_after)}
    body = {"error": problem.reason, **problem.details}
    return JSONResponse(body, status_code=problem.status, headers=headers)


async def _body(request: Request) -> bytes:
    return await read_body(request.stream(), request.headers.get("content-length"))


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
