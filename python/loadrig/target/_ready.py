"""Ready checks of a server: its port takes a connection, a path answers, or its log has a line."""

import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from loadrig.base.running import Address
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetReadyErrors

ERRORS = texts_of(TargetReadyErrors)

TRY_S = 5.0
"""Longest wait for one answer; then another connection is tried."""

SLICE_S = 0.25
"""Time between looks at the process while an answer is waited for, in seconds: a server may take our
connection into its queue long before its workers, who would answer, have failed to come up."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Signs that a server is ready."""

    SHORT = "http"
    http: str | None = option(
        "Path that must answer a GET; each try opens a connection of its own.",
        default=None,
        example="/health",
    )
    status: tuple[int, ...] = option("Statuses that count as ready; by default any answer does.", default=())
    log: str | None = option("Regular expression that a line of its output must match.", default=None)
    port: int | None = option(
        "Port that must take a connection; by default that of its address.", default=None, low=1, high=65535
    )
    within: Seconds = option("How long it may take.", default=Seconds(30.0), low=0.1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a ready check: whether it passed, and what was seen, in words."""

    passed: bool
    last_try: str


def wanted(ready: Ready, address: Address) -> str:
    """Return what is waited for, in words."""
    if ready.log:
        return ERRORS.line_that_matches(ready.log)
    place = ERRORS.socket(address.unix) if address.unix else address.url
    if ready.port and not ready.http:
        place = f"{address.host}:{ready.port}"
    if ready.http:
        if not ready.status:
            return ERRORS.answer_to_get(ready.http, place)
        statuses = reduce(ERRORS.either, map(str, ready.status))
        return ERRORS.answer_with_status(ready.http, place, statuses)
    return ERRORS.connection_taken(place)


def check(
    ready: Ready, address: Address, lines: Callable[[int], list[str]], go_on: Callable[[], None]
) -> Outcome:
    """Try once whether the server is ready. lines: returns its last n lines; go_on: as in `wait`."""
    if ready.log:
        is_printed = any(re.search(ready.log, line) for line in lines(1000))
        return Outcome(is_printed, "" if is_printed else ERRORS.no_such_line)
    if ready.port:
        address = Address(address.host, ready.port, address.scheme)
    try:
        with _connected(address) as connection:
            if not ready.http:
                return Outcome(True, "")
            return _ask(connection, address, ready, go_on)
    except OSError as error:
        return Outcome(False, error.strerror or str(error) or type(error).__name__)


def _connected(address: Address) -> socket.socket:
    if address.unix:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(TRY_S)
        try:
            connection.connect(address.unix)
        except OSError:
            connection.close()
            raise
        return connection
    connection = socket.create_connection((address.host, address.port), timeout=TRY_S)
    if connection.getsockname() == connection.getpeername():
        # Nobody listens, and the kernel happened to choose the wanted port as our own: TCP then
        # connects a socket with itself, and the server could not bind its port.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
        raise ConnectionRefusedError(111, ERRORS.connected_with_itself)
    return connection


def _ask(connection: socket.socket, address: Address, ready: Ready, go_on: Callable[[], None]) -> Outcome:
    if address.scheme == "https":
        import ssl

        # Readiness does not depend on trust; the trial itself checks the certificate.
        context = ssl._create_unverified_context()
        connection = context.wrap_socket(connection, server_hostname=address.host)
    with connection:
        host = address.url.partition("//")[2]
        connection.sendall(
            f"GET {ready.http} HTTP/1.1\r\nHost: {host}\r\n"
            "User-Agent: loadrig-ready\r\nConnection: close\r\n\r\n".encode()
        )
        line = _first_line(connection, min(TRY_S, ready.within), go_on)
    match = re.match(r"HTTP/\d(?:\.\d)? (\d{3})", line)
    if not match:
        return Outcome(False, ERRORS.answer_not_http(line[:80]) if line else ERRORS.closed_without_answer)
    good = not ready.status or int(match[1]) in ready.status
    return Outcome(good, "" if good else ERRORS.other_answer(line))


def _first_line(connection: socket.socket, within_s: float, go_on: Callable[[], None]) -> str:
    """Return the first line of an answer. Raises TimeoutError if it does not come."""
    deadline = time.monotonic() + within_s
    connection.settimeout(SLICE_S)
    answer = b""
    while b"\n" not in answer and len(answer) < 1024:
        try:
            part = connection.recv(1024)
        except TimeoutError:
            go_on()
            if time.monotonic() > deadline:
                raise TimeoutError(ERRORS.no_answer_within(f"{within_s:g}")) from None
            continue
        if not part:
            break
        answer += part
    return answer.partition(b"\n")[0].decode("latin-1").strip()


def wait(
    ready: Ready, address: Address, lines: Callable[[int], list[str]], go_on: Callable[[], None]
) -> Outcome:
    """Try until the server is ready or the time is up; return the last outcome.

    go_on: called between tries; raises to give up (the process has ended).
    """
    deadline = time.monotonic() + ready.within
    pause_s = 0.01
    while True:
        outcome = check(ready, address, lines, go_on)
        if outcome.passed:
            return outcome
        go_on()
        if time.monotonic() >= deadline:
            return outcome
        time.sleep(pause_s)
        pause_s = min(0.1, pause_s * 1.3)
