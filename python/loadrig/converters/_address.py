"""Addresses of foreign documents: the server that a plan loads, and headers that it may set."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from loadrig.base.errors import Span
from loadrig.base.loopback import is_loopback
from loadrig.plan.check_requests import header_problem
from loadrig.plan.servers import MOST_SERVERS

_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+", re.ASCII)
_SCHEMES = ("http", "https")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Server of a request. is_open: the test does not fix its host."""

    scheme: str
    host: str
    port: int
    is_open: bool = False

    @property
    def url(self) -> str:
        """Address as a plan's target has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{host}" + ("" if self.port in (0, usual) else f":{self.port}")


class PlanServers:
    """Servers of a plan that is made of a test: the target, and those beside it by the names of their hosts.

    target: its address as a plan has it.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.further: dict[str, str] = {}
        self._names = {target: ""}

    def take(self, url: str) -> bool:
        """Return whether requests may go to a server: the plan has it from now on."""
        if url not in self._names and len(self.further) < MOST_SERVERS:
            authority = urlsplit(url).netloc
            name = url if authority in self.further else authority
            self._names[url], self.further[name] = name, url
        return url in self._names

    def keys(self, url: str) -> dict[str, Any]:
        """Return what a request to a server says of it: nothing where that is the target."""
        return {"server": self._names[url]} if self._names[url] else {}

    def parts(self) -> dict[str, Any]:
        """Return what a draft of the plan says of them, and of their hosts beside this machine."""
        hosts = (urlsplit(url).hostname or "" for url in (self.target, *self.further.values()))
        allow = tuple(dict.fromkeys(host for host in hosts if host and not is_loopback(host)))
        return {"server": self.target, "servers": self.further, "allow": allow}


NOWHERE = ServerAddress("http", "127.0.0.1", 0)
"""Server of a plan whose document names none: this machine, so that nobody else gets its load."""


def address_of(url: str) -> tuple[ServerAddress | None, str]:
    """Return the server of an address, and its path without a last slash; None where it fixes no server."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 0
    except ValueError:
        return None, ""
    path = parts.path.rstrip("/")
    path = path if path.startswith(("/", "{")) or not path else f"/{path}"
    if parts.scheme not in _SCHEMES or not _HOST.fullmatch(host):
        return None, path if not parts.netloc else ""
    return ServerAddress(parts.scheme, host, port), path


def of_one_server(path: str) -> str:
    """Return a path in which no address begins: a plan takes that for the address of another server."""
    return path.replace("://", "%3A//")


def is_header(name: str) -> bool:
    """Return whether a plan may set a header; those of the connection loadrig writes itself."""
    return header_problem(name, Span(""), "http") is None


def joined_values(name: str, first: str, second: str) -> str:
    """Return two values of a header that a tool sends twice as the value of one, which says the same.

    Source: RFC 9110, section 5.3; of cookies RFC 6265, section 4.2.1.
    """
    return f"{first}{'; ' if name.lower() == 'cookie' else ', '}{second}"


def one_line(text: str) -> str:
    """Return a text as it can stand in a header."""
    return re.sub(r"[\0-\x08\n-\x1f\x7f]+", " ", text)
