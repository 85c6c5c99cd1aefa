"""Servers and applications for the tests of targets, and what those tests share."""

import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadrig.base import leases, processes
from loadrig.base.errors import Problem, RigError
from loadrig.base.running import Address
from loadrig.base.setting import Value
from loadrig.base.units import Seconds
from loadrig.target import Running, command, gunicorn
from loadrig.target._ready import Ready
from loadrig.testing.leftovers import nothing_left_behind
from tests.pauses import pause

SERVER = """\
import http.server, json, os, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        facts = {
            "pid": os.getpid(), "argv": sys.argv[1:], "cwd": os.getcwd(), "knob": os.environ.get("KNOB"),
            "cpus": sorted(os.sched_getaffinity(0)), "session": os.getsid(0), "parent": os.getppid(),
            "fds": {n: os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
                    if os.path.lexists(f"/proc/self/fd/{n}")},
        }
        body = json.dumps(facts).encode()
        self.send_response(503 if self.path == "/down" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

STUBBORN = """\
import runpy, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
runpy.run_path("server.py", run_name="server")
"""

APP = """\
def app(environ, start_response):
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]

async def async_app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

def make_app():
    return async_app
"""


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test leases of its own, and want no process, port, cgroup or lease after it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with nothing_left_behind():
        yield
    assert leases.listed() == []


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "shop.py").write_text(APP)
    return tmp_path


def start_server(base: Path, *more: str, **options: object) -> Running:
    argv = (sys.executable, "server.py", "{port}", *more)
    chosen = command.Options(argv, **{"ready": Ready(within=Seconds(60)), **options})  # type: ignore[arg-type]
    return command.start(chosen, {}, base / "run", base)


def get(address: Address, path: str = "/") -> dict[str, object]:
    with socket.create_connection((address.host, address.port), timeout=60) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    body = answer.partition(b"\r\n\r\n")[2]
    return dict(json.loads(body)) if body.startswith(b"{") else {"body": body.decode()}


def problem_of(raised: pytest.ExceptionInfo[RigError]) -> Problem:
    (problem,) = raised.value.problems
    page = Path(leases.__file__).parents[1] / "explain" / f"{problem.code}.md"
    assert page.exists()
    assert problem.mend
    return problem


def wait_until(claim: Callable[[], object], deadline_s: float = 60.0) -> None:
    began = time.monotonic()
    while not claim():
        assert time.monotonic() < began + deadline_s, "waited too long"
        pause(began)


def start_gunicorn(base: Path, setting: dict[str, Value], **options: object) -> Running:
    chosen = gunicorn.Options("shop:app", **options)  # type: ignore[arg-type]
    return gunicorn.start(chosen, setting, base / "run", base)


def workers_of(master: int | None) -> list[int]:
    return processes.tree(master or 0, processes.table())[1:]


def hears(worker: int) -> bool:
    """Return whether this worker of gunicorn set its own handlers: before, it drops what it is told.

    Of gunicorn's processes only a worker that set them catches SIGABRT. Source: proc(5), SigCgt.
    """
    status = Path(f"/proc/{worker}/status").read_text("ascii")
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught >> (signal.SIGABRT - 1) & 1)
