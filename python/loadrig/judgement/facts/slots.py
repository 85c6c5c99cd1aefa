"""Slots of a program: how many requests it can work on at once, by its settings and by readings.

Settings come first: the command line, then the environment. A configuration file is not read; instead the
number of workers and threads that were seen is used.
"""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsSlotsTexts

TEXTS = texts_of(JudgementFactsSlotsTexts)

Kind = Literal["sync", "threads", "loop"]
"""Way in which a process serves: one request after the other, in threads, or any number in an event loop."""

_LOOPS = ("gevent", "eventlet", "tornado", "asgi", "uvicorn", "aiohttp", "meinheld", "sanic")
_LOOP_SERVERS = frozenset(
    {"uvicorn", "hypercorn", "daphne", "granian", "gevent", "aiohttp", "tornado", "sanic", "vertx", "netty"}
)

LOOP_POOL_THREADS = 40
"""Threads that handlers without `async` share in a process of Starlette and FastAPI: anyio's default."""

POOL_IN_USE = 20
"""Threads of a process of an asynchronous server, from which on it is taken to work in that pool of
threads."""

SCHEDULES_ITSELF = frozenset({"go", "node"})
"""Runtimes that keep what is ready to run by themselves."""

_ONE_THREAD = 1.5
"""Mean number of threads of a worker. Up to it the worker has one thread."""

_WAITRESS_THREADS = 4
"""Threads of waitress unless told otherwise. Source: docs.pylonsproject.org, arguments of waitress.serve."""

_UNTHREADED = frozenset({"--without-threads", "--nothreading"})
"""Options with which the development servers of Flask and Django serve without threads."""


_THREAD_KNOBS: Mapping[tuple[str, str], str] = {
    ("tomcat", ""): "maxThreads",
    ("tomcat", "spring-boot"): "server.tomcat.threads.max",
    ("jetty", ""): "QueuedThreadPool.maxThreads",
    ("jetty", "spring-boot"): "server.jetty.threads.max",
    ("undertow", ""): "WORKER_TASK_MAX_THREADS",
    ("undertow", "spring-boot"): "server.undertow.threads.worker",
}
"""Setting of the threads that hold a request each, by the server that runs in a JVM and what embeds it.
Sources: Spring Boot's common application properties, Jetty's QueuedThreadPool, XNIO's Options."""

_WRITTEN_FOR: Mapping[str, str] = {
    "php-fpm": "pm.max_children = {}", "puma": "threads {0}, {0}", "unicorn": "worker_processes {}",
    "apache": "MaxRequestWorkers {}", "granian": "--blocking-threads {}", "cheroot": "--threads {}",
}  # fmt: skip
"""Setting of what holds a request each, as its server has it written, by the kind of the server. Sources: the
manuals of PHP-FPM, Puma, Unicorn, Apache's MPMs, Granian and Cheroot."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots of a program. number: requests at once at most, infinite for an event loop. workers: processes.

    kind: how a process serves. text: "3 workers of one thread each". more: what to type for more slots.
    busy: slots in use, where the program reports them itself.
    """

    number: float
    workers: float
    kind: Kind
    text: str
    more: str
    busy: Track | None = None


def slots_of(tier: Tier) -> Slots | None:
    """Return the slots of a program; None where neither settings nor readings say."""
    if limits := tier.parts("tomcat.threads_limit"):
        return _tomcat_slots(tier, limits)
    if tier.kind == "gunicorn":
        return _gunicorn_slots(tier)
    if (knob := _thread_knob(tier)) and (threads := _number(tier.settings, *_spellings(knob))):
        return Slots(threads, 1, "threads", TEXTS.threads(f"{threads:g}"), f"{knob}={2 * threads:g}")
    if tier.kind in _LOOP_SERVERS or tier.runtime == "node":
        return _loop_server_slots(tier)
    # A program that knows several servers may have started another one than the first that its text names.
    if tier.kind == "waitress" and not _holds_many(tier):
        running = threads_each(tier) - 1  # its main thread accepts
        threads = tier.number("--threads") or (
            round(running) if running >= _ONE_THREAD else _WAITRESS_THREADS
        )
        return Slots(threads, 1, "threads", TEXTS.threads(f"{threads:g}"), f"--threads={2 * threads:g}")
    if tier.kind == "uwsgi":
        workers = tier.number("--processes", "--workers", "-p") or serving(tier)
        threads = tier.number("--threads") or 1.0
        return _worker_slots(workers, threads, "threads" if threads > 1 else "sync")
    if tier.kind in ("flask", "django") and _UNTHREADED.intersection(tier.settings):
        return Slots(1, 1, "sync", TEXTS.request_time, TEXTS.leave_out_without)
    return None


def more_threads(tier: Tier, number: float) -> str:
    """Return the setting for twice as many workers or threads of a server; empty where that is not known."""
    twice = 2 * round(number)
    if twice <= 0:
        return ""
    if (written := _WRITTEN_FOR.get(tier.kind)) is not None:
        return written.format(twice)
    knob = _thread_knob(tier)
    return f"{knob}={twice:g}" if knob else ""


def advised(tier: Tier) -> float:
    """Return the sync workers that gunicorn advises: 2 × cores + 1, 4 to 12 (docs.gunicorn.org, design)."""
    return max(2 * tier.cores + 1, 4.0)


def serving(tier: Tier) -> float:
    """Return the number of processes that serve: the processes below the root, or the root alone."""
    workers = tier.track("gunicorn.workers")
    if workers is not None and workers.median > 0:
        return workers.median
    running = tier.track("process.processes", "tree")
    below = running.median - 1 if running is not None else float(tier.workers)
    return max(1.0, below)


def threads_each(tier: Tier) -> float:
    """Return the threads of each process that serves, its main thread among them; NaN where not read."""
    threads, processes = tier.track("process.threads", "tree"), tier.track("process.processes", "tree")
    if threads is None or processes is None or processes.median < 1:
        return math.nan
    root = 1.0 if processes.median > 1 else 0.0
    return (threads.median - root) / (processes.median - root)


def at_port(tier: Tier, metric: str) -> Track | None:
    """Return a metric of the sockets at the port that a program listens on; None where it was not read."""
    return machine(tier).track(f"tcp_sockets.{metric}", f"in:{tier.port}") if tier.port else None


def accepted(tier: Tier) -> float:
    """Return the connections that a program has accepted and not closed; NaN where that was not read."""
    open_, waiting = at_port(tier, "established"), queued(tier)
    return math.nan if open_ is None or waiting is None else max(0.0, open_.mean - waiting.mean)


def queued(tier: Tier) -> Track | None:
    """Return the connections that wait at a program's listener; None where they were not read."""
    return at_port(tier, "accept_queue")


def is_door_full(tier: Tier) -> bool:
    """Return whether a program's accept queue was full most of the time: who comes then stands outside it."""
    limit, queue = at_port(tier, "backlog"), queued(tier)
    if queue is None or limit is None:
        return False
    return limit.median > 0 and queue.median >= FULL_SHARE * limit.median


def unread_each(case: Case, tier: Tier) -> float:
    """Return the unread bytes of requests at a program, for each request in flight; NaN where not read.

    A request without a body is some 100 bytes. While a request waits for a thread or for the event loop it is
    not read yet; while it waits inside for a lock or a dependency it has been read.
    """
    open_, unread = at_port(tier, "established"), at_port(tier, "receive_queue_bytes")
    # With few connections, requests in flight also wait for a connection in the generator, and not here.
    here = min(case.load.waiting, open_.mean) if open_ is not None else 0.0
    if here <= 0:
        return math.nan
    return unread.mean / here if unread is not None else 0.0


def is_loop(tier: Tier) -> bool:
    """Return whether a program's processes serve in an event loop."""
    slots = slots_of(tier)
    if slots is not None:
        return slots.kind == "loop"
    # A server that its user wrote, and that holds many connections in one thread. Of programs with a name it
    # is known how they serve, and Go and a JVM give each request a routine or a thread.
    is_of_its_user = tier.runtime == "cpython" or (tier.kind == "program" and tier.runtime in ("native", ""))
    return is_of_its_user and _holds_many(tier)


def schedules_itself(tier: Tier) -> bool:
    """Return whether a program keeps what is ready to run by itself: no thread of that waits for a core."""
    return tier.runtime in SCHEDULES_ITSELF or is_loop(tier)


def _holds_many(tier: Tier) -> bool:
    """Return whether each process of a program has one thread, and holds more than one connection in it."""
    return threads_each(tier) <= _ONE_THREAD and accepted(tier) > 2 * serving(tier) + 1


def _tomcat_slots(tier: Tier, limits: Mapping[str, Track]) -> Slots:
    busy = tier.parts("tomcat.threads_busy")
    connector = max(limits, key=lambda name: busy[name].mean if name in busy else 0.0)
    number = limits[connector].median
    return Slots(
        number, 1, "threads", TEXTS.threads(f"{number:g}"), more_threads(tier, number), busy.get(connector)
    )


def _thread_knob(tier: Tier) -> str:
    """Return the setting of a JVM's threads that hold a request each; empty where it is not known."""
    framework = tier.settings.get("framework", "").partition(" ")[0]
    return _THREAD_KNOBS.get((tier.kind, framework)) or _THREAD_KNOBS.get((tier.kind, ""), "")


def _spellings(knob: str) -> tuple[str, str, str]:
    """Return how a property of Spring Boot is set: as an option, of the JVM, and in the environment."""
    return f"--{knob}", f"-D{knob}", knob.upper().replace(".", "_").replace("-", "")


def _gunicorn_slots(tier: Tier) -> Slots:
    settings = {**_arguments(tier.settings.get("GUNICORN_CMD_ARGS", "")), **tier.settings}
    workers = _number(settings, "--workers", "-w", "WEB_CONCURRENCY") or serving(tier)
    class_ = settings.get("--worker-class") or settings.get("-k") or ""
    threads = _number(settings, "--threads")
    threads_a_process = threads_each(tier)
    if any(name in class_ for name in _LOOPS):
        return _loop_slots(workers, TEXTS.processes_event_loop(f"{workers:g}", class_))
    if not class_ and threads is None:
        # A configuration file may say more than the command line: gunicorn reads one of its own accord.
        if accepted(tier) > 2 * workers + 1 and threads_a_process <= _ONE_THREAD:
            return _loop_slots(workers, TEXTS.processes_hold_many(f"{workers:g}"))
        threads = round(threads_a_process) - 1 if threads_a_process > _ONE_THREAD + 1 else None
    threads = threads or 1.0
    kind: Kind = "threads" if threads > 1 or class_ == "gthread" else "sync"
    return _worker_slots(workers, threads, kind)


def _loop_server_slots(tier: Tier) -> Slots:
    workers = tier.number("--workers", "-w", "WEB_CONCURRENCY") or serving(tier)
    threads_a_process = threads_each(tier)
    if tier.runtime == "cpython" and threads_a_process >= POOL_IN_USE:
        text = TEXTS.threads_handlers_without(str(LOOP_POOL_THREADS))
        if workers > 1:
            text = TEXTS.processes_with(f"{workers:g}", text)
        return Slots(LOOP_POOL_THREADS * workers, workers, "threads", text, TEXTS.more_tokens_anyio)
    text = TEXTS.event_loop if workers == 1 else TEXTS.processes_event_loop_each(f"{workers:g}")
    return _loop_slots(workers, text)


def _loop_slots(workers: float, text: str) -> Slots:
    return Slots(math.inf, workers, "loop", text, f"--workers={2 * workers:g}")


def _worker_slots(workers: float, threads: float, kind: Kind) -> Slots:
    more = f"--workers={2 * workers:g}"
    if kind == "threads":
        more = TEXTS.threads_or_workers(f"--threads={2 * threads:g}", more)
    else:
        more = TEXTS.workers_or_threads(more, "--threads=4")
    return Slots(workers * threads, workers, kind, TEXTS.workers_of_threads(workers, threads), more)


def _number(settings: Mapping[str, str], *names: str) -> float | None:
    for name in names:
        try:
            if float(settings.get(name, "")) > 0:
                return float(settings[name])
        except ValueError:
            continue
    return None


def _arguments(text: str) -> dict[str, str]:
    """Return the options of GUNICORN_CMD_ARGS by their names; empty where the text cannot be split."""
    try:
        words = shlex.split(text)
    except ValueError:
        return {}
    options, waiting = {}, ""
    for word in words:
        if word.startswith("-"):
            name, _, value = word.partition("=")
            if not name.startswith("--") and len(name) > 2:
                name, value = name[:2], name[2:]  # -w4
            options[name] = value
            waiting = "" if value else name
        elif waiting:
            options[waiting], waiting = word, ""
    return options
