"""What a sample of each probe costs, on an nginx with four workers that is under load.

  bench/observer.py [--samples 200] [--results FOLDER]

Each probe is attached with its defaults and sampled as fast as it goes, in turn; its CPU time is
that of the sampling thread. At one sample a second the median is its share of a core.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import measuring
import results
import server

from loadrig.base import members
from loadrig.base.running import Address, RunningTarget
from loadrig.probes._session import Unavailable

ROOM = "loadrig.probes"
WORKERS = 4


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=200, help="of each probe (default: 200)")
    parser.add_argument(
        "--results", type=Path, default=results.FOLDER, help="where results go (default: bench/results)"
    )
    asked = parser.parse_args()
    wrk = server.program("wrk", "wrk")
    noise = results.noise()
    costs: dict[str, list[float]] = {}
    off: dict[str, str] = {}
    with server.nginx(core=None, workers=WORKERS) as target:
        seen = RunningTarget(Address("127.0.0.1", target.port), pid=target.pid)
        argv = measuring.wrk_argv(wrk, target.url, connections=64, seconds=10)
        for name in members.names(ROOM):
            load = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
            os.sched_setaffinity(load.pid, {max(os.sched_getaffinity(0))})
            try:
                costs[name] = _sampled(name, seen, asked.samples)
            except Unavailable as missing:
                off[name] = f"{missing.reason}; {missing.mend}"
            finally:
                load.terminate()
                load.wait(timeout=10)
        version = target.version

    for name, all_us in costs.items():
        print(f"{name:14}{statistics.median(all_us):10,.0f} µs a sample (p95 {_p95(all_us):,.0f})")
    for name, why in off.items():
        print(f"{name:14} off: {why}")
    total = sum(statistics.median(all_us) for all_us in costs.values())
    print(f"all together: {total / 1e4:.2f} % of a core at one sample a second")
    path = results.write(
        "observer",
        {
            "samples": asked.samples, "workers": WORKERS, "noise": noise, "versions": {"nginx": version},
            "commands": {"load": ["wrk", *argv[1:]]}, "off": off,
            "sample_us": {
                name: {"median": round(statistics.median(us), 1), "p95": round(_p95(us), 1), "n": len(us)}
                for name, us in costs.items()
            },
        },
        asked.results,
    )  # fmt: skip
    print(f"written: {path}", file=sys.stderr)
    return 0


def _sampled(name: str, target: RunningTarget, samples: int) -> list[float]:
    """CPU time of each sample in microseconds, the first left out: it opens what the others reuse."""
    module = members.load(ROOM, name)
    session = module.attach(module.Options(), target)
    found = []
    try:
        deadline = time.monotonic() + 9
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


if __name__ == "__main__":
    sys.exit(main())
