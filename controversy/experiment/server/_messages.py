"""What a browser may send: anything else is refused before anything is done."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from controversy.experiment.server._refusal import RefusalError

_HOUR_MS = 3_600_000
_LONGEST_ID = 200

M = TypeVar("M", bound=BaseModel)


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Join(_Message):
    """``POST /api/sessions``."""

    participant: (
        Annotated[str, Field(min_length=1, max_length=_LONGEST_ID), AfterValidator(_printable)] | None
    ) = None


class Trial(_Message):
    """``POST /api/trials``."""

    trial_id: Annotated[str, Field(max_length=40)]
    response: Literal["left", "right"]
    confidence: int | None = None
    rt_ms: Annotated[float, Field(ge=0, le=_HOUR_MS)]
    onset_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    shown_ms: Annotated[float, Field(ge=0, le=_HOUR_MS)] | None = None
    input: Literal["key", "button"]
    answered_at: Annotated[str, Field(max_length=40), AfterValidator(_moment)]


class _Size(_Message):
    width: Annotated[float, Field(ge=1, le=100_000)]
    height: Annotated[float, Field(ge=1, le=100_000)]


class _Screen(_Size):
    pixel_ratio: Annotated[float, Field(ge=0.1, le=100)]


class Environment(_Message):
    """``POST /api/sessions/environment``: nothing that tells one person from another."""

    screen: _Screen
    viewport: _Size
    time_zone: Annotated[str, Field(max_length=64), AfterValidator(_printable)]
    refresh_rate_hz: Annotated[float, Field(ge=1, le=1000)] | None = None
    touch: bool


def parse(body: bytes, message: type[M]) -> M:
    """Reads one message.

    Raises:
        RefusalError: 400 where the body is no JSON object, 422 where a field is missing, unknown or out of
            range.
    """
    try:
        # Python's own parser would take NaN and Infinity for JSON.
        content = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        raise RefusalError(400, "the body is not JSON") from problem
    if not isinstance(content, dict):
        raise RefusalError(400, "the body is not a JSON object")
    try:
        return message.model_validate(content)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])[:60]
        raise RefusalError(422, f"{place}: {first['msg'][:120]}") from problem


def _no_constant(name: str) -> Any:
    raise ValueError(name)
