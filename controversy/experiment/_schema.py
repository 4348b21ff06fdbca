"""The tables of the database."""

from datetime import UTC, datetime
from typing import Any

from controversy.experiment._extra import needs_extra


class Schema:
    """Tables: ``meta`` (what the database is of), ``sessions`` and ``answers``.

    Which stimulus a trial showed, and on which side, is not here but in the experiment's ``lists.csv``: an
    answer says list and position. Nothing here says who a participant is.
    """

    def __init__(self) -> None:
        with needs_extra():
            import sqlalchemy as sa
        self.metadata = sa.MetaData()
        moment = _moment_type()
        self.meta = sa.Table(
            "meta",
            self.metadata,
            sa.Column("key", sa.String(40), primary_key=True),
            sa.Column("value", sa.String(200), nullable=False),
        )
        self.sessions = sa.Table(
            "sessions",
            self.metadata,
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("participant", sa.String(16), nullable=False, unique=True),
            sa.Column("token", sa.String(64), nullable=False, unique=True),
            sa.Column("list", sa.Integer, nullable=False, index=True),
            sa.Column("started_at", moment, nullable=False),
            sa.Column("seen_at", moment, nullable=False),
            sa.Column("completed_at", moment),
            sa.Column("environment", sa.JSON),
        )
        self.answers = sa.Table(
            "answers",
            self.metadata,
            sa.Column("session", sa.ForeignKey("sessions.id"), primary_key=True),
            sa.Column("trial_id", sa.String(20), primary_key=True),
            sa.Column("position", sa.Integer, nullable=False),
            sa.Column("response", sa.String(5), nullable=False),
            sa.Column("confidence", sa.Integer),
            sa.Column("rt_ms", sa.Float(53), nullable=False),
            sa.Column("onset_ms", sa.Float(53)),
            sa.Column("shown_ms", sa.Float(53)),
            sa.Column("input", sa.String(6), nullable=False),
            sa.Column("answered_at", sa.String(40), nullable=False),
            sa.Column("stored_at", moment, nullable=False),
        )


def _moment_type() -> Any:
    import sqlalchemy as sa

    class Moment(sa.types.TypeDecorator[datetime]):
        """UTC. SQLite keeps no time zone: without one a moment is in UTC."""

        impl = sa.DateTime(timezone=True)
        cache_ok = True

        def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
            return None if value is None else value.astimezone(UTC)

        def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
            return None if value is None else value.replace(tzinfo=value.tzinfo or UTC)

    return Moment
