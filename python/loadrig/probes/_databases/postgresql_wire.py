"""A connection to PostgreSQL, by pg8000: opened, asked, and its errors translated for the observer."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.probes._databases.postgresql_views import MARK, Row
from loadrig.probes._line import CONNECT_S, READ_S, BrokenConnection, Door, RefusedAccess, SlowAnswer
from loadrig.probes._session import Lost

if TYPE_CHECKING:  # 35 ms
    import pg8000.native

MEND = (
    "give it in the plan, `probes: [{postgresql: {user: loadrig, password_env: POSTGRES_PASSWORD}}]`, and"
    " make the user: CREATE ROLE loadrig LOGIN PASSWORD 'PASSWORD' IN ROLE pg_monitor"
)

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


def extension(connection: PostgresqlConnection) -> str | None:
    """Return the quoted schema of pg_stat_statements in this database, if it is there."""
    rows = rows_of(
        connection,
        "SELECT quote_ident(n.nspname) AS name FROM pg_extension AS e JOIN pg_namespace AS n"
        " ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'",
    )
    return str(rows[0]["name"]) if rows else None


@contextmanager
def answering(name: str) -> Iterator[None]:
    """Turn errors of the driver into errors that the observer understands."""
    import pg8000.exceptions

    try:
        yield
    except TimeoutError:
        raise SlowAnswer(f"{name} did not answer within {READ_S:g} s") from None
    except OSError as error:
        raise BrokenConnection(f"{name} cannot be connected to: {error.strerror or error}") from None
    except pg8000.exceptions.InterfaceError as error:
        if "authentication" in str(error):
            raise RefusedAccess(f"{name} does not let us in: {error}", MEND) from None
        raise BrokenConnection(f"{name} has closed the connection") from None
    except pg8000.exceptions.DatabaseError as error:
        code, text = described(error)
        if code in _REFUSED or code == _NO_DATABASE:
            raise RefusedAccess(f"{name} does not let us in: {text}", MEND) from None
        if code == _FULL:
            raise Lost(
                f"{name} has no connection left for us: {text}",
                "close connections, or raise max_connections", "probe.no-answer",
            ) from None  # fmt: skip
        raise BrokenConnection(f"{name} does not answer: {text}") from None


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
