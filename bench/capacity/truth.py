"""The true capacity of each simulated server, by brute force: very long runs at levels around it.

  python -m bench.capacity.truth [NAME …]    makes those that truth.json does not have, or no longer has right

At each of five levels the server runs until millions of requests have ended; a line through the logit of the
share that broke the goal against ln(level) crosses the goal's limit at the capacity. Its error is from five
runs apart with other random numbers. A goal that no request breaks near the other's limit does not bind.
"""

import ast
import hashlib
import inspect
import json
import math
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from bench.capacity import queues, servers, users
from bench.capacity.servers import SimulatedServer

PATH = Path(__file__).with_name("truth.json")

REQUESTS = 4_000_000
"""Requests of all runs of one server at one level together."""
MORE = {"eight workers, 10 ms, twice as varied": 5, "goal close to the service time": 4}
"""Times as many, where the share hardly changes with the level or what is late is rare and long."""
RUNS = 5
ROUGH = 150_000
SPREAD = (-0.012, -0.006, 0.0, 0.006, 0.012)
"""Distances of the levels from the rough capacity, in ln(level)."""
STEP_REQUESTS = 20_000
EMPTY_S = 20.0
"""Left out at the start."""


def key(server: SimulatedServer) -> str:
    """Changes with all that a server's capacity depends on."""
    text = meaning(queues) + meaning(users) + repr(server)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def meaning(module: ModuleType) -> str:
    """Return a module without its words: another comment or docstring makes no other server."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                statement
                for statement in node.body
                if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
            ] or [ast.Pass()]
    return ast.unparse(tree)


def recorded_truths() -> dict[str, Any]:
    """Return what was made, by the servers' names."""
    truths: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    return truths


def shares(
    server: SimulatedServer, level: float, requests: float, seed: int
) -> tuple[list[float], float, float]:
    """Shares that break each goal in the long run, inflation of the first, and throughput."""
    running = server.started(np.random.default_rng(seed))
    law = server.law
    step_s = max(STEP_REQUESTS / (level if server.unit == "1/s" else 1000.0), 5.0)
    cold_s = 10 * law.warm_after / level if isinstance(law, queues.QueueLaw) and law.cold else 0.0
    running.advance(max(EMPTY_S, cold_s, step_s), level)
    hits, totals, done, seconds = [0, 0], [0, 0], 0, 0.0
    rows: list[tuple[int, int]] = []
    while done < requests:
        tick = running.advance(step_s, level)
        done += tick.done
        seconds += tick.seconds
        rows.append((tick.counts[0].hits, tick.counts[0].total))
        for place, count in enumerate(tick.counts):
            hits[place] += count.hits
            totals[place] += count.total
        if tick.in_flight > 60 * level * server.limit_s + 500:
            return [1.0, 1.0], 1.0, tick.good / tick.seconds  # it overflows; the share is not of the long run
    broken = [a / max(b, 1) for a, b in zip(hits, totals, strict=True)]
    table = np.array(rows, dtype=float)
    p = broken[0]
    spread = float(((table[:, 0] - p * table[:, 1]) ** 2).sum())
    worth = spread / max(p * (1 - p) * totals[0], 1e-9) if 0 < p < 1 else 1.0
    return broken, max(worth, 1.0), done / seconds


def excess(server: SimulatedServer, broken: list[float]) -> float:
    """Return the logit, above its limit's, of the goal that is missed most."""
    logits = []
    for share, goal in zip(broken, server.goals.shares, strict=True):
        inside = min(max(share, 1e-9), 1 - 1e-9)
        logits.append(math.log(inside / (1 - inside)) - math.log(goal.most / (1 - goal.most)))
    return max(logits)


def brute_force(server: SimulatedServer) -> dict[str, Any]:
    """Its capacity, with its standard error and how it was made."""
    began = time.process_time()
    law = server.law
    if isinstance(law, queues.QueueLaw):
        low, high = 0.05 * law.most_per_second, 1.02 * law.most_per_second
    else:
        low, high = 1.0, 4 * law.places * (1 + law.think_s / law.service_s) + 400 * server.limit_s
    while high / low > (1.01 if server.unit == "1/s" else 1.03):
        middle = math.sqrt(low * high)
        if excess(server, shares(server, middle, ROUGH, 1)[0]) < 0:
            low = middle
        else:
            high = middle
    rough, requests = math.sqrt(low * high), REQUESTS * MORE.get(server.name, 1)
    spread: tuple[float, ...] = SPREAD
    if server.name in MORE:
        spread = tuple(4 * step for step in SPREAD)
    if server.unit == "users":
        levels = sorted({max(1.0, float(round(rough) + step)) for step in (-2, -1, 0, 1, 2)})
    else:
        levels = [rough * math.exp(step) for step in spread]
    crossings, slopes, worths = [], [], []
    for run in range(RUNS):
        rows = [shares(server, level, requests / RUNS, 100 + run) for level in levels]
        y = np.array([excess(server, row[0]) for row in rows])
        x = np.log(levels)
        slope, intercept = np.polyfit(x, y, 1)
        crossings.append(-intercept / slope)
        slopes.append(slope)
        worths.append(rows[len(rows) // 2][1])
    capacity = math.exp(float(np.mean(crossings)))
    return {
        "key": key(server), "capacity": capacity, "unit": server.unit,
        "relative_error": float(np.std(crossings, ddof=1)) / math.sqrt(RUNS),
        "steepness": float(np.mean(slopes)), "inflation": float(np.median(worths)),
        "how": f"{RUNS} runs of {requests // RUNS:,} requests at each of {len(levels)} levels",
        "cpu_s": round(time.process_time() - began, 1),
    }  # fmt: skip


def main() -> int:
    """Make what is not there."""
    truths = recorded_truths()
    for server in servers.SERVERS:
        wanted = not sys.argv[1:] or any(word in server.name for word in sys.argv[1:])
        if wanted and truths.get(server.name, {}).get("key") != key(server):
            truths[server.name] = brute_force(server)
            print(f"{server.name}: {truths[server.name]}", flush=True)
            PATH.write_text(json.dumps(truths, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
