"""What a sample of each probe costs, on an nginx with four workers that is under load.

Each probe is attached with its defaults and sampled as fast as it goes, in turn; its CPU time is
that of the sampling thread. At one sample a second the median is its share of a core.
"""

import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from bench.figures import digits, markdown
from bench.lab import Lab
from bench.programs import need
from bench.server import nginx
from loadrig.base import members
from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.running import Address
from loadrig.probes import Place, Unavailable

ROOM = "loadrig.probes"
WORKERS = 4
SAMPLES = 200
LONGEST_S = 9.0


def measure(lab: Lab) -> dict[str, Any]:
    """Each probe once, while wrk loads the server."""
    wrk = need("wrk", "wrk")
    samples = 3 if lab.seconds is not None and lab.seconds <= 1 else SAMPLES
    costs: dict[str, list[float]] = {}
    off: dict[str, str] = {}
    with lab.turn(), nginx(core=None, workers=WORKERS) as target:
        lab.versions = {"nginx": target.version}
        lab.commands = {"load": "wrk -t1 -c64 -d10s URL"}
        seen = Component(SERVER, "nginx", "native", pid=target.pid, address=Address("127.0.0.1", target.port))
        for name, component in _fitting(seen):
            load = subprocess.Popen([wrk, "-t1", "-c64", "-d10s", target.url], stdout=subprocess.DEVNULL)
            os.sched_setaffinity(load.pid, {max(os.sched_getaffinity(0))})
            try:
                costs[name] = _sampled(name, component, samples)
            except Unavailable as missing:
                off[name] = f"{missing.reason}; {missing.mend}"
            finally:
                load.terminate()
                load.wait(timeout=10)
    sample_us = {
        name: {"median": round(statistics.median(us), 1), "p95": round(_p95(us), 1), "n": len(us)}
        for name, us in costs.items()
    }
    return {"samples": samples, "workers": WORKERS, "off": off, "sample_us": sample_us}


def _fitting(server: Component) -> Iterator[tuple[str, Component]]:
    """Each probe that fits the server or its host."""
    for name in members.names(ROOM):
        fits = members.load(ROOM, name).fits
        if found := next((one for one in (server, THIS_HOST) if fits(one)), None):
            yield name, found


def tables(section: dict[str, Any]) -> list[str]:
    """Median and p95 of each probe, and all together."""
    lines = [
        [name, digits(cost["median"]), digits(cost["p95"])] for name, cost in section["sample_us"].items()
    ]
    total = sum(cost["median"] for cost in section["sample_us"].values())
    parts = [markdown(["probe", "µs a sample", "p95"], lines)]
    parts.append(f"- all together: {digits(total / 1e4)} % of a core at one sample a second.")
    return [*parts, *(f"- {name} is off: {why}" for name, why in section["off"].items())]


def _sampled(name: str, component: Component, samples: int) -> list[float]:
    """CPU time of each sample in microseconds, the first left out: it opens what the others reuse."""
    module = members.load(ROOM, name)
    session = module.attach(module.Options(), component, Place())
    found: list[float] = []
    try:
        deadline = time.monotonic() + LONGEST_S
        while len(found) <= samples and time.monotonic() < deadline:
            before = time.thread_time_ns()
            session.sample(time.monotonic_ns())
            session.events()
            found.append((time.thread_time_ns() - before) / 1000)
    finally:
        session.detach()
    return found[1:]


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * len(values))]
