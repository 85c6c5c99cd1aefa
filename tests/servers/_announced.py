"""A server that says "listening on PORT" when it does: what the Go and Node starters share."""

import http.client
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from tests.servers._daemon import running

_LISTENING = re.compile(rb"^listening on (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Announced:
    """A server that answers on a port of 127.0.0.1. log: what it prints, errors too."""

    process: "subprocess.Popen[bytes]" = field(repr=False)
    port: int
    log: Path
    argv: tuple[str, ...]
    runtime: str
    version: str

    @property
    def pid(self) -> int:
        """Its root process."""
        return self.process.pid

    @property
    def url(self) -> str:
        """Address at which it answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str = "/", timeout_s: float = 30.0) -> str:
        """Ask it once over a connection of its own. Returns the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request("GET", path, headers={"Connection": "close"})
            return connection.getresponse().read().decode().strip()
        finally:
            connection.close()

    def component(
        self, *, is_ours: bool = True, listens: Sequence[int] = (), cgroup: Path | None = None
    ) -> Component:
        """As discovery would describe it. listens: ports beside the one that is loaded."""
        return Component(
            SERVER,
            "program",
            runtime=self.runtime,
            version=self.version,
            pid=self.pid,
            start=processes.start_of(self.pid),
            cgroup=cgroup,
            address=Address("127.0.0.1", self.port),
            listens=tuple(Address("127.0.0.1", port) for port in listens),
            argv=self.argv,
            log=self.log,
            is_ours=is_ours,
        )


@contextmanager
def announced(
    argv: Sequence[str],
    folder: Path,
    runtime: str,
    version: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Announced]:
    """Start a server and wait for its word. folder: where its log is written, as server.log.

    environment: added to ours; PORT is there to be given, else the system chooses a free one.
    """
    log = folder / "server.log"
    before = log.stat().st_size if log.exists() else 0  # a folder may be used for one after another
    port = 0

    def is_up() -> bool:
        nonlocal port
        match = _LISTENING.search(log.read_bytes()[before:])
        port = int(match[1]) if match else 0
        return bool(match)

    with running(argv, log, is_up, environment={**os.environ, **(environment or {})}) as process:
        yield Announced(process, port, log, tuple(argv), runtime, version)
