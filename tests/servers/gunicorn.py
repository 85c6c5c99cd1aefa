"""A real gunicorn, with an application written for the test."""

import contextlib
import http.client
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from tests.servers._daemon import Daemon, free_port, running

APP = """\
import os, time

kept = []

def leak(size):
    kept.append(os.urandom(size))

def hot_loop(seconds):
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n += sum(range(200))
    return n

def app(environ, start_response):
    path, _, amount = environ["PATH_INFO"].strip("/").partition("/")
    if path == "leak":
        leak(int(amount))
    elif path == "burn":
        hot_loop(float(amount))
    elif path == "sleep":
        time.sleep(float(amount))
    elif path == "cycles":
        for _ in range(int(amount)):
            one = []
            one.append(one)
    elif path == "exit":
        os._exit(int(amount))
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
"""Answers the pid of its worker. /leak/BYTES, /burn/SECONDS, /sleep/SECONDS, /cycles/N, /exit/STATUS."""


@contextlib.contextmanager
def started_gunicorn(
    folder: Path, *options: str, environment: Mapping[str, str] | None = None, error_log: Path | None = None
) -> Iterator[Daemon]:
    """Yield a gunicorn that answers. options: more of its command line ("--workers=2").

    error_log: where it writes what it has to say, by --error-logfile; else to the log of what it prints.
    """
    pytest.importorskip("gunicorn", reason="gunicorn is not installed: pip install gunicorn")
    where, log = free_port(), folder / "gunicorn.log"
    (folder / "shop.py").write_text(APP)
    argv = [sys.executable, "-m", "gunicorn", "shop:app", f"--bind=127.0.0.1:{where}", "--no-control-socket"]
    # A worker that is told to end before it listens for that is waited for so long.
    argv += ["--graceful-timeout=1", *options, *([f"--error-logfile={error_log}"] if error_log else [])]
    with running(
        argv, log, lambda: ask(where) is not None, folder=folder, environment=environment
    ) as process:
        yield Daemon(process, where, folder, log)


def ask(port: int, path: str = "/", timeout_s: float = 10.0) -> int | None:
    """Return the pid of the worker that answered, over a connection of its own; None if none did."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return int(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def component(daemon: Daemon, *, log: bool = True, is_ours: bool = True) -> Component:
    """As discovery would describe it. log: whether it is known what file it prints into."""
    words = Path(f"/proc/{daemon.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return Component(
        SERVER,
        "gunicorn",
        runtime="cpython",
        pid=daemon.pid,
        start=processes.start_of(daemon.pid),
        address=Address("127.0.0.1", daemon.port),
        argv=tuple(os.fsdecode(word) for word in words),
        log=daemon.log if log else None,
        is_ours=is_ours,
    )


def workers(daemon: Daemon) -> list[int]:
    """Its workers that live now."""
    everyone = processes.table()
    return [pid for pid in processes.tree(daemon.pid, everyone)[1:] if everyone[pid].state not in "ZX"]
