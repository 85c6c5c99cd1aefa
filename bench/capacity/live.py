"""Searches on real servers, each beside brute force on the same server in the same minutes.

A round is a server that is started anew, constant rates far apart around the answer of the round before, a
search as a user runs it (`loadrig capacity PLAN`), and constant rates close together around where the
quantile of the goal has crossed its limit so far (`reference.py`). How fast the server's core was at its
slowest rate, beside the fastest, says how far brute force itself can be believed. Each rate is a run of its
own, and they come in random order; of each the rate counts that was offered, as arrivals at random are a
percent more or less in some seconds. The first round has no answer before it: its search comes first. Server
and services have core 1, the generator core 0.
"""

import contextlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.capacity.reference import crossing
from bench.costs import Failed
from bench.diagnosis.injections import BASES
from bench.diagnosis.ledger import BenchLedger
from bench.diagnosis.single import warm
from bench.diagnosis.start import ITEMS, StackWish, prepare, started
from bench.diagnosis.suite import met_by_load
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench, held
from loadrig.base.documents import typed
from loadrig.study.document import StudyDocument

Row = dict[str, Any]

WARM_UP_S, LEVEL_S = 2.0, 8.0
SEARCH_ENDS_S = 180.0
WIDE, CLOSE = (0.15, 4), (0.07, 8)
"""Rates: how far they go to either side in ln(rate), and how many there are."""
VOID = "void"
FEWEST = 3


@dataclass(frozen=True)
class LiveServer:
    """A stack of `bench/diagnosis` with a goal. quantile: of it, as results name it; limit_ms: its limit."""

    stack: str
    quantile: str
    limit_ms: float

    @property
    def goal(self) -> str:
        """As a plan says it."""
        return f"{self.quantile} < {self.limit_ms:g}ms"


SERVERS: Mapping[str, LiveServer] = {
    server.stack: server
    for server in (
        LiveServer("gunicorn", "p95", 250.0),
        LiveServer("go", "p99", 50.0),
        LiveServer("node", "p99", 50.0),
    )
}


def run(lab: Bench, ledger: BenchLedger, rounds: int, level_s: float = LEVEL_S) -> list[Row]:
    """So many rounds of each server, servers in turns; those that the ledger does not have are made."""
    names = [name for name in SERVERS if lab.is_asked(name)]
    for block in range(rounds):
        for name in names:
            key = f"live:{name}:{block}"
            if key in ledger.rows:
                continue
            before = ledger.rows.get(f"live:{name}:{block - 1}", {}).get("search", {}).get("rps")
            try:
                row = _round(lab, SERVERS[name], before, seed=block, level_s=level_s)
            except Failed as failure:
                row = {"failed": str(failure)[-400:]}
            ledger.add({"key": key, "server": name, "round": block, "at": time.strftime("%FT%T"), **row})
            print(f"  {key:20} {row.get('search') or row}", file=sys.stderr, flush=True)
    return [row for key, row in ledger.rows.items() if key.startswith("live:")]


def _round(lab: Bench, server: LiveServer, before: float | None, *, seed: int, level_s: float) -> Row:
    prepare(server.stack)
    with (
        tempfile.TemporaryDirectory(prefix="capacity-") as name,
        lab.turn(),
        held(SERVER_CORE),
        started(StackWish(**{"stack": server.stack, **BASES[server.stack]}), Path(name)) as running,
    ):
        home = Path(name)
        warm(running.port, None)
        levels: list[Row | None] = []

        def offer(middle: float, spread: tuple[float, int]) -> None:
            for rate in _rates(middle, spread, seed):
                nth = 100 * seed + len(levels) + 1  # the same arrivals each time would be off alike
                levels.append(_level(home, server, running.port, rate, nth, level_s))

        if before is not None:
            offer(before, WIDE)
        search = _search(home, server, running.port)
        if search["rps"] is None:
            raise Failed(f"the search ended without a capacity: {search['why']}")
        if before is None:
            offer(search["rps"], WIDE)
        true = crossed(server, _valid(levels))
        offer(true[0] if true is not None else search["rps"], CLOSE)
    return {"search": search, "levels": _valid(levels), "level_s": level_s}


def _valid(levels: Sequence[Row | None]) -> list[Row]:
    return [level for level in levels if level is not None]


def crossed(server: LiveServer, levels: Sequence[Row]) -> tuple[float, float, float] | None:
    """Return the capacity by brute force, and its interval; None where no rate crossed the limit."""
    if len(levels) < FEWEST:
        return None
    met = [level[f"{server.quantile}_ms"] for level in levels]
    return crossing([level["offered_rps"] for level in levels], met, server.limit_ms)


def _rates(middle: float, spread: tuple[float, int], seed: int) -> list[float]:
    reach, count = spread
    rates = [middle * math.exp(reach * (2 * i / (count - 1) - 1)) for i in range(count)]
    return random.Random(seed).sample(rates, k=count)


def _plan(server: LiveServer, port: int, rate: float) -> Row:
    requests = [
        {"name": "item", "get": "/item/{number}", "weight": 8},
        {"name": "list", "get": "/list", "weight": 2},
    ]
    feeds = {"number": {"random": [1, ITEMS]}}
    return {
        "loadrig": 1, "name": server.stack, "permit": ["node-inspector", "jvm-attach"],
        "target": {"external": f"http://127.0.0.1:{port}"},
        "workload": {"rate": f"{rate:.6g}/1s", "requests": requests, "feeds": feeds, "timeout": "5s"},
        "goals": [server.goal, "errors < 1%"], "trial": {"cpus": [CLIENT_CORE]},
    }  # fmt: skip


def _level(home: Path, server: LiveServer, port: int, rate: float, seed: int, level_s: float) -> Row | None:
    """Return a run at a constant rate; None where it is void, or failed."""
    plan = _plan(server, port, rate)
    plan["trial"] |= {
        "seed": seed,
        "warm_up": {"at_least": f"{WARM_UP_S:g}s", "at_most": f"{WARM_UP_S:g}s"},
        "measure": {"at_least": f"{level_s:g}s", "at_most": f"{level_s:g}s"}, "drain": "2s",
    }  # fmt: skip
    with tempfile.TemporaryDirectory(dir=home) as folder:
        _loadrig(home, ["run"], plan, Path(folder) / "run", level_s + 60)
        trial = next((Path(folder) / "run").rglob("manifest.json"), None)
        met = met_by_load(trial.parent) if trial is not None else None
    if met is None or met["validity"] == VOID or not met[f"{server.quantile}_ms"]:
        return None
    figures = ("offered_rps", "ok_rps", "failed_share", f"{server.quantile}_ms", "core_speed")
    return {"rate": rate, **{name: met[name] for name in figures}}


def _search(home: Path, server: LiveServer, port: int) -> Row:
    plan = _plan(server, port, 10.0)
    plan["study"] = {"find": "capacity", "overload": False}
    with tempfile.TemporaryDirectory(dir=home) as folder:
        began = time.monotonic()
        document_text = _loadrig(home, ["capacity"], plan, Path(folder) / "run", SEARCH_ENDS_S)
        took_s = time.monotonic() - began
    capacity = typed(StudyDocument, json.loads(document_text), "the answer of loadrig capacity").capacity
    if capacity is None:
        raise Failed("no answer")
    low, high = capacity.interval or (None, None)
    return {
        "rps": capacity.value, "low": low, "high": high, "why": capacity.why_ended,
        "seconds": capacity.seconds,
        "took_s": took_s,
    }  # fmt: skip


def _loadrig(home: Path, words: list[str], plan: Row, out: Path, within_s: float) -> str:
    """Run the program on all cores; returns what it printed. Raises Failed where it did not end."""
    path = home / "plan.yaml"
    path.write_text(json.dumps(plan), encoding="utf-8")
    program = str(Path(sys.executable).with_name("loadrig"))
    try:
        done = subprocess.run(
            [program, *words, str(path), "--json", "--out", str(out)], capture_output=True, text=True,
            check=False, cwd=home, timeout=within_s,
            preexec_fn=lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        raise Failed(f"loadrig {words[0]} did not end within {within_s:.0f} s") from late
    with contextlib.suppress(ValueError):
        json.loads(done.stdout)
        return done.stdout
    raise Failed(f"loadrig {words[0]} ended with {done.returncode}: {done.stderr[-300:]}")
