"""A real `loadrig ui`, and requests to it as a browser makes them."""

import http.client
import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs, urlsplit

from tests import warm

PATIENCE_S = 200.0
"""Longest wait for an answer and for the end of a server, in seconds. It has the lowest priority: a report of
some seconds takes a minute where other tests have the cores."""


@dataclass
class PageAnswer:
    """An answer of the server. headers: by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class ServedPages:
    """A server of pages. address: what it has printed."""

    address: str
    process: "subprocess.Popen[str]"
    headers: dict[str, str] = field(default_factory=dict)
    host: str = "127.0.0.1"

    @property
    def port(self) -> int:
        return int(urlsplit(self.address).port or 0)

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.address).query)["token"][0]

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> PageAnswer:
        """Ask with the headers of a page that was opened, and with others in place of them; "" for none."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in {**self.headers, **named}.items() if value}
        content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return PageAnswer(answer.status, names, answer.read())
        finally:
            connection.close()

    def open(self) -> None:
        """Exchange the token for the cookie, and be a page of this server from then on."""
        answer = self.ask(f"/?token={self.token}")
        assert answer.status == 303
        self.headers = {
            "Cookie": answer.headers["set-cookie"].partition(";")[0],
            "Origin": f"http://{self.host}:{self.port}",
        }


def plant_modules(folder: Path) -> Path:
    """Write modules with names of Python's own into a folder; return the file that each makes when run."""
    trace = folder / "a-module-was-run"
    for name in ("queue", "dataclasses", "random"):
        (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\nraise SystemExit(3)\n")
    return trace


@contextmanager
def serving(
    folder: Path, *words: str, errors: IO[str] | None = None, host: str = "127.0.0.1"
) -> Iterator[ServedPages]:
    """Yield a server of the runs in a folder, opened. errors: file to which it writes what is no answer."""
    # Whoever runs the tests may ignore signals, in the background of a shell say; a child inherits that.
    default = (signal.SIGINT, signal.SIGHUP)
    command = [*warm.PROGRAM, "ui", str(folder), "--no-browser", *words]
    with warm.Popen(
        command, default_signals=default, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=folder
    ) as process:
        assert process.stdout is not None
        try:
            pages = ServedPages(process.stdout.readline().strip(), process, host=host)
            pages.open()
            yield pages
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
