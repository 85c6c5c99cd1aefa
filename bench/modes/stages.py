"""Cost of looks at the stages of many sockets: in the least budget of the probe, and at 50 looks a second.

The sockets are real, over loopback, in a network namespace of their own (this needs root), and all of them
are held by the processes that are watched: each end is put into a stage, by the probe's own thread at random
instants. What a look costs is nearly all the kernel's work: its walk through the table of connections, and
`tcp_info` of each, for which the connection is locked for a moment.
"""

import time
from pathlib import Path
from typing import Any

from bench.figures import digits, markdown
from bench.lab import Bench
from bench.modes.sockets import process_with_sockets
from loadrig._native import SocketStages
from loadrig.probes.socket_stages import LEAST_SHARE, Options

COUNTS = (1_000, 50_000)
LENGTH_S = 20.0
BUDGETS = {"in the budget": LEAST_SHARE, "50 a second": 1.0}
"""Shares of a core: what the probe has of the budget of all sensors in any case, and no bound."""

WANTED_SHARE = 0.01
"""Share of a core, with 1,000 sockets: with the states of threads it is twice as much."""


def measure(lab: Bench) -> dict[str, Any]:
    """Each number of sockets, with each budget."""
    length_s = lab.length(LENGTH_S)
    lab.commands = {"sockets": "unshare --net python -m bench.many_sockets established COUNT"}
    rows = []
    for count in COUNTS if length_s > 1 else COUNTS[:1]:
        with lab.turn(), process_with_sockets("established", count) as home:
            for tool, share in BUDGETS.items():
                rows.append({"tool": tool, "sockets": count, **_watched(home, share, length_s)})
    return {"wanted_share": WANTED_SHARE, "rows": rows}


def _watched(home: Path, share: float, length_s: float) -> dict[str, float]:
    """Looks, and what they cost, from the second one on: the first reads all descriptors."""
    options = Options()
    stages = SocketStages(options.looks_per_s, share, options.destinations, options.ports, 1)
    try:
        number = stages.watch(int(home.name), None, ())
        while not (first := stages.take(number)).looks:
            time.sleep(0.01)
        began = time.monotonic()
        looks, watched = 0, 0.0
        while time.monotonic() - began < length_s or not looks:
            time.sleep(min(1.0, length_s))
            sight = stages.take(number)
            looks += sight.looks
            watched = max(watched, sum(group.sockets for group in sight.groups))
        seconds = time.monotonic() - began
        return {
            "looks": looks, "seconds": seconds, "cpu_s": sight.cpu_s - first.cpu_s, "first_s": first.cpu_s,
            "watched": watched,
        }  # fmt: skip
    finally:
        stages.close()


def tables(section: dict[str, Any]) -> list[str]:
    """Looks a second, what each costs, and the share of a core; whether that is as little as was wanted."""
    lines = [
        [
            f"{row['sockets']:,}", row["tool"], digits(row["looks"] / row["seconds"]),
            digits(1e3 * row["cpu_s"] / row["looks"]), f"{digits(100 * row['cpu_s'] / row['seconds'])} %",
        ]
        for row in section["rows"]
    ]  # fmt: skip
    parts = [markdown(["sockets", "looks", "looks a second", "ms of CPU a look", "share of a core"], lines)]
    for row in section["rows"]:
        if row["tool"] == "in the budget":
            share, wanted = (
                digits(100 * n) for n in (row["cpu_s"] / row["seconds"], section["wanted_share"])
            )
            parts.append(
                f"- {row['sockets']:,} sockets in the budget: {share} % of a core; {wanted} % wanted."
            )
    return parts
