"""A server that ends after so many requests, by a status or a signal, and plans that load it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loadrig.cli.__main__ import main

LAST_WORDS = "the pool is empty"

SERVER = f'''\
"""dies.py PORT REQUESTS HOW: HOW is a status, the name of a signal, or memory to take, in MB."""

import http.server, os, signal, sys, threading

left, how, lock = int(sys.argv[2]), sys.argv[3], threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def do_GET(self):
        global left
        with lock:
            left -= self.path == "/"
            if left < 0:
                print("{LAST_WORDS}", flush=True)
                if how.isdecimal():
                    os._exit(int(how))
                if how.endswith("MB"):
                    taken = bytearray(os.urandom(4096)) * (int(how[:-2]) * 256)
                os.kill(os.getpid(), signal.Signals["SIG" + how])
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


print("listening", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
'''

PLAN = """\
loadrig: 1
name: dying
target: {{command: {{argv: [{python}, dies.py, "{{port}}", "{requests}", "{how}"], ready: /health}}}}
workload: {{rate: 100/1s, requests: [{{get: /, expect: 200}}]}}
goals: [p99 < 1s]
trial: {{warm_up: {{at_least: 0s, at_most: 0.2s}}, measure: {{at_least: 2s, at_most: 2s}}}}
"""


def lay_out(folder: Path, *, requests: int = 40, how: str = "3", more: str = "") -> None:
    """Write the server and a plan that starts and loads it. more: keys of the plan."""
    (folder / "dies.py").write_text(SERVER, encoding="utf-8")
    text = PLAN.format(python=sys.executable, requests=requests, how=how) + more
    (folder / "plan.yaml").write_text(text, encoding="utf-8")


@contextmanager
def running(folder: Path, *, requests: int, how: str) -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """Yield the process and the port of the server, started by somebody else."""
    from tests.integration.servers import free_port, listens
    from tests.integration.started import wait_until

    lay_out(folder)
    port = free_port()
    argv = [sys.executable, "dies.py", str(port), str(requests), how]
    with subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            wait_until(lambda: listens(port))
            yield process, port
        finally:
            process.kill()


@dataclass(frozen=True)
class Told:
    """Answer of a command: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Its standard output as a document."""
        document: dict[str, Any] = json.loads(self.out)
        return document


def command(capsys: pytest.CaptureFixture[str], *words: str) -> Told:
    """Run a command in this process, where nothing needs to be imported once more."""
    capsys.readouterr()
    code = main([str(word) for word in words])
    return Told(code, *capsys.readouterr())


def first_sentence(text: str) -> str:
    """Return what stands under the head of a summary, up to its first empty line, as one line."""
    parts = text.strip().split("\n\n")
    return " ".join(parts[1].split())
