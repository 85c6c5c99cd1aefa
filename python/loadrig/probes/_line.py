"""The one connection of a probe to a server: where it leads, opened when needed, kept, opened again."""

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from loadrig.base import kernel_files, loopback, sockets
from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_line import ProbesLineErrors
from loadrig.probes import _secret
from loadrig.probes._session import Lost, Place, Unavailable

ERRORS = texts_of(ProbesLineErrors)

CONNECT_S = 1.0
"""Seconds to connect, at most. A neighbour takes milliseconds; with READ_S it is less than `detach` waits."""

READ_S = 1.8
"""Seconds that an answer may take: a server that is short of CPU still gives one."""

KNOCK_S = 30.0
"""Least seconds between two attempts with a password that was refused: servers lock accounts."""

Connection = TypeVar("Connection")
Answer = TypeVar("Answer")


class RefusedAccess(Lost):
    """Error where the other side does not let the rig in."""


class BrokenConnection(Lost):
    """Error where the other side has closed the connection, or is gone."""


class SlowAnswer(Lost):
    """Error where the other side did not answer in time."""


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """Options of a probe on where its server is asked."""

    at: str | None = option(
        "Where it is asked (HOST:PORT, or the path of a Unix socket) where discovery does not find it.",
        default=None, example="db1",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerLogin(ServerAccess):
    """Options of a probe on where its server is asked, and how to log in."""

    user: str | None = option("The user; left out, the server's default.", default=None)
    password_env: str | None = option("Environment variable that holds the password.", default=None)
    password_file: str | None = option("File whose first line is the password.", default=None)


@dataclass(frozen=True, slots=True)
class Door:
    """Address at which a server is asked, and as which user. unix: its Unix sockets, to be tried first.

    password: shown nowhere; `repr` leaves it out.
    """

    address: Address
    unix: tuple[str, ...]
    user: str | None
    password: str | None

    def __repr__(self) -> str:
        return f"Door({self.name}, user={self.user!r})"

    @property
    def name(self) -> str:
        """Address as a person writes it."""
        host = self.address.host
        return self.address.unix or f"{f'[{host}]' if ':' in host else host}:{self.address.port}"


def door(probe: str, access: ServerAccess, component: Component, place: Place, port: int) -> Door:
    """Return the address and login of a component. port: the usual one of such a server.

    Raises Unavailable where neither discovery nor the plan knows the address, or the password cannot be read.
    """
    login = access if isinstance(access, ServerLogin) else ServerLogin()
    password = _secret.secret(probe, login.password_env, login.password_file, place.base)
    # Several servers of a kind share the options: the address that was found for each goes before the one in
    # the plan.
    address = component.address or (parse_at(probe, access.at, port) if access.at else None)
    if address is None:
        raise Unavailable.of(
            ERRORS.address_unknown(component.name, probe, str(port)), code="probe.no-process"
        )
    unix = (address.unix,) if address.unix else ()
    return Door(
        Address(loopback.reached(address.host), address.port, unix=address.unix), unix, login.user, password
    )


def connected(server: Door) -> socket.socket:
    """Open a connection whose answers are waited for READ_S. Raises SlowAnswer or BrokenConnection."""
    address = server.address
    try:
        if address.unix:
            opened = socket.socket(socket.AF_UNIX)
            opened.settimeout(CONNECT_S)
            opened.connect(address.unix)
        else:
            opened = socket.create_connection((address.host, address.port), CONNECT_S)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except TimeoutError:
        wording = ERRORS.no_answer_within(server.name, f"{CONNECT_S:g}")
        raise SlowAnswer.of(wording, code="probe.no-answer") from None
    except OSError as error:
        wording = ERRORS.unreachable(server.name, error.strerror or str(error))
        raise BrokenConnection.of(wording, code="probe.no-answer") from None
    opened.settimeout(READ_S)
    return opened


def parse_at(probe: str, text: str, port: int) -> Address:
    """Read `at`: "db1", "db1:3307", "[::1]:3307", or the path of a Unix socket."""
    if text.startswith("/"):
        return Address("", 0, unix=text)
    host, colon, number = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, number = text, str(port)
    if not host or not number.isdecimal() or not 0 < int(number) < 65536:
        raise Unavailable.of(ERRORS.not_an_address(repr(text), probe, str(port)), code="probe.no-answer")
    return Address(host.removeprefix("[").removesuffix("]"), int(number))


def unix_sockets(pid: int | None) -> list[str]:
    """Return the paths of the Unix sockets on which a process listens, as they can be reached from here."""
    if pid is None:
        return []
    text = kernel_files.read(f"/proc/{pid}/net/unix") or ""
    paths = {
        listener.inode: listener.address
        for listener in sockets.parse_unix_listeners(text)
        if listener.address[:1] == "/"
    }
    inodes_of_process = sockets.holders(paths, [pid]).get(pid, set()) if paths else set()
    reachable = []
    for inode in sorted(inodes_of_process):
        # The server may see another file system than the rig does, as in a container.
        inside = f"/proc/{pid}/root{paths[inode]}"
        reachable.append(inside if os.path.exists(inside) else paths[inode])
    return [path for path in reachable if os.access(path, os.W_OK)]


@contextlib.contextmanager
def answering(name: str) -> Iterator[None]:
    """Turn faults of a connection into errors that the observer understands."""
    try:
        yield
    except TimeoutError:
        wording = ERRORS.no_answer_within(name, f"{READ_S:g}")
        raise SlowAnswer.of(wording, code="probe.no-answer") from None
    except OSError as error:
        wording = ERRORS.connection_closed(name, error.strerror or str(error))
        raise BrokenConnection.of(wording, code="probe.no-answer") from None


class ServerConnection(Generic[Connection]):
    """A connection that is opened when first asked over, kept, and opened again after it broke.

    open: raises Lost or RefusedAccess. close: must not raise. After RefusedAccess, raised by `open` or by a
    question, the other side is left alone for KNOCK_S.
    """

    def __init__(self, open: Callable[[], Connection], close: Callable[[Connection], None]) -> None:  # noqa: A002
        self._open, self._close = open, close
        self._connection: Connection | None = None
        self._refused: RefusedAccess | None = None
        self._refused_at = 0.0

    def ask(self, question: Callable[[Connection], Answer]) -> Answer:
        """Return what `question` returns.

        Raises what `question` raises; a connection that failed is given up.

        A server that was restarted between two readings is asked again at once over a new connection.
        """
        was_open = self._connection is not None
        try:
            return question(self._connected())
        except BrokenConnection:
            self.drop()
            if not was_open:
                raise
        except RefusedAccess as refused:
            if refused is not self._refused:
                self._refused, self._refused_at = refused, time.monotonic()
            self.drop()
            raise
        except Exception:
            self.drop()
            raise
        return self.ask(question)

    def _connected(self) -> Connection:
        if self._connection is None:
            if self._refused is not None and time.monotonic() - self._refused_at < KNOCK_S:
                raise self._refused
            self._connection = self._open()
        return self._connection

    def drop(self) -> None:
        """Close the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._close(connection)
