"""The owner's pages: progress, and the data."""

import asyncio
import hmac
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pandas as pd
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from controversy.experiment._folder import Experiment
from controversy.experiment._judgments import judgments
from controversy.experiment._store import Store
from controversy.experiment.server._limits import read_body
from controversy.experiment.server._refusal import RefusalError

_COOKIE = "controversy_owner"
_DAY_S = 24 * 3600


class Owner:
    """What the owner can see and do; the token, then a cookie made from it, opens each page.

    Args:
        experiment: What is run.
        store: Where the answers are.
    """

    def __init__(self, experiment: Experiment, store: Store) -> None:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        self._experiment, self._store = experiment, store
        environment = Environment(
            loader=PackageLoader("controversy.experiment.server", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._template = environment.get_template("owner.html.j2")
        style = resources.files("controversy.experiment.server") / "templates" / "owner.css"
        self._style = style.read_text(encoding="utf-8")

    def routes(self) -> list[Route]:
        """The owner's paths."""
        return [
            Route("/owner", self.overview),
            Route("/owner/style.css", self.style),
            Route("/owner/judgments.csv", self.judgments),
            Route("/owner/sessions.csv", self.sessions),
            Route("/owner/open", self.set_open, methods=["POST"]),
            Route("/owner/close", self.set_open, methods=["POST"]),
        ]

    async def overview(self, request: Request) -> Response:
        """Progress; with the token in the address, first the cookie."""
        if "token" in request.query_params:
            return self._let_in(request)
        self._check(request)
        sessions = await asyncio.to_thread(self._store.sessions)
        answers = await asyncio.to_thread(self._store.answers)
        closed = await asyncio.to_thread(lambda: self._store.closed)
        html = self._template.render(**progress(self._experiment, sessions, answers), closed=closed)
        return Response(html, media_type="text/html")

    async def style(self, request: Request) -> Response:
        """The style sheet, which says nothing of the study."""
        return Response(self._style, media_type="text/css")

    async def judgments(self, request: Request) -> Response:
        """Canonical judgments."""
        self._check(request)
        sessions = await asyncio.to_thread(self._store.sessions)
        answers = await asyncio.to_thread(self._store.answers)
        return _csv(judgments(self._experiment.lists, sessions, answers), "judgments.csv")

    async def sessions(self, request: Request) -> Response:
        """Sessions with what their browsers said of the screen."""
        self._check(request)
        return _csv(session_table(await asyncio.to_thread(self._store.sessions)), "sessions.csv")

    async def set_open(self, request: Request) -> Response:
        """Closes the study to new participants, or opens it again."""
        self._check(request)
        await read_body(request.stream(), request.headers.get("content-length"))
        closing = request.url.path.endswith("close")
        await asyncio.to_thread(self._store.close, closing)
        return RedirectResponse("/owner", status_code=303)

    def _let_in(self, request: Request) -> Response:
        given = request.query_params["token"]
        if not hmac.compare_digest(given.encode(), self._experiment.secret.owner_token.encode()):
            raise RefusalError(403, "wrong token")
        # Away from the address, where the token would stay in the browser's history.
        response = RedirectResponse("/owner", status_code=303)
        response.set_cookie(
            _COOKIE,
            self._experiment.secret.owner_cookie(),
            max_age=_DAY_S,
            path="/owner",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def _check(self, request: Request) -> None:
        cookie = request.cookies.get(_COOKIE)
        if cookie is None:
            raise RefusalError(401, "the owner's page needs its token")
        if not hmac.compare_digest(cookie.encode(), self._experiment.secret.owner_cookie().encode()):
            raise RefusalError(403, "wrong token")


def progress(
    experiment: Experiment, sessions: list[dict[str, Any]], answers: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the owner's page shows: figures of the study, and one row a session."""
    scored = experiment.lists[experiment.lists["kind"] != "practice"]
    needed = scored.groupby("list").size()
    table = judgments(experiment.lists, sessions, answers)
    main = table[table["kind"] == "main"]
    per_stimulus = (
        main["stimulus_id"].value_counts().reindex(experiment.stimuli.metadata["stimulus_id"], fill_value=0)
    )
    facts = [
        ("lists", f"{len(needed)}"),
        ("sessions begun", f"{len(sessions)}"),
        ("sessions complete", f"{sum(s['completed_at'] is not None for s in sessions)}"),
        ("answers", f"{len(table):,} of {len(scored):,}"),
        ("judgments of a stimulus", f"{per_stimulus.min()} to {per_stimulus.max()}"),
    ]
    rows = [{**s, "n_trials": int(needed[s["list"]]), **_quality(table, s["id"])} for s in sessions]
    return {"facts": facts, "sessions": rows}


def session_table(sessions: list[dict[str, Any]]) -> pd.DataFrame:
    """Sessions with their environment in columns such as ``screen_width``."""
    rows = []
    for session in sessions:
        environment = session.pop("environment") or {}
        rows.append({**session, **_flat(environment)})
    return pd.DataFrame(rows)


def _quality(table: pd.DataFrame, session: int) -> Mapping[str, str]:
    own = table[table["session"] == session]
    catch = own[own["kind"] == "catch"]
    right = int((catch["choice"] == catch["correct"]).sum())
    return {
        "catch": f"{right} of {len(catch)}" if len(catch) else "",
        "median_rt": f"{own['rt'].median():.2f} s" if len(own) else "",
    }


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}_") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat


def _csv(table: pd.DataFrame, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(table.to_csv(index=False, lineterminator="\n"), media_type="text/csv", headers=headers)
