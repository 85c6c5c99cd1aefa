"""A connection to PostgreSQL, by pg8000: opened, asked, and its errors translated for the observer."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesPostgresqlErrors
from loadrig.language.en.errors.probes_line import ProbesLineErrors
from loadrig.probes._databases.postgresql_views import MARK, Row
from loadrig.probes._line import CONNECT_S, READ_S, BrokenConnection, Door, RefusedAccess, SlowAnswer
from loadrig.probes._session import Lost

if TYPE_CHECKING:  # 35 ms
    import pg8000.native

T = TypeVar("T")

ERRORS = texts_of(ProbesPostgresqlErrors)
LINE_ERRORS = texts_of(ProbesLineErrors)

# Source: PostgreSQL, appendix "Error Codes".
_REFUSED = frozenset(("28000", "28P01", "42501"))
_FULL = "53300"
_NO_DATABASE = "3D000"


@dataclass(frozen=True, slots=True)
class PostgresqlConnection:
    """A connection and its socket, which the driver does not close where it fails."""

    driver: "pg8000.native.Connection"
    socket: socket.socket


def connect(door: Door, user: str, unix: str | None, database: str) -> PostgresqlConnection:
    """Open a connection. unix: path of a Unix socket, else the door is used. Raises Lost or RefusedAccess."""
    import pg8000.native

    with answering(door.name):
        plain = _socket(unix, door.address.host, door.address.port)
        try:
            driver = pg8000.native.Connection(
                user, password=door.password or "", database=database, sock=plain, application_name="loadrig"
            )
        except BaseException:
            plain.close()
            raise
        return PostgresqlConnection(driver, plain)


def close(connection: PostgresqlConnection) -> None:
    """Close a connection, also one that is broken."""
    with suppress(Exception):
        connection.driver.close()
    connection.socket.close()


def rows_of(connection: PostgresqlConnection, sql: str) -> list[Row]:
    """Return the rows that a statement answers with, by name of the column."""
    rows = connection.driver.run(MARK + sql)
    names = [column["name"] for column in connection.driver.columns or ()]
    return [dict(zip(names, row, strict=True)) for row in rows or ()]


def rows_as(connection: PostgresqlConnection, kind: type[T], sql: str) -> list[T]:
    """Return the rows that a statement answers with, each made of its columns in their order."""
    return [kind(*row) for row in connection.driver.run(MARK + sql) or ()]


def cell_of(connection: PostgresqlConnection, sql: str) -> Any:
    """Return the first cell that a statement answers with; None where it answers with no row."""
    rows = connection.driver.run(MARK + sql)
    return rows[0][0] if rows else None


def extension(connection: PostgresqlConnection) -> str | None:
    """Return the quoted schema of pg_stat_statements in this database, if it is there."""
    name: str | None = cell_of(
        connection,
        "SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n"
        " ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'",
    )
    return name


@contextmanager
def answering(name: str) -> Iterator[None]:
    """Turn errors of the driver into errors that the observer understands."""
    import pg8000.exceptions

    try:
        yield
    except TimeoutError:
        wording = LINE_ERRORS.no_answer_within(name, f"{READ_S:g}")
        raise SlowAnswer.of(wording, code="probe.no-answer") from None
    except OSError as error:
        wording = LINE_ERRORS.unreachable(name, error.strerror or str(error))
        raise BrokenConnection.of(wording, code="probe.no-answer") from None
    except pg8000.exceptions.InterfaceError as error:
        if "authentication" in str(error):
            wording = ERRORS.not_let_in(name, str(error))
            raise RefusedAccess.of(wording, code="probe.refused") from None
        wording = LINE_ERRORS.connection_closed(name)
        raise BrokenConnection.of(wording, code="probe.no-answer") from None
    except pg8000.exceptions.DatabaseError as error:
        code, text = described(error)
        if code in _REFUSED or code == _NO_DATABASE:
            wording = ERRORS.not_let_in(name, text)
            raise RefusedAccess.of(wording, code="probe.refused") from None
        if code == _FULL:
            wording = LINE_ERRORS.connections_used_up(name, text)
            raise Lost.of(wording, code="probe.no-answer") from None
        wording = LINE_ERRORS.no_answer(name, text)
        raise BrokenConnection.of(wording, code="probe.no-answer") from None


def described(error: Exception) -> tuple[str, str]:
    """Return code and text of an error of the server."""
    fields = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
    return fields.get("C", ""), re.sub(r"\s+", " ", fields.get("M", str(error)))[:200]


def _socket(unix: str | None, host: str, port: int) -> socket.socket:
    if unix is None:
        plain = socket.create_connection((host, port), CONNECT_S)
    else:
        plain = socket.socket(socket.AF_UNIX)
        plain.settimeout(CONNECT_S)
        plain.connect(unix)
    plain.settimeout(READ_S)
    return plain
