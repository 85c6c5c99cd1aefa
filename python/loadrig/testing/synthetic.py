"""Made-up recordings, true to the format: written by the real writer, frame by frame.

A test sets the values that it looks at; all else is plausible, and the books balance: requests due are
answered, failed, unsent or in flight at every frame, and request-seconds in flight are the sum of the
response times.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.base.component import HOST
from loadrig.base.series import Event, Sample
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import ANSWERED, engine_config, engine_frame, histogram_of

CPU_S_AT_START = 3.0
"""CPU seconds that the made-up server had used before it was watched: counters do not start at zero."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of a made-up load.

    share: share of all requests, 0 to 1. median_s, spread: median and spread of its log-normal response times
    (spread is the standard deviation of the logarithm). outcomes: name to share, the rest is ok.
    """

    name: str = "search"
    share: float = 1.0
    route_class: str = "service"
    median_s: float = 0.010
    spread: float = 0.5
    outcomes: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyntheticServer:
    """Readings of the probe `process` on a made-up server.

    cpu_s: CPU seconds a request. pss_bytes: memory of the tree, growing evenly to grows_to_bytes. pids: pids
    of its processes, which share the memory evenly; they hold a little more and a little less from step to
    step.
    """

    cpu_s: float = 0.001
    pss_bytes: float = 50e6
    grows_to_bytes: float = 60e6
    pids: tuple[int, ...] = ()


def write_recording(
    folder: Path,
    rates: Sequence[float] = (200.0,) * 30,
    latencies: Sequence[float] | None = None,
    *,
    routes: Sequence[Route] = (Route(),),
    server: SyntheticServer | None = SyntheticServer(),
    model: str = "rate",
    warm_up_frames: int = 5,
    frame_s: float = 1.0,
    unsent_share: float = 0.0,
    session_s: float | None = None,
    stolen_share: float = 0.0,
    seed: int = 1,
    facts: Mapping[str, Any] | None = None,
    is_sealed: bool = True,
) -> Recording:
    """Write a trial's folder and open it.

    rates: requests due per second, one a frame. latencies: for each frame, a factor on the routes' median
    response times. warm_up_frames: so many come before the measured window, which ends with the last frame
    but one; that one is the drain, and nothing becomes due in it.
    server: None for a server that is not watched. session_s: mean length of sessions, one for every ten
    requests; None for none. stolen_share: share stolen from each of two cores by the hypervisor, 0 to 1.
    facts: facts added to the manifest, or put in place of its own.
    """
    rng = np.random.default_rng(seed)
    factors = list(latencies) if latencies is not None else [1.0] * len(rates)
    start_ns = time.monotonic_ns()
    frame_ns = int(frame_s * NS)
    trial = TrialFolder(folder)
    with TrialWriter(trial, _manifest(model, start_ns, seed)) as writer:
        trial.write_config(engine_config([route.name for route in routes], model, float(rates[0])))
        writer.manifest_update(metrics=_METRICS if server else {})
        writer.event(Event(start_ns, "phase", "warm_up", ""))
        cpu_s = CPU_S_AT_START
        for number in range(len(rates) + 1):
            is_drain = number == len(rates)
            due = 0 if is_drain else int(rng.poisson(rates[number] * frame_s))
            t_ns = start_ns + number * frame_ns
            if server:
                writer.samples(_samples(server, t_ns, cpu_s, number / len(rates)))
                writer.samples([Sample(t_ns, "cpu_clock", "work_s", "cpu1", WORK_S)], HOST)
                cpu_s += server.cpu_s * due
            if stolen_share:
                writer.samples(_stolen(t_ns, stolen_share * number * frame_s), HOST)
            unsent = int(rng.binomial(due, unsent_share))
            rows, seconds = _rows(rng, routes, due - unsent, 1.0 if is_drain else factors[number])
            writer.frame(
                engine_frame(
                    number, t_ns, frame_ns, rows, due=due, unsent=unsent, in_flight_s=seconds,
                    session=_sessions(rng, session_s, due), planned=0.0 if is_drain else float(rates[number]),
                    gaps_ns=[int(gap) for gap in rng.exponential(NS / max(1.0, due), 20)] if due else [],
                )
            )  # fmt: skip
        end_ns = start_ns + len(rates) * frame_ns
        if server:
            writer.samples(_samples(server, end_ns + frame_ns, cpu_s, 1.0))
        from_ns = start_ns + warm_up_frames * frame_ns
        writer.event(Event(from_ns, "phase", "measuring", "the made-up warm-up is over"))
        writer.event(Event(end_ns, "phase", "draining", "the time for measuring was up"))
        writer.manifest_update(**{**_window(start_ns, from_ns, end_ns, frame_s), **(facts or {})})
        if is_sealed:
            writer.seal()
    return Recording.open(folder)


WORK_S = 20e-6
"""CPU time of the fixed piece of work, in seconds: the machine is always as fast."""

_METRICS = {
    "process.cpu_s": {"unit": "s", "kind": "counter", "doc": "CPU time, dead workers included."},
    "process.pss_bytes": {"unit": "B", "kind": "gauge", "doc": "Memory, shared pages divided."},
    "process.rss_bytes": {"unit": "B", "kind": "gauge", "doc": "Memory, shared pages counted in each."},
    "system_cpu.steal_s": {"unit": "s", "kind": "counter", "doc": "Taken by the hypervisor."},
    "cpu_clock.work_s": {"unit": "s", "kind": "gauge", "doc": "CPU time of a fixed piece of work on a core."},
}


def _manifest(model: str, start_ns: int, seed: int) -> dict[str, Any]:
    return {
        "plan_name": "made up", "setting": {}, "seed": seed, "index": 1, "block": 0, "repeat": 0,
        "is_base": True, "machine": {"kernel": "6.1"}, "surroundings": {},
        "generator": {"cpus": [1], "threads": 1, "note": ""},
        "load": {"model": model, "keep_alive": True}, "goals": [], "address": "http://127.0.0.1:8000",
        "target": {"kind": "external", "pid": None, "argv": [], "cpus": [], "cgroup": None, "ready_s": None},
        "observer": {"cpu_s": 0.01, "ticks": 1, "samples": 3, "missed": 0, "every_s": 1.0},
        "start_ns": start_ns,
    }  # fmt: skip


def _window(start_ns: int, from_ns: int, end_ns: int, frame_s: float) -> dict[str, Any]:
    end = {"why": "time", "t_ns": end_ns + int(frame_s * NS), "totals": {}, "max_rss_bytes": 8_000_000}
    return {
        "measured": {"from_ns": from_ns, "to_ns": end_ns, "why": "the time for measuring was up"},
        "warm_up": {"verdict": "steady", "seconds": (from_ns - start_ns) / NS, "why": "MSER-5"},
        "end": end,
        "ended": "time",
    }


def _stolen(t_ns: int, total_s: float) -> list[Sample]:
    return [Sample(t_ns, "system_cpu", "steal_s", core, total_s) for core in ("cpu0", "cpu1")]


def _samples(server: SyntheticServer, t_ns: int, cpu_s: float, progress: float) -> list[Sample]:
    size = server.pss_bytes + (server.grows_to_bytes - server.pss_bytes) * progress
    readings = {"cpu_s": cpu_s, "pss_bytes": size, "rss_bytes": size * 1.5}
    samples = [Sample(t_ns, "process", metric, "tree", value) for metric, value in readings.items()]
    for number, pid in enumerate(server.pids):
        wave = 1 + 0.002 * math.sin(700 * progress + number)
        samples.append(Sample(t_ns, "process", "pss_bytes", f"pid:{pid}", size / len(server.pids) * wave))
    return samples


def _rows(
    rng: np.random.Generator, routes: Sequence[Route], n: int, factor: float
) -> tuple[list[dict[str, Any]], float]:
    """Return rows of a frame in which n requests ended, and the sum of their response times in seconds."""
    rows: list[dict[str, Any]] = []
    total = 0.0
    weights = np.array([route.share for route in routes])
    for route, count in zip(routes, rng.multinomial(n, weights / weights.sum()), strict=True):
        names = [*route.outcomes, "ok"]
        shares = [*route.outcomes.values(), 1.0 - sum(route.outcomes.values())]
        for outcome, number in zip(names, rng.multinomial(int(count), shares), strict=True):
            if not number:
                continue
            times_s = route.median_s * factor * np.exp(route.spread * rng.standard_normal(int(number)))
            total += float(times_s.sum())
            row = {
                "route": route.name, "class": route.route_class, "outcome": outcome, "count": int(number),
                "bytes": 512 * int(number) if outcome in ANSWERED else 0,
                "response": histogram_of(times_s), "service": histogram_of(times_s * 0.9),
            }  # fmt: skip
            rows.append(row)
    return rows, total


def _sessions(rng: np.random.Generator, mean_s: float | None, due: int) -> Histogram | None:
    if mean_s is None or due < 10:
        return None
    histogram = Histogram()
    for value in rng.exponential(mean_s, due // 10):
        histogram.record(int(value * NS))
    return histogram
