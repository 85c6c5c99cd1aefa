"""Made-up surfaces, from the facts of the five cases and of the labs' notes. None of them was measured.

`flask` and `flask_recycled` have the shape of the gunicorn surface of case 1: the app waits (38 ms) more
than it computes (6 ms), a process holds one interpreter lock, memory grows by worker, errors where slots are
many, gevent fails a sixth of its requests. `cpu` is an app that computes. `tomcat` has the knobs of case 4,
of which only the pool and the log do anything.
"""

import math
from collections.abc import Callable, Mapping

from bench.tune.surface import Surface
from loadrig.base.setting import Knob, Setting, Value
from loadrig.plan.model import Goal, PlannedKnob
from loadrig.study.space import grid
from loadrig.study.tuning.queueing import Demand, throughput
from loadrig.target.gunicorn import KNOBS

NOTE = "synthetic: from the facts of the cases and the labs' notes, not measured"
USERS = 40
CLASSES: tuple[Value, ...] = ("sync", "gthread", "gevent", "asgi")
GTHREAD: Mapping[str, tuple[Value, ...]] = {"worker_class": ("gthread",)}
SHAPE = (
    PlannedKnob("worker_class", CLASSES, "sync", {}),
    PlannedKnob("workers", tuple(range(1, 10)), 1, {}),
    PlannedKnob("threads", tuple(range(1, 17)), 1, GTHREAD),
)
RECYCLED = PlannedKnob("max_requests", (0, 1000, 750, 500), 0, {})
BOOT_S = 0.3
"""Seconds in which a worker boots: at max_requests 500 and 60 requests a second a worker, 3.6 % of the time.
"""
MB = 1e6

GOALS = (
    Goal("errors < 0.5%", "errors", True, 0.005, "1"),
    Goal("memory < 200MB", "memory", True, 200 * MB, "B"),
    Goal("p99 < 800ms", "p99", True, 0.8, "s"),
)

Truth = Callable[[Setting], Mapping[str, float]]


def flask() -> Surface:
    """171 settings of class x workers x threads: it waits more than it computes, on 1.6 cores."""
    return _gunicorn("flask", SHAPE, Demand(0.0058, 0.038, 1.6), GOALS)


def flask_recycled() -> Surface:
    """Return the same with four values of max_requests: 684 settings."""
    return _gunicorn("flask_recycled", (*SHAPE, RECYCLED), Demand(0.0058, 0.038, 1.6), GOALS)


def cpu() -> Surface:
    """171 settings of an app that computes (12 ms) and hardly waits (3 ms), on 4 cores."""
    limits = (GOALS[0], Goal("memory < 400MB", "memory", True, 400 * MB, "B"))
    return _gunicorn("cpu", SHAPE, Demand(0.012, 0.003, 4.0), limits)


def tomcat() -> Surface:
    """192 settings of case 4: the pool loses 5 % and 8 %, the log 1.5 %, all else nothing."""
    knobs = (
        PlannedKnob("heap", ("1GiB", "2GiB"), "1GiB", {}),
        PlannedKnob("metaspace", ("unset", "set"), "unset", {}),
        PlannedKnob("keepalive", ("unset", "set"), "unset", {}),
        PlannedKnob("max_threads", (30, 50, 100, 200), 200, {}),
        PlannedKnob("db_pool", (15, 20, 30), 20, {}),
        PlannedKnob("request_log", ("on", "off"), "on", {}),
    )
    catalogue = {
        "heap": Knob("heap", "size", "Heap.", "1GiB", cost=1),
        "max_threads": Knob("max_threads", "int", "Threads.", 200, 1, 1000, cost=0),
    }

    def truth(setting: Setting) -> Mapping[str, float]:
        pool = {15: 0.0, 20: -0.052, 30: -0.077}[int(setting["db_pool"])]
        log = 0.015 if setting["request_log"] == "off" else 0.0
        return {"throughput": 36.3 * math.exp(pool + log), "errors": 0.0}

    settings = grid(knobs)
    return Surface(
        "tomcat",
        True,
        knobs,
        catalogue,
        (),
        settings,
        tuple(truth(setting) for setting in settings),
        note=NOTE,
    )


ALL: Mapping[str, Callable[[], Surface]] = {
    "flask": flask, "flask_recycled": flask_recycled, "cpu": cpu, "tomcat": tomcat,
}  # fmt: skip


def _gunicorn(name: str, knobs: tuple[PlannedKnob, ...], need: Demand, goals: tuple[Goal, ...]) -> Surface:
    settings = grid(knobs)
    truth = tuple(_served(setting, need) for setting in settings)
    catalogue = {name: KNOBS[name] for name in ("worker_class", "workers", "threads", "max_requests")}
    return Surface(name, True, knobs, catalogue, goals, settings, truth, cores=need.cores, note=NOTE)


def _served(setting: Setting, need: Demand) -> Mapping[str, float]:
    """Return what a gunicorn with this setting does under USERS users who do not pause."""
    kind, workers = str(setting["worker_class"]), int(setting["workers"])
    threads = int(setting.get("threads", 1))
    errors, memory = 0.0004, 28.0 + 20.0 * workers
    match kind:
        case "gthread":
            each, slow = threads, 1 + 0.012 * (threads - 1)
            memory += 0.9 * workers * threads
        case "gevent":
            # Green threads take whatever comes; a sixth of the requests fails (case 1), memory doubles.
            each, slow = math.ceil(USERS / workers), 0.95
            errors, memory = 0.17, memory * 1.7
        case "asgi":
            each, slow = 1, 1.07  # what blocks, blocks the loop
        case _:
            each, slow = 1, 1.0
    cpu_s = need.cpu_s * slow
    worker_rps = throughput(Demand(cpu_s, need.wait_s, 1.0), each)
    crowd = max(0.0, workers / need.cores - 1.0)
    ceiling = need.cores / (cpu_s * (1 + 0.02 * crowd))
    # Both limits at once, with a smooth knee between them.
    per_second = ((workers * worker_rps) ** -6 + ceiling**-6) ** (-1 / 6)
    slots = workers * each
    if kind == "gthread":
        errors += 0.012 * (slots / 100) ** 2.5
        per_second *= 1 - 0.0006 * max(0, slots - 24)
    every = int(setting.get("max_requests", 0))
    if every:
        per_second *= 1 - min(0.5, BOOT_S * (per_second / workers) / every)
        memory += 0.004 * min(every * workers, per_second * 60)
    elif "max_requests" in setting:
        memory += 0.004 * per_second * 60
    mean = USERS / per_second
    return {
        "throughput": per_second,
        "errors": errors,
        "memory": memory * MB,
        "p99": mean * (1.35 + 0.02 * each),
        "cpu_per_request": cpu_s,
    }
