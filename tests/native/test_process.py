"""The generator's process from outside: started as the rig starts it, and talked to."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.native.test_config import config, route

pytestmark = pytest.mark.integration

DEADLINE_S = 60.0

Message = dict[str, Any]


class TokenShop(BaseHTTPRequestHandler):
    """Gives a token for a login, and wants it in everything else; refuses it every tenth time."""

    protocol_version = "HTTP/1.1"
    requests: list[tuple[str, str | None, str | None]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b'{"token": "t/%d"}' % len(self.requests), "sid=1; Path=/")

    def do_GET(self) -> None:
        self._answer(401 if len(self.requests) % 10 == 0 else 200, b'{"ok": true}', None)

    def _answer(self, status: int, body: bytes, cookie: str | None) -> None:
        self.requests.append((self.path, self.headers["Authorization"], self.headers["Cookie"]))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: the requests are in `seen`."""


@contextmanager
def shop() -> Iterator[tuple[int, list[tuple[str, str | None, str | None]]]]:
    """Yield a shop on a port of its own, and what it was asked: path, Authorization, Cookie."""
    requests: list[tuple[str, str | None, str | None]] = []
    handler = type("AShop", (TokenShop,), {"requests": requests})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, requests
        finally:
            server.shutdown()
            thread.join(DEADLINE_S)


class HeldGenerator:
    """A generator process with our hands on both ends."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def say(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Message:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the generator has more to say"
        message: Message = json.loads(line)
        return message

    def hear_out(self) -> tuple[list[Message], Message]:
        """Return all frames, and the end."""
        frames: list[Message] = []
        while True:
            message = self.hear()
            if "end" in message:
                return frames, message["end"]
            frames.append(message["frame"])


@contextmanager
def generator() -> Iterator[HeldGenerator]:
    process = subprocess.Popen(
        [sys.executable, "-m", "loadrig.engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    # Reading has no deadline of its own: a generator that hangs is ended, and then the read ends.
    watchdog = threading.Timer(DEADLINE_S, process.kill)
    watchdog.start()
    try:
        yield HeldGenerator(process)
    finally:
        watchdog.cancel()
        watchdog.join()
        process.kill()
        with process:
            pass  # closes the pipes and waits


def against(port: int, **changes: Any) -> Message:
    """Return a config of one user for the server at this port."""
    whole = config(arrivals={"users": {"line": [[0.0, 1.0]], "loops": None}}, **changes)
    whole["server"] |= {"port": port, "addresses": [f"127.0.0.1:{port}"]}
    return whole


def test_a_wrong_config_is_refused_and_the_process_ends() -> None:
    with generator() as talk:
        talk.say(config(routes=[route(target="/{nope}")]))
        refused = talk.hear()["refused"]
        assert refused["code"] == "engine.unknown-hole"
        assert talk.process.wait(DEADLINE_S) == 1


def test_a_load_runs_from_ready_to_end_with_logins_cookies_and_values() -> None:
    asks = route(target="/items?of={token}", headers=[["Host", "shop"], ["Authorization", "Bearer {token}"]])
    login = route(
        name="login",
        method="POST",
        target="/login",
        extract=[{"into": "token", "json": "$.token"}],
        **{"class": "login"},
    )
    with shop() as (port, requests), generator() as talk:
        talk.say(
            against(
                port,
                routes=[asks, login],
                login={"route": 1, "lasts_s": None, "lasts_from": None, "again_on": [401]},
                stop={"after_s": 60.0, "requests": 25},
            )
        )
        assert talk.hear()["ready"]["threads"] == 1
        talk.say({"start_at_ns": time.monotonic_ns()})
        frames, end = talk.hear_out()
        assert talk.process.wait(DEADLINE_S) == 0
    totals = end["totals"]
    assert end["why"] == "requests"
    paths = [path for path, _, _ in requests]
    assert len(paths) - paths.count("/login") == 25, "a login is no request of the plan's number"
    assert totals["due"] == totals["answered"] == len(requests)
    assert totals["failed"] == totals["unsent"] == 0
    refused = sum(number % 10 == 0 for number, path in enumerate(paths) if path != "/login")
    assert paths[0] == "/login"
    assert paths.count("/login") == 1 + refused
    assert sum(frame["logins"] for frame in frames) == paths.count("/login")
    assert sum(frame["logins_again"] for frame in frames) == refused
    token = ""
    for number, (path, authorization, cookie) in enumerate(requests):
        if path == "/login":
            token = f"t/{number}"
        else:
            assert authorization == f"Bearer {token}"
            assert path == f"/items?of={token.replace('/', '%2F')}"
            assert cookie == "sid=1"


def test_an_interrupt_is_left_to_the_parent() -> None:
    with shop() as (port, _), generator() as talk:
        talk.say(against(port, stop={"after_s": 60.0, "requests": None}, think={"constant": 0.02}))
        talk.hear()
        talk.process.send_signal(signal.SIGINT)
        talk.say({"start_at_ns": time.monotonic_ns()})
        talk.hear()
        talk.process.send_signal(signal.SIGINT)
        talk.say({"stop": "the test has seen enough"})
        _, end = talk.hear_out()
        assert end["why"] == "stopped"
        assert talk.process.wait(DEADLINE_S) == 0


def test_a_generator_whose_parent_is_gone_ends() -> None:
    with shop() as (port, _), generator() as talk:
        talk.say(against(port, stop={"after_s": 60.0, "requests": None}, think={"constant": 0.02}))
        talk.hear()
        talk.say({"start_at_ns": time.monotonic_ns()})
        talk.hear()
        assert talk.process.stdin is not None
        talk.process.stdin.close()
        assert talk.process.wait(DEADLINE_S) == 0


def test_starting_imports_nothing_heavy() -> None:
    code = "import sys, loadrig.engine.__main__; print(*sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    heavy = {"numpy", "scipy", "rich", "ruamel", "json", "subprocess", "asyncio", "loadrig.plan"}
    assert heavy.isdisjoint(ran.stdout.split())
