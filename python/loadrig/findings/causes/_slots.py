"""How many requests a program can work on at once: its slots, by its settings and by what is seen of it.

Settings come first: what the command line says, then what the environment says. What stands in a
configuration file is not read; there the number of workers and threads that were seen has to do.
"""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.findings.case import Case
from loadrig.findings.tier import Tier
from loadrig.findings.track import Track

Kind = Literal["sync", "threads", "loop"]
"""How a process serves: one request after the other, in threads, or any number in an event loop."""

_LOOPS = ("gevent", "eventlet", "tornado", "asgi", "uvicorn", "aiohttp", "meinheld", "sanic")
_LOOP_SERVERS = frozenset(
    {"uvicorn", "hypercorn", "daphne", "granian", "gevent", "aiohttp", "tornado", "sanic"}
)

LOOP_POOL_THREADS = 40
"""Threads that handlers without `async` share in a process of Starlette and FastAPI: anyio's default."""

POOL_IN_USE = 20
"""Threads of a process of an asynchronous server from which on it is taken to work in that pool."""

_ONE_THREAD = 1.5
"""Threads of a worker, on average: at most it has one."""

_WAITRESS_THREADS = 4
_UNTHREADED = frozenset({"--without-threads", "--nothreading"})
"""Options of the development servers of Flask and Django."""


@dataclass(frozen=True, slots=True)
class Slots:
    """number: requests at once at most; infinite of an event loop. workers: its processes.

    kind: how a process serves. text: "3 workers of one thread each". more: what to type to have more.
    busy: slots in use, where the program tells of it itself.
    """

    number: float
    workers: float
    kind: Kind
    text: str
    more: str
    busy: Track | None = None


def slots_of(case: Case, tier: Tier) -> Slots | None:
    """The slots of a program; None where neither settings nor readings tell."""
    if limits := tier.parts("tomcat.threads_limit"):
        return _of_tomcat(tier, limits)
    if tier.kind == "gunicorn":
        return _of_gunicorn(case, tier)
    if tier.kind in _LOOP_SERVERS or tier.runtime == "node":
        return _of_loop(tier)
    if tier.kind == "waitress":
        threads = tier.number("--threads") or _WAITRESS_THREADS
        return Slots(threads, 1, "threads", f"{threads:g} threads", f"--threads={2 * threads:g}")
    if tier.kind == "uwsgi":
        workers = tier.number("--processes", "--workers", "-p") or serving(tier)
        threads = tier.number("--threads") or 1.0
        return _of_workers(workers, threads, "threads" if threads > 1 else "sync")
    if tier.kind in ("flask", "django") and _UNTHREADED.intersection(tier.settings):
        return Slots(1, 1, "sync", "one request at a time", "leave out --without-threads")
    return None


def serving(tier: Tier) -> float:
    """Its processes that serve: those below the root, or the root alone."""
    seen = tier.track("gunicorn.workers")
    if seen is not None and seen.median > 0:
        return seen.median
    running = tier.track("process.processes", "tree")
    below = running.median - 1 if running is not None else float(tier.workers)
    return max(1.0, below)


def threads_each(tier: Tier) -> float:
    """Threads of each process that serves, its main thread among them; NaN where it was not read."""
    threads, processes = tier.track("process.threads", "tree"), tier.track("process.processes", "tree")
    if threads is None or processes is None or processes.median < 1:
        return math.nan
    root = 1.0 if processes.median > 1 else 0.0
    return (threads.median - root) / (processes.median - root)


def accepted(case: Case, tier: Tier) -> float:
    """Connections that it has accepted and not closed; NaN where it was not read."""
    host = case.tiers.get(tier.host, case.host)
    open_ = host.track("tcp_sockets.established", f"in:{tier.port}")
    queued = host.track("tcp_sockets.accept_queue", f"in:{tier.port}")
    if open_ is None or queued is None:
        return math.nan
    return max(0.0, open_.mean - queued.mean)


def queued(case: Case, tier: Tier) -> Track | None:
    """Connections that wait at its listener; None where it was not read."""
    host = case.tiers.get(tier.host, case.host)
    return host.track("tcp_sockets.accept_queue", f"in:{tier.port}") if tier.port else None


def unread_each(case: Case, tier: Tier) -> float:
    """Bytes of requests that wait to be read by it, for each request in flight; NaN where it was not read.

    A request without a body is some 100 bytes. One that waits for a thread, or for the loop to come round,
    is not read yet; one that waits inside for a lock or a dependency is.
    """
    host = case.tiers.get(tier.host, case.host)
    open_ = host.track("tcp_sockets.established", f"in:{tier.port}")
    # Where connections are few, requests wait for one in the generator, too: in flight, and not here.
    here = min(case.load.waiting, open_.mean) if open_ is not None else 0.0
    if here <= 0:
        return math.nan
    unread = host.track("tcp_sockets.receive_queue_bytes", f"in:{tier.port}")
    return unread.mean / here if unread is not None else 0.0


def is_loop(case: Case, tier: Tier) -> bool:
    """Whether its processes serve in an event loop."""
    found = slots_of(case, tier)
    if found is not None:
        return found.kind == "loop"
    # A server of its own in Python that holds many connections in one thread.
    return (
        tier.runtime == "cpython"
        and tier.kind == "program"
        and threads_each(tier) <= _ONE_THREAD
        and accepted(case, tier) > 2 * serving(tier) + 1
    )


def _of_tomcat(tier: Tier, limits: Mapping[str, Track]) -> Slots:
    busy = tier.parts("tomcat.threads_busy")
    connector = max(limits, key=lambda one: busy[one].mean if one in busy else 0.0)
    number = limits[connector].median
    return Slots(
        number, 1, "threads", f"{number:g} threads", f"maxThreads={2 * number:g}", busy.get(connector)
    )


def _of_gunicorn(case: Case, tier: Tier) -> Slots:
    told = {**_arguments(tier.settings.get("GUNICORN_CMD_ARGS", "")), **tier.settings}
    workers = _number(told, "--workers", "-w", "WEB_CONCURRENCY") or serving(tier)
    class_ = told.get("--worker-class") or told.get("-k") or ""
    threads = _number(told, "--threads")
    each = threads_each(tier)
    if any(name in class_ for name in _LOOPS):
        return _loop(workers, f"{workers:g} processes with an event loop each ({class_})")
    if not class_ and threads is None:
        # A configuration file may say more than the command line: gunicorn reads one of its own accord.
        if accepted(case, tier) > 2 * workers + 1 and each <= _ONE_THREAD:
            return _loop(workers, f"{workers:g} processes that hold many connections in one thread")
        threads = round(each) - 1 if each > _ONE_THREAD + 1 else None
    threads = threads or 1.0
    kind: Kind = "threads" if threads > 1 or class_ == "gthread" else "sync"
    return _of_workers(workers, threads, kind)


def _of_loop(tier: Tier) -> Slots:
    workers = tier.number("--workers", "-w", "WEB_CONCURRENCY") or serving(tier)
    each = threads_each(tier)
    if tier.runtime == "cpython" and each >= POOL_IN_USE:
        text = f"{LOOP_POOL_THREADS} threads for handlers without async"
        if workers > 1:
            text = f"{workers:g} processes with {text}"
        more = "more tokens for anyio's limiter, or handlers that are async"
        return Slots(LOOP_POOL_THREADS * workers, workers, "threads", text, more)
    text = "one event loop" if workers == 1 else f"{workers:g} processes with an event loop each"
    return _loop(workers, text)


def _loop(workers: float, text: str) -> Slots:
    return Slots(math.inf, workers, "loop", text, f"--workers={2 * workers:g}")


def _of_workers(workers: float, threads: float, kind: Kind) -> Slots:
    text = "one worker" if workers == 1 else f"{workers:g} workers"
    text += " of one thread" if threads == 1 else f" of {threads:g} threads"
    more = f"--workers={2 * workers:g}"
    more = f"--threads={2 * threads:g} or {more}" if kind == "threads" else f"{more}, or threads: --threads=4"
    return Slots(workers * threads, workers, kind, text if workers == 1 else f"{text} each", more)


def _number(told: Mapping[str, str], *names: str) -> float | None:
    for name in names:
        try:
            if float(told.get(name, "")) > 0:
                return float(told[name])
        except ValueError:
            continue
    return None


def _arguments(text: str) -> dict[str, str]:
    """Options of GUNICORN_CMD_ARGS by their names."""
    try:
        words = shlex.split(text)
    except ValueError:
        return {}
    found, waiting = {}, ""
    for word in words:
        if word.startswith("-"):
            name, _, value = word.partition("=")
            if not name.startswith("--") and len(name) > 2:
                name, value = name[:2], name[2:]  # -w4
            found[name] = value
            waiting = "" if value else name
        elif waiting:
            found[waiting], waiting = word, ""
    return found
