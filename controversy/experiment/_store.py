"""What is kept of an experiment while it runs: sessions and answers, in SQLite or PostgreSQL."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controversy.errors import ControversyError
from controversy.experiment._extra import needs_extra
from controversy.experiment._schema import Schema

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Any number that no other program uses for an advisory lock in the same database.
_LOCK = 0x636F6E74
_BUSY_S = 30


class NoListFreeError(Exception):
    """Every list is taken."""


class StudyClosedError(Exception):
    """The owner closed the study to new participants."""


@dataclass(frozen=True)
class Session:
    """One participant's run through one list."""

    id: int
    participant: str
    list: int


@dataclass(frozen=True)
class Answer:
    """One answered trial; the columns of the table ``answers``."""

    session: int
    trial_id: str
    position: int
    response: str
    confidence: int | None
    rt_ms: float
    onset_ms: float | None
    shown_ms: float | None
    input: str
    answered_at: str


class Store:
    """Sessions and answers of one experiment in one database.

    Every method is one transaction, and returns after what it wrote is durable: SQLite writes ahead (WAL) and
    syncs at every commit, PostgreSQL commits synchronously. Several processes may use one database.

    Args:
        url: SQLAlchemy's address of the database, e.g. ``postgresql+psycopg://user@host/study``.
        lists: Digest of the lists, so that one database cannot be used for two experiments.
        n_lists: How many lists there are.
        abandoned_after: Silence after which the list of an unfinished session is given to somebody else.

    Raises:
        ControversyError: The database cannot be opened, or belongs to other lists.
    """

    def __init__(self, url: str, *, lists: str, n_lists: int, abandoned_after: timedelta) -> None:
        with needs_extra():
            import sqlalchemy as sa
        self._sa, self._schema, self._n_lists, self._abandoned = sa, Schema(), n_lists, abandoned_after
        try:
            self._engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
        except (sa.exc.ArgumentError, ModuleNotFoundError) as problem:
            raise ControversyError(f"cannot use a database at this address: {problem}") from problem
        self._sqlite = self._engine.dialect.name == "sqlite"
        if self._sqlite:
            _for_its_owner_alone(self._engine.url.database)
            sa.event.listen(self._engine, "connect", _durable)
            sa.event.listen(self._engine, "begin", _write_from_the_start)
        try:
            self._claim(lists)
        except (sa.exc.SQLAlchemyError, ControversyError) as problem:
            self.dispose()
            where = self._engine.url.render_as_string(hide_password=True)
            raise ControversyError(f"cannot use the database {where}: {problem}") from problem

    def _claim(self, lists: str) -> None:
        """Makes the tables where they are not, and the database one of these lists."""
        with self._writing() as connection:
            self._schema.metadata.create_all(connection)
            known = self._meta(connection, "lists")
            if known is None:
                connection.execute(self._sa.insert(self._schema.meta).values(key="lists", value=lists))
        if known not in (None, lists):
            raise ControversyError("it belongs to an experiment with other lists. Give another one.")

    def join(self, participant: str, token: str, now: datetime) -> Session:
        """The participant's session: the one begun before, or a new one with a free list.

        A list is free when nobody has it, or only sessions that were abandoned.

        Raises:
            NoListFreeError: All lists are taken.
            StudyClosedError: The participant is new, and the study is closed.
        """
        sa, sessions = self._sa, self._schema.sessions
        with self._writing() as connection:
            row = connection.execute(sa.select(sessions).where(sessions.c.participant == participant)).first()
            if row is not None:
                self._touch(connection, [row.id], now)
                return Session(row.id, row.participant, row.list)
            if self._meta(connection, "closed") is not None:
                raise StudyClosedError
            held = sa.or_(sessions.c.completed_at.is_not(None), sessions.c.seen_at > now - self._abandoned)
            taken = set(connection.execute(sa.select(sessions.c.list).where(held)).scalars())
            begun = set(connection.execute(sa.select(sessions.c.list)).scalars())
            free = [i for i in range(self._n_lists) if i not in taken]
            if not free:
                raise NoListFreeError
            # Lists that nobody has begun come before abandoned ones.
            chosen = min(free, key=lambda i: (i in begun, i))
            values = {"participant": participant, "token": _digest(token), "list": chosen}
            new = sa.insert(sessions).values(**values, started_at=now, seen_at=now).returning(sessions.c.id)
            return Session(connection.execute(new).scalar_one(), participant, chosen)

    def session(self, token: str) -> Session | None:
        """The session that a token belongs to."""
        sessions = self._schema.sessions
        with self._reading() as connection:
            row = connection.execute(
                self._sa.select(sessions).where(sessions.c.token == _digest(token))
            ).first()
        return None if row is None else Session(row.id, row.participant, row.list)

    def answered(self, session: int) -> list[str]:
        """The trials that a session has answered, in the order of its list."""
        answers = self._schema.answers
        query = self._sa.select(answers.c.trial_id).where(answers.c.session == session)
        with self._reading() as connection:
            return list(connection.execute(query.order_by(answers.c.position)).scalars())

    def record(self, answers: Sequence[Answer], now: datetime) -> list[bool]:
        """Stores answers in one transaction; whether each was new. The first answer to a trial stays."""
        if self._sqlite:
            from sqlalchemy.dialects.sqlite import insert
        else:
            from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
        table = self._schema.answers
        keys = [table.c.session, table.c.trial_id]
        statement = insert(table).on_conflict_do_nothing(index_elements=keys).returning(table.c.trial_id)
        with self._writing(lock=False) as connection:
            new = [
                connection.execute(statement, {**asdict(answer), "stored_at": now}).first() is not None
                for answer in answers
            ]
            # In one order always, so that two processes never wait for each other.
            self._touch(connection, sorted({answer.session for answer in answers}), now)
        return new

    def set_environment(self, session: int, environment: Mapping[str, Any], now: datetime) -> None:
        """Keeps what a session's browser says of its screen; the last word counts."""
        sessions = self._schema.sessions
        with self._writing(lock=False) as connection:
            connection.execute(
                self._sa.update(sessions)
                .where(sessions.c.id == session)
                .values(environment=dict(environment), seen_at=now)
            )

    def complete(self, session: int, now: datetime) -> None:
        """Marks a session complete; the first time counts."""
        sessions = self._schema.sessions
        with self._writing(lock=False) as connection:
            connection.execute(
                self._sa.update(sessions)
                .where(sessions.c.id == session, sessions.c.completed_at.is_(None))
                .values(completed_at=now)
            )

    @property
    def closed(self) -> bool:
        """Whether the study takes no new participants."""
        with self._reading() as connection:
            return self._meta(connection, "closed") is not None

    def close(self, closed: bool) -> None:
        """Closes the study to new participants, or opens it again; whoever has begun can finish."""
        sa, meta = self._sa, self._schema.meta
        with self._writing() as connection:
            connection.execute(sa.delete(meta).where(meta.c.key == "closed"))
            if closed:
                connection.execute(sa.insert(meta).values(key="closed", value="yes"))

    def sessions(self) -> list[dict[str, Any]]:
        """All sessions with their number of answers, in the order they began."""
        sa, sessions, answers = self._sa, self._schema.sessions, self._schema.answers
        count = (
            sa.select(answers.c.session, sa.func.count().label("n_answers"))
            .group_by(answers.c.session)
            .subquery()
        )
        columns = [column for column in sessions.c if column.name != "token"]
        query = (
            sa.select(*columns, sa.func.coalesce(count.c.n_answers, 0).label("n_answers"))
            .outerjoin_from(sessions, count, count.c.session == sessions.c.id)
            .order_by(sessions.c.id)
        )
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def answers(self) -> list[dict[str, Any]]:
        """All answers, by session and place in the list."""
        table = self._schema.answers
        query = self._sa.select(table).order_by(table.c.session, table.c.position)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def dispose(self) -> None:
        """Closes the connections."""
        self._engine.dispose()

    @contextmanager
    def _writing(self, lock: bool = True) -> Iterator["Connection"]:
        """A transaction; with ``lock``, no other process is between the same two lines."""
        with self._engine.begin() as connection:
            # SQLite has one writer at a time as it is: see _write_from_the_start.
            if lock and not self._sqlite:
                connection.execute(self._sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            yield connection

    @contextmanager
    def _reading(self) -> Iterator["Connection"]:
        options = {"controversy_reading": True}
        with self._engine.connect().execution_options(**options) as connection:
            yield connection

    def _meta(self, connection: "Connection", key: str) -> str | None:
        meta = self._schema.meta
        value: str | None = connection.execute(
            self._sa.select(meta.c.value).where(meta.c.key == key)
        ).scalar_one_or_none()
        return value

    def _touch(self, connection: "Connection", ids: Sequence[int], now: datetime) -> None:
        sessions = self._schema.sessions
        for one in ids:
            connection.execute(self._sa.update(sessions).where(sessions.c.id == one).values(seen_at=now))


def now() -> datetime:
    """The time, as it is stored: UTC."""
    return datetime.now(UTC)


def _for_its_owner_alone(database: str | None) -> None:
    """Makes a new SQLite file unreadable to others: what people answered is theirs."""
    if database and database != ":memory:":
        with suppress(OSError):  # a folder that is not there is SQLite's to report
            Path(database).touch(mode=0o600)


def sqlite_url(path: Path) -> str:
    """SQLAlchemy's address of an SQLite file."""
    return f"sqlite:///{path.resolve()}"


def _digest(token: str) -> str:
    """Tokens themselves are not stored: who reads the database cannot take a session over."""
    return hashlib.sha256(token.encode()).hexdigest()


def _durable(connection: Any, _: Any) -> None:
    # The driver would begin transactions by itself, and only at the first write.
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        f"busy_timeout={_BUSY_S * 1000}",
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _write_from_the_start(connection: "Connection") -> None:
    # A transaction that begins as a reader cannot wait for a writer: SQLite refuses it at its first write.
    reading = connection.get_execution_options().get("controversy_reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
