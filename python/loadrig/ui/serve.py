"""The server of the pages: a process of its own, at the lowest priority, for one user."""

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiServeErrors
from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.ui.app import application
from loadrig.ui.guard import QUERY
from loadrig.ui.home import Home
from loadrig.ui.starting import Starter

ERRORS = texts_of(UiServeErrors)

LOWEST_NICE = 19
"""Niceness of the server: what is loaded and measured on the same machine comes first. Not SCHED_IDLE, with
which a page would stand still for as long as every core is loaded."""

TOKEN_BYTES = 24
"""Randomness of the token, in bytes."""

ENDS_WITHIN_S = 5
"""Longest wait for pages that are still being sent when a person ends the server, in whole seconds: they end
by themselves at once, later on a busy machine."""

LEFT_FOR_S = 10.0
"""Time that a server which was begun beside a run goes on when the run is over and no page watches it."""

LONGEST_S = 8 * 3600.0
"""Longest time that it goes on when the run is over, whoever watches: a tab may be forgotten."""

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end the server, unless whoever started it has them ignored, as nohup does."""

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
"""Addresses that only this machine can reach."""


@dataclass(frozen=True, slots=True)
class PagesWish:
    """Order to serve pages: of which runs, and where.

    root: folder of all runs. alone: id of the only run that is shown; None for all. host, port: where to
    listen; port 0 for any that is free. certificate, key: files for TLS; None without. is_beside: end by
    itself once the run is over and no page watches it. may_start: whether the pages may start runs.
    """

    root: Path
    alone: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    is_beside: bool = False
    may_start: bool = False


class PagesServer(uvicorn.Server):
    """Server that a signal ends without a word, and whose news of runs end with it."""

    def __init__(self, config: uvicorn.Config, home: Home) -> None:
        super().__init__(config)
        self._home = home

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals to end. uvicorn would raise each once more, which fails the task it runs in."""
        signals = [number for number in ENDING_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the news, which would go on as long as a browser listens, then the server."""
        self._home.ending.set()
        await super().shutdown(sockets)


def serve(wish: PagesWish, begun: Callable[[str], None]) -> None:
    """Serve until a signal ends it. begun: called with the address to open, once it is listened on.

    Raises PlanError `ui.cannot-listen` and `ui.no-certificate`.
    """
    listening = _listening(wish)
    starter = Starter(Path()) if wish.may_start else None  # at the priority that is given up next
    os.nice(LOWEST_NICE)
    port = listening.getsockname()[1]
    home = Home(wish.root, wish.alone, starter)
    try:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        config = _config(home, token, wish, port)
        scheme = "https" if wish.certificate else "http"
        begun(f"{scheme}://{_bracketed(wish.host)}:{port}/?{QUERY}={token}")
        asyncio.run(_served(PagesServer(config, home), listening, home, wish))
    finally:
        home.close()


def _config(home: Home, token: str, wish: PagesWish, port: int) -> uvicorn.Config:
    """Return the configuration of the server. Raises PlanError `ui.no-certificate`."""
    names = {wish.host, *(LOCAL if wish.host in LOCAL else ())}
    hosts = frozenset(f"{_bracketed(name)}:{port}" for name in names)
    config = uvicorn.Config(
        application(home, token, hosts, f"loadrig-{port}"),
        log_level="error", access_log=False, lifespan="off", ws="none", http="h11", server_header=False,
        date_header=False, timeout_graceful_shutdown=ENDS_WITHIN_S,
        ssl_certfile=wish.certificate, ssl_keyfile=wish.key,
    )  # fmt: skip
    try:
        config.load()
    except OSError as error:  # of the certificate; ssl.SSLError is one
        reason = str(error.strerror or error)
        raise PlanError.of(
            ERRORS.no_certificate(str(wish.certificate), str(wish.key), reason), code="ui.no-certificate"
        ) from error
    return config


def _listening(wish: PagesWish) -> socket.socket:
    family = socket.AF_INET6 if ":" in wish.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((wish.host, wish.port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        address, reason = f"{_bracketed(wish.host)}:{wish.port}", str(error.strerror or error)
        raise PlanError.of(ERRORS.cannot_listen(address, reason), code="ui.cannot-listen") from error
    return listening


async def _served(server: uvicorn.Server, listening: socket.socket, home: Home, wish: PagesWish) -> None:
    tasks = [asyncio.create_task(server.serve(sockets=[listening]))]
    if wish.is_beside:
        run = RunFolder(wish.root / (wish.alone or "."))
        tasks.append(asyncio.create_task(_end_after_run(server, home, run)))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await tasks[0]
    finally:
        for task in tasks[1:]:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _end_after_run(server: uvicorn.Server, home: Home, run: RunFolder) -> None:
    """End the server once the run is over and nobody watches it."""
    over_s: float | None = None
    while not server.should_exit:
        state = now.read(run)
        if state is not None and state.is_alive:
            over_s = None
        elif over_s is None:
            over_s = time.monotonic()
        else:
            is_left = not home.watchers and time.monotonic() - max(home.left_s, over_s) > LEFT_FOR_S
            server.should_exit = is_left or time.monotonic() - over_s > LONGEST_S
        await asyncio.sleep(1.0)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
