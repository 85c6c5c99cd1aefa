"""Folders of runs for the tests of the report: recordings by the real writer, results true to the contract.

Everything is drawn from a seed, so that texts made of it can be golden.
"""

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadrig._native import Histogram
from loadrig.base.series import Event, Sample
from loadrig.recording.frame_document import live
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.writer import TrialWriter
from tests.report import diagnosed

S = 1_000_000_000
T0 = 5_000 * S
CREATED = "2025-11-21T10:12:00+00:00"
NASTY = "order <script>alert('x')</script> & \"more\""
NASTY_TIER = "<b onclick='x'>db</b>"
SETTING = {"worker_class": "gthread", "workers": 2, "threads": 4}

PLAN = """\
loadrig: 1
name: which workers?
target:
  gunicorn: {app: "shop:app", chdir: ../shop, cpus: [1]}
knobs:
  worker_class: [sync, gthread]
  workers: [1, 2, 4]
  threads: {values: [1, 4], when: worker_class == gthread}
workload:
  users: 50
  requests:
    - {name: search, get: "/search?q={word}", weight: 3, expect: {status: 200}}
    - {name: order, post: /orders, json: {item: "{item}"}}
goals:
  - p95 < 500ms
  - errors < 0.1%
study: {find: grid, blocks: 3}
"""

METRICS = {
    "process.cpu_s": ("s", "counter", "CPU time of the server's processes."),
    "process.pss_bytes": ("B", "gauge", "Memory, shared pages divided among those that share them."),
    "system_cpu.user_s": ("s", "counter", "Time in user code, per core."),
    "system_cpu.system_s": ("s", "counter", "Time in the kernel, per core."),
    "tcp_sockets.opened": ("1", "counter", "Connections opened. By role."),
    "tcp_sockets.established": ("1", "gauge", "Open connections. By role."),
    "tcp_sockets.time_wait": ("1", "gauge", "Connections in TIME_WAIT. By role."),
}


def single(folder: Path, **options: Any) -> Path:
    """Write the folder of a run of one trial, and return it."""
    run = RunFolder(folder)
    run.create(PLAN)
    result = write_trial(run.trial(1), 1, SETTING, **options)
    run.result.write_text(json.dumps(result), encoding="utf-8")
    return folder


def write_trial(
    trial: TrialFolder,
    index: int,
    setting: Mapping[str, Any],
    *,
    seconds: int = 40,
    rate: float = 412.0,
    users: int = 50,
    fail: float = 0.002,
    warm: int = 8,
    model: str = "users",
    routes: Sequence[str] = ("search", NASTY),
    verdict: str = "valid",
    reasons: Sequence[Mapping[str, str]] = (),
    weakened: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Write a recording and its result; returns the result."""
    draw = random.Random(index)
    measured = {
        "from_ns": T0 + warm * S,
        "to_ns": T0 + (seconds - 1) * S,
        "why": "throughput is known to within 2 %",
    }
    facts = {
        "created": CREATED,
        "monotonic_ns": T0,
        "wall_ns": 1_763_719_920 * S,
        "start_ns": T0,
        "plan_name": "which workers?",
        "setting": dict(setting),
        "seed": index,
        "index": index,
        "block": 0,
        "repeat": 0,
        "measured": measured,
        "address": "http://127.0.0.1:41231",
        "load": {"model": model},
        "map": MAP,
        "generator": {"cpus": [0], "threads": 1, "note": "apart from the server"},
        "metrics": {
            name: dict(zip(("unit", "kind", "doc"), row, strict=True)) for name, row in METRICS.items()
        },
    }
    # A few shapes, used in turn: a histogram a frame would be most of the time of a long run.
    shapes = [_shape(draw, rate, users, routes) for _ in range(min(24, seconds))]
    dip = _shape(draw, rate * 0.5, users, routes)
    total = Histogram()
    counts = {"ok": 0, "http_5xx": 0, "timeout": 0}
    with TrialWriter(trial, facts) as writer:
        cpu = [0.0, 0.0]
        for second in range(seconds):
            shape = dip if second % 97 in (60, 61, 62) else shapes[second % len(shapes)]
            bad = draw.random() < fail * rate
            writer.frame(live(_frame(second, shape, users, 2 if bad else 0, routes, model, rate)))
            if warm <= second < seconds - 1:
                counts["ok"] += shape["count"]
                counts["http_5xx"] += 1 if bad else 0
                counts["timeout"] += 1 if bad else 0
                total.add(shape["total"])
            cpu = [used + draw.uniform(0.4, 0.5) for used in cpu]
            for component, samples in _samples(second, cpu, users, draw).items():
                writer.samples(samples, component)
            if second % 3 == 1:
                writer.event(_pause(second, draw))
        writer.event(Event(T0 - S, "target_ready", "target", "http://127.0.0.1:41231"))
        writer.event(Event(T0 + (seconds - 1) * S, "phase", "draining", "the time is up"))
        writer.event(
            Event(
                T0 + seconds * S * 7 // 10,
                "worker_died",
                "pid:4711",
                "worker 4711 ended by SIGKILL",
                {"pid": 4711, "reason": "killed"},
                "server",
            )
        )
        result = _result(
            index, setting, counts, total, seconds - 1 - warm, warm, model, users, routes, verdict, reasons
        )
        result["validity"]["weakened"] = list(weakened)
        trial.result.write_text(json.dumps(result), encoding="utf-8")
        writer.seal()
    return result


def _shape(draw: random.Random, rate: float, users: int, routes: Sequence[str]) -> dict[str, Any]:
    """Histograms of one second: a main hump and one answer in twenty-five slow."""
    count = max(len(routes), round(draw.gauss(rate, rate * 0.03)))
    shape: dict[str, Any] = {"count": 0, "routes": [], "total": Histogram()}
    for route in routes:
        response, service = Histogram(), Histogram()
        share = count // len(routes)
        for i in range(60):
            value = users / count * math.exp(draw.gauss(0, 0.25)) * (4 if draw.random() < 0.04 else 1)
            times = share // 60 + (1 if i < share % 60 else 0)
            response.record(int(value * 1.08e9), times)
            service.record(int(value * 1e9), times)
        shape["routes"].append((route, response.count, response.encode(), service.encode()))
        shape["count"] += response.count
        shape["total"].add(response)
    lag = Histogram()
    for _ in range(120):
        lag.record(int(draw.expovariate(1 / 18_000)) + 1_500, 3)
    shape["lag"] = lag.encode()
    return shape


def _frame(
    n: int, shape: Mapping[str, Any], users: int, bad: int, routes: Sequence[str], model: str, rate: float
) -> dict[str, Any]:
    rows = [
        {
            "route": name,
            "class": "service",
            "outcome": "ok",
            "count": count,
            "bytes": count * 900,
            "response": response,
            "service": service,
        }
        for name, count, response, service in shape["routes"]
    ]
    if bad:
        slow = Histogram()
        slow.record(2 * S)
        failed = {"route": routes[-1], "class": "service", "count": 1, "bytes": 0}
        histograms = {"response": slow.encode(), "service": slow.encode()}
        rows += [{**failed, **histograms, "outcome": outcome} for outcome in ("http_5xx", "timeout")]
    done = shape["count"] + bad
    return {
        "n": n,
        "t_ns": T0 + n * S,
        "len_ns": S,
        "due": done,
        "sent": done,
        "answered": done - bad // 2,
        "failed": bad // 2,
        "unsent": 0,
        "in_flight": users,
        "queued": 0,
        "users": users,
        "sessions": 0,
        "planned": rate if model == "rate" else users,
        "in_flight_s": float(users),
        "bytes_in": done * 900,
        "bytes_out": done * 120,
        "opened": users if n == 0 else 0,
        "reused": done - (users if n == 0 else 0),
        "open": users,
        "backoffs": 0,
        "capped": 0,
        "unsent_why": {},
        "routes": rows,
        "status": {"200": shape["count"]},
        "lag": shape["lag"],
        "wait": shape["lag"],
        "connect": None,
        "session": None,
        "threads": [{"cpu_ns": S // 8, "run_delay_ns": 1_000_000, "busy_share": 0.125}],
        "process_cpu_ns": S // 8,
        "rss_bytes": 14_000_000,
        "fds": users + 20,
        "fds_limit": 524_288,
        "ports": users,
        "ports_range": 28_232,
        "gaps_ns": [],
        "logins": 3 if n % 30 == 0 else 0,
        "logins_again": 0,
        "examples": [],
    }


MAP = {
    "components": [
        {"name": "host", "kind": "host"},
        {
            "name": "server",
            "kind": "gunicorn",
            "runtime": "cpython",
            "version": "3.11.7",
            "program_version": "27.0.1",
            "pid": 4710,
            "workers": 2,
            "address": "127.0.0.1:41231",
        },
        {"name": "redis", "kind": "redis", "version": "7.0.15", "pid": 900, "address": "127.0.0.1:6379"},
        {"name": NASTY_TIER, "kind": "postgresql", "address": "10.0.0.7:5432"},
    ],
    "edges": [
        {"source": "server", "to": "redis", "address": "127.0.0.1:6379", "connections": 24},
        {"source": "server", "to": NASTY_TIER, "address": "10.0.0.7:5432", "connections": 1},
    ],
}


def _pause(second: int, draw: random.Random) -> Event:
    lasted = draw.uniform(0.004, 0.02)
    text = f"redis forked for {lasted * 1e3:.1f} ms"
    return Event(T0 + second * S, "gc_pause", "fork", text, {"duration_s": lasted}, "redis")


def _samples(second: int, cpu: Sequence[float], users: int, draw: random.Random) -> dict[str, list[Sample]]:
    t_ns = T0 + second * S + S // 2
    tiers = {"server": ("process",), "host": ("system_cpu", "tcp_sockets")}
    rows = _rows(second, cpu, users, draw)
    samples_by_component = {
        component: [
            Sample(t_ns, probe, metric, subject, float(value))
            for probe, metric, subject, value in rows
            if probe in probes
        ]
        for component, probes in tiers.items()
    }
    samples_by_component["redis"] = [
        Sample(t_ns, "process", "cpu_s", "tree", second * 0.04 + draw.random() * 0.01),
        Sample(t_ns, "process", "pss_bytes", "tree", 9_000_000.0),
    ]
    return samples_by_component


def _rows(
    second: int, cpu: Sequence[float], users: int, draw: random.Random
) -> list[tuple[str, str, str, float]]:
    return [
        ("process", "cpu_s", "tree", sum(cpu)),
        ("process", "cpu_s", "pid:4711", cpu[0]),
        ("process", "cpu_s", "pid:4712", cpu[1]),
        ("process", "pss_bytes", "tree", 61_000_000 + second * 9_000),
        ("system_cpu", "user_s", "cpu0", second * 0.12),
        ("system_cpu", "system_s", "cpu0", second * 0.05 + draw.random() * 0.02),
        ("system_cpu", "user_s", "cpu1", second * 0.71),
        ("system_cpu", "system_s", "cpu1", second * 0.21 + draw.random() * 0.02),
        ("tcp_sockets", "established", "in:41231", users + draw.randint(0, 2)),
        ("tcp_sockets", "time_wait", "in:41231", 0.0),
        ("tcp_sockets", "opened", "out:127.0.0.1:6379", second * 380.0),
        ("tcp_sockets", "time_wait", "out:127.0.0.1:6379", min(second, 60) * 380.0),
    ]


def estimate(value: float, unit: str, share: float, n: int, counted: str = "requests") -> dict[str, Any]:
    """Return an estimate as results carry it, known to within a share of its value."""
    return {
        "value": value,
        "unit": unit,
        "low": value * (1 - share),
        "high": value * (1 + share),
        "n": n,
        "of": counted,
        "confidence": 0.95,
        "warnings": [],
    }


def _result(
    index: int,
    setting: Mapping[str, Any],
    counts: Mapping[str, int],
    total: Histogram,
    seconds: int,
    warm: int,
    model: str,
    users: int,
    routes: Sequence[str],
    verdict: str,
    reasons: Sequence[Mapping[str, str]],
) -> dict[str, Any]:
    every = sum(counts.values())
    quantiles = {
        name: total.quantile_ns(q) / 1e6
        for name, q in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999))
    }
    response = {"count": total.count, "mean": total.mean_ns / 1e6, **quantiles, "max": total.max_ns / 1e6}
    service = {name: value if name == "count" else value / 1.08 for name, value in response.items()}
    failed = every - counts["ok"]
    rate = counts["ok"] / seconds
    estimates = {
        "throughput": estimate(rate, "1/s", 0.018, seconds, "seconds"),
        "p50": estimate(quantiles["p50"] / 1e3, "s", 0.03, counts["ok"]),
        "p95": estimate(quantiles["p95"] / 1e3, "s", 0.06, counts["ok"]),
        "p99": {
            **estimate(quantiles["p99"] / 1e3, "s", 0.12, counts["ok"]),
            "warnings": ["p99 rests on few slow answers: measure longer to narrow it"],
        },
        "service_p50": estimate(quantiles["p50"] / 1.08e3, "s", 0.03, counts["ok"]),
        "errors": {**estimate(failed / every, "1", 0.4, every)},
        "memory": estimate(61.2e6, "B", 0.01, seconds, "seconds"),
    }
    latency = {"response": response, "service": service, "failed": response if failed else None}
    route_count = every // len(routes)
    return {
        "schema": "loadrig.trial/2",
        "loadrig": "0.1.0",
        "name": "which workers?",
        "index": index,
        "setting": dict(setting),
        "seed": index,
        "address": "http://127.0.0.1:41231",
        "validity": {
            "verdict": verdict,
            "reasons": list(reasons),
            "not_checked": {"G1": "nothing is due in a closed model before it can be sent"},
        },
        "measured": {
            "from_s": float(warm),
            "to_s": float(warm + seconds),
            "why": "throughput is known to within 2 %",
        },
        "warm_up": {"verdict": "steady", "seconds": float(warm), "why": "throughput and p50 were steady"},
        "load": {
            "model": model,
            "offered_rps": every / seconds,
            "achieved_rps": every / seconds,
            "successful_rps": rate,
            "requests": every,
            "sent": every,
            "unsent": 0,
            "users": users,
            "in_flight": users * 0.99,
            "seconds": float(seconds),
        },
        "outcomes": {name: n for name, n in counts.items() if n},
        "status": {"200": counts["ok"]},
        "latency_ms": latency,
        "routes": {
            name: {
                "count": route_count,
                "rps": route_count / seconds,
                "outcomes": {"ok": route_count - failed if i else route_count},
                "bytes": route_count,
                "latency_ms": latency,
            }
            for i, name in enumerate(routes)
        },
        "login": {
            "login": {
                "count": 6,
                "rps": 6 / seconds,
                "outcomes": {"ok": 6},
                "bytes": 600,
                "latency_ms": latency,
            }
        },
        "goals": [
            {
                "text": "p95 < 500ms",
                "met": quantiles["p95"] < 500,
                "value": quantiles["p95"] / 1e3,
                "unit": "s",
            },
            {"text": "errors < 0.1%", "met": failed / every < 0.001, "value": failed / every, "unit": "1"},
        ],
        "generator": {
            "cpu_s": 4.2,
            "busiest_thread_share": 0.125,
            "lag_us": {"p50": 14.0, "p99": 86.0, "max": 912.0},
            "connection_wait_us": {"p50": 1.0, "p99": 4.0, "max": 60.0},
            "connections_opened": users,
            "max_rss_bytes": 14_000_000,
            "cpus": [0],
            "threads": 1,
            "note": "apart from the server",
        },
        "connections": {"opened": users, "reused": every - users, "per_request": users / every},
        "resources": {
            "server_cpu": estimate(0.93, "cores", 0.01, seconds, "seconds"),
            "memory": estimates["memory"],
        },
        "map": MAP,
        "series": {},
        "estimates": estimates,
        "examples": [
            {"t_ns": T0, "route": routes[-1], "outcome": "http_5xx", "detail": "status 500 <b>boom</b>"}
        ]
        if failed
        else [],
        "observer": {"cpu_s": 0.31, "samples": 1240},
        "surroundings": {"warnings": []},
        "target": {"kind": "gunicorn", "argv": ["gunicorn", "shop:app", "--workers", "2"]},
        "machine": {"cpu": "AMD EPYC 7B13", "cores": 2, "memory_bytes": 8_000_000_000, "kernel": "6.1.0"},
        "ended": "time",
        # As a void trial says nothing of the server, it has no findings.
        "findings": [] if verdict == "void" else diagnosed.FINDINGS,
        "diagnosis": None if verdict == "void" else diagnosed.DIAGNOSIS,
    }
