"""Pages of one server over one connection that is kept.

A probe that asks each second must not open a connection each second: it would stand among those that
other probes were sent to count.
"""

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loadrig.base.component import Component
from loadrig.base.loopback import is_loopback, reached
from loadrig.base.running import Address
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_line import ProbesLineErrors, ProbesPagesErrors
from loadrig.probes._line import BrokenConnection, ServerConnection, SlowAnswer
from loadrig.probes._session import Lost, Unavailable

if TYPE_CHECKING:  # imported where a page is asked for: takes 15 ms, and most components have no pages
    from http.client import HTTPConnection

    from loadrig.probes._http import Page

LINE_ERRORS = texts_of(ProbesLineErrors)
ERRORS = texts_of(ProbesPagesErrors)


class Pages:
    """Pages below an address. base: "http://127.0.0.1:8000", without a slash at the end."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")
        parts = urlsplit(self.base)
        self._host, self._port, self._below = parts.hostname or "", parts.port, parts.path
        self._is_secure = parts.scheme == "https"
        self._line: ServerConnection[HTTPConnection] = ServerConnection(
            self._open, lambda connection: connection.close()
        )
        self._until = 0.0

    def get(self, path: str, timeout_s: float, accept: str = "*/*") -> "Page":
        """Fetch a page. Raises Lost, code probe.no-answer, if none comes. timeout_s: for the whole page."""
        self._until = time.monotonic() + timeout_s
        return self._line.ask(lambda connection: self._fetch(connection, self._below + path, accept))

    def _open(self) -> "HTTPConnection":
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._is_secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=self._left_s())
        try:
            connection.connect()
        except TimeoutError:
            raise SlowAnswer.of(ERRORS.not_accepted(self.base), code="probe.no-answer") from None
        except OSError as error:
            wording = LINE_ERRORS.no_answer(self.base, str(error))
            raise BrokenConnection.of(wording, code="probe.no-answer") from None
        return connection

    def _left_s(self) -> float:
        left_s = self._until - time.monotonic()
        if left_s <= 0:
            raise SlowAnswer.of(ERRORS.page_late(self.base), code="probe.no-answer")
        return left_s

    def _fetch(self, connection: "HTTPConnection", path: str, accept: str) -> "Page":
        from http.client import HTTPException

        from loadrig.probes._http import AGENT, MOST_BYTES, Page

        try:
            self._limit_wait(connection)
            connection.request("GET", path or "/", headers={"User-Agent": AGENT, "Accept": accept})
            answer = connection.getresponse()
            body = b""
            while part := answer.read1(1 << 16):
                body += part
                if len(body) > MOST_BYTES:
                    wording = ERRORS.page_too_long(self.base + path, str(MOST_BYTES >> 20))
                    raise Lost.of(wording, code="probe.not-that")
                self._limit_wait(connection)
            if answer.length:
                wording = ERRORS.page_cut_short(self.base + path, str(answer.length))
                raise BrokenConnection.of(wording, code="probe.no-answer")
            return Page(answer.status, answer.headers.get("Content-Type", ""), body)
        except TimeoutError:
            raise SlowAnswer.of(ERRORS.page_late(self.base + path), code="probe.no-answer") from None
        except (OSError, HTTPException) as error:
            wording = LINE_ERRORS.no_answer(self.base + path, str(error or type(error).__name__))
            raise BrokenConnection.of(wording, code="probe.no-answer") from None

    def _limit_wait(self, connection: "HTTPConnection") -> None:
        connection.timeout = left_s = self._left_s()
        # None where the server announced that it closes: then the answer alone holds the socket, or the
        # next request opens another.
        if connection.sock is not None:
            connection.sock.settimeout(left_s)

    def close(self) -> None:
        """Close the connection, if there is one."""
        self._line.drop()


def fetch(url: str) -> "Page":
    """Fetch a page over a new connection. Raises Lost, code probe.no-answer, if none comes."""
    parts = urlsplit(url)
    pages = Pages(f"{parts.scheme}://{parts.netloc}")
    try:
        return pages.get(f"{parts.path}?{parts.query}" if parts.query else parts.path, timeout_s=2.0)
    finally:
        pages.close()


def near(component: Component) -> tuple[str, ...]:
    """Return the URLs at which a component is reached by loopback, each once.

    Addresses beyond this machine are left out: probes ask there only if the plan names them.
    """
    addresses = ([component.address] if component.address else []) + list(component.listens)
    urls: dict[str, None] = {}
    for address in addresses:
        host = reached(address.host)
        if address.unix is None and address.port and is_loopback(host):
            urls[Address(host, address.port, address.scheme).url] = None
    return tuple(urls)


def url_of(probe: str, option: str, text: str) -> str:
    """Return a page's URL as the plan gives it, checked. Raises Unavailable where it is no URL."""
    try:
        parts = urlsplit(text)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is no number, or a bracket is missing
        is_url = False
    if not is_url:
        raise Unavailable.of(ERRORS.not_a_url(repr(text), probe, option), code="probe.not-that")
    return text
