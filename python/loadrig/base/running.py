"""A running server: what a target hands to the probes and to the generator."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Address:
    """Address to which requests go: host and port, or the path of a Unix socket."""

    host: str
    port: int
    scheme: str = "http"
    unix: str | None = None

    @classmethod
    def of_url(cls, text: str) -> Self:
        """Return the address in a URL, http where it names no scheme. Raises ValueError if there is none."""
        parts = urlsplit(text if "://" in text else f"http://{text}")
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        if not parts.hostname or usual is None:
            raise ValueError(text)
        return cls(parts.hostname, parts.port or usual, parts.scheme)

    @property
    def url(self) -> str:
        """Scheme and authority, IPv6 in brackets: "http://[::1]:8000"."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class RunningTarget:
    """A server that answers requests.

    pid: the root of its process tree, or None when it runs elsewhere or is not known.
    cgroup: its own cgroup (a folder under the cgroup file system), where one was made for it.
    log: the file that holds what it printed, if the rig started it.
    started_ns: when it was started, ready_ns: when its ready check passed, on the rig's monotonic clock.
    cpus: the cores it is held on, empty where it is free.
    argv: the command line as started, for the record; empty for a server that ran already.
    """

    address: Address
    pid: int | None = None
    cgroup: Path | None = None
    log: Path | None = None
    started_ns: int = 0
    ready_ns: int = 0
    cpus: tuple[int, ...] = ()
    argv: tuple[str, ...] = ()
