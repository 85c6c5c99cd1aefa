"""Cost of telling the states of 10, 200 and 5,000 threads: a count, a look, and the probe over time.

The threads are real and wait: for a lock, a time, a pipe, a peer. A count reads of each how long it ran; a
look reads what each waits for. The probe's share of a core is that of half a minute at one sample a second,
as the observer asks it, bursts included.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.figures import digits, markdown
from bench.lab import Bench
from loadrig._native import Threads
from loadrig.probes import thread_states

CASES = (10, 200, 5_000)
COUNTS = 11
WANTED_SHARE = 0.01
"""Share of a core."""


def measure(lab: Bench) -> dict[str, Any]:
    """Each number of threads."""
    is_quick = lab.seconds is not None and lab.seconds <= 1
    length_s = 2 if is_quick else round(lab.length(30.0))
    lab.commands = {"threads": "python -m bench.many_threads COUNT"}
    rows = []
    for count in CASES[:1] if is_quick else CASES:
        with lab.turn(), _made(count) as pid:
            threads = Threads(pid, None, None, "/proc")
            counts = [_timed(threads, n) for n in range(3 if is_quick else COUNTS)]
            burst = threads.burst(50, 0.5 if is_quick else 2.0, 0.2, 1)
            watched = _watch(pid, length_s)
            rows.append({
                "threads": count, "count_ms": counts[1:], "looks": burst.looks, "burst_s": burst.seconds,
                "burst_cpu_s": burst.cpu_s, **watched,
            })  # fmt: skip
    return {"rows": rows, "wanted_share": WANTED_SHARE, "watched_s": length_s}


def _timed(threads: Threads, n: int) -> float:
    before = time.thread_time_ns()
    threads.count(n + 1)
    return round((time.thread_time_ns() - before) / 1e6, 3)


def _watch(pid: int, length_s: int) -> dict[str, Any]:
    """Return the probe as the observer asks it: CPU time in both threads, and how many looks it took."""
    watch = thread_states.ThreadStatesWatch(thread_states.Options(), pid)
    before = time.thread_time()
    looks = 0.0
    try:
        for _ in range(length_s + 1):
            for sample in watch.sample(time.monotonic_ns()):
                looks = max(looks, sample.value if sample.metric == "looks" else 0.0)
            watch.events()
            time.sleep(1.0)
        cpu_s = time.thread_time() - before + watch.cpu_s
    finally:
        watch.detach()
    return {"cpu_share": cpu_s / (length_s + 1), "probe_looks": looks}


@contextmanager
def _made(count: int) -> Iterator[int]:
    """Yield the process that has so many threads."""
    command = [sys.executable, "-m", "bench.many_threads", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            if child.stdout.readline() != "ready\n":
                sys.exit(f"{count} threads cannot be made here: raise `ulimit -u` or the pids limit")
            yield child.pid
        finally:
            child.stdin.close()
            child.wait(timeout=30)


def tables(section: dict[str, Any]) -> list[str]:
    """Return what a count and a look take, and the share of a core over time."""
    lines = [
        [
            f"{row['threads']:,}", digits(statistics.median(row["count_ms"])),
            digits(1e3 * row["burst_cpu_s"] / max(row["looks"], 1)), f"{row['looks'] / row['burst_s']:.0f}",
            f"{digits(100 * row['cpu_share'])} %",
        ]
        for row in section["rows"]
    ]  # fmt: skip
    head = ["threads", "ms of CPU a count", "a look", "looks a second", "share of a core over time"]
    wanted = f"At most {100 * section['wanted_share']:g} % of a core wanted, over {section['watched_s']} s."
    return [markdown(head, lines), wanted]
