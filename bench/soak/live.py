"""Dips on real servers: six soaks, each with one cause that comes round, and what the soak puts first.

The applications are those of `bench/diagnosis`; command lines and environments speak of no illness. Three
dip by themselves: tokens that all run out together, workers that are replaced in step, collections of a
large heap. To three something is done from outside every PERIOD_S: a cache is emptied, a script holds redis
up, a job runs under the server's quota. Server and services have core 1, the generator core 0.
"""

import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from bench.costs import Failed
from bench.diagnosis.injections import BASES, Change
from bench.diagnosis.ledger import BenchLedger
from bench.diagnosis.single import warm
from bench.diagnosis.start import ITEMS, RunningStack, StackWish, prepare, started
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench, held
from loadrig.base import cgroups
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.harms.dips import beside
from loadrig.judgement.soak import dips
from loadrig.recording.reader import Recording

Row = dict[str, Any]

SOAK_S, PERIOD_S = 104.0, 13.0
WARM_UP_S = 4.0
ENDS_S = 60.0
HELD_S, WORKS_S = 1.2, 2.5
"""Seconds that the script holds redis up, and that the job works."""

_HOLD = """
local from = redis.call('TIME')
repeat
  local now = redis.call('TIME')
until (now[1] - from[1]) * 1000000 + now[2] - from[2] >= tonumber(ARGV[1])
return 1
"""
_WORK = "import sys, time; end = time.monotonic() + float(sys.argv[1])\nwhile time.monotonic() < end: pass"

Outside = Callable[[RunningStack, float], None]
"""Deed that is done to a stack once, for a time that begins now; seconds: how long it goes on at most."""


def _empty(running: RunningStack, _: float) -> None:
    with _redis(running) as client:
        client.flushall()


def _hold(running: RunningStack, seconds: float) -> None:
    with _redis(running) as client:
        client.eval(_HOLD, 0, int(min(HELD_S, seconds) * 1e6))


def _job(running: RunningStack, seconds: float) -> None:
    """Run a job as a pod's cron starts one: it has what the server has of the cores."""
    group = cgroups.of(running.pids["server"])["cpu"]
    enter = f'echo $$ > {group}/cgroup.procs && exec "$@"'
    argv = [sys.executable, "-I", "-S", "-c", _WORK, f"{min(WORKS_S, seconds):g}"]
    subprocess.run(["/bin/sh", "-c", enter, "sh", *argv], check=True)


@contextlib.contextmanager
def _redis(running: RunningStack) -> Iterator[redis.Redis]:
    client = redis.Redis(port=running.ports["redis"])
    try:
        yield client
    finally:
        client.close()


@dataclass(frozen=True)
class Dipping:
    """A server that dips. kinds: names of the stream that is its cause, where it has more than one.

    wish: of the stack, beside what it is when it is well; load: as a workload says it; outside: what is done
    to it every PERIOD_S.
    """

    name: str
    stack: str
    kinds: tuple[str, ...]
    component: str
    wish: Change
    load: Mapping[str, Any]
    outside: Outside | None = None


PACED = {"users": 40, "think": "100ms"}
TOKENS = {
    "login": {"post": "/login", "extract": {"token": "$.token"}, "lasts": f"{PERIOD_S:g}s"},
    "headers": {"Authorization": "Bearer {token}"},
}

CASES: Mapping[str, Dipping] = {
    dipping.name: dipping
    for dipping in (
        Dipping(
            "tokens", "node", ("logins",), "load", {"dials": {"login_rounds": 60_000, "allocate_kb": 40}},
            {**PACED, **TOKENS},
        ),
        Dipping(
            "replaced workers", "gunicorn", ("worker_died", "worker_born"), "server",
            {"options": (*BASES["gunicorn"]["options"], "--max-requests=1500"), "dials": {"import_s": 1.0}},
            PACED,
        ),
        Dipping(
            "collections", "jvm", ("gc_pause", "safepoint"), "server",
            {"options": ("-XX:+UseSerialGC", "-Xmx600m"),
             "dials": {"live_mb": 200, "allocate_kb": 200, "replaced": 300}},
            PACED,
        ),
        Dipping(
            "an emptied cache", "go", ("misses",), "redis", {"dials": {"miss_rounds": 10_000_000}}, PACED,
            _empty,
        ),
        Dipping("a script in redis", "uvicorn", ("slow_command",), "redis", {}, PACED, _hold),
        Dipping("a job under the quota", "go", ("throttled",), "server", {"quota": 0.45}, PACED, _job),
    )
}  # fmt: skip


def run(lab: Bench, ledger: BenchLedger, rounds: int, seconds: float) -> list[Row]:
    """So many soaks of each case, cases in turns; those that the ledger does not have are made."""
    for block in range(rounds):
        names = [name for name in CASES if lab.is_asked(name)]
        for name in random.Random(block).sample(names, k=len(names)):
            key = f"dips:{name}:{block}"
            if key in ledger.rows:
                continue
            try:
                row = _soaked(lab, CASES[name], seconds)
            except Failed as failure:
                row = {"failed": str(failure)[-400:]}
            ledger.add({"key": key, "case": name, "round": block, "at": time.strftime("%FT%T"), **row})
            print(f"  {key:28} {row.get('said') or row}", file=sys.stderr, flush=True)
    return [row for key, row in ledger.rows.items() if key.startswith("dips:")]


def is_right(row: Row) -> bool:
    """Return whether what was put first is the cause."""
    case = CASES[row["case"]]
    return row.get("kind") in case.kinds and row.get("component") == case.component


def _soaked(lab: Bench, case: Dipping, seconds: float) -> Row:
    prepare(case.stack)
    wish = {"stack": case.stack, **BASES[case.stack], **case.wish}
    with (
        tempfile.TemporaryDirectory(prefix="dips-") as name,
        lab.turn(),
        held(SERVER_CORE),
        started(StackWish(**wish), Path(name)) as running,
    ):
        home = Path(name)
        warm(running.port, case.load.get("login", {}).get("post"))
        with _done(case.outside, running) if case.outside is not None else contextlib.nullcontext():
            code = _soak(home, case, running, seconds)
        folder = next((home / "out").rglob("manifest.json"), None)
        if folder is None:
            raise Failed(f"the soak left no recording: exit code {code}")
        return {"code": code, **_said(Recording.open(folder.parent))}


def _said(recording: Recording) -> Row:
    """Return what the soak's own code puts first, and what it says of the dips."""
    case = case_of(recording)
    report = dips.reported(case) if case is not None else None
    if report is None:
        return {"kind": "", "component": "", "said": "no dips"}
    best = dips.beside(report)
    others = [
        f"{aligned.stream.kind} of {aligned.stream.component}"
        for aligned in report.aligned
        if aligned is not best
    ]
    return {
        "kind": best.stream.kind if best else "?", "component": best.stream.component if best else "",
        "dips": len(report.dips), "depth": report.depth, "period_s": report.period_s,
        "lost": report.lost_share,
        "said": beside(best) if best else "nothing is close to the dips",
        "next": others[:3],
    }  # fmt: skip


def _soak(home: Path, case: Dipping, running: RunningStack, seconds: float) -> int:
    requests = [
        {"name": "item", "get": "/item/{number}", "weight": 8, "headers": case.load.get("headers", {})},
        {"name": "list", "get": "/list", "weight": 2},
    ]
    load = {name: value for name, value in case.load.items() if name != "headers"}
    plan = {
        "loadrig": 1, "name": "store", "permit": ["node-inspector", "jvm-attach"], "target": running.target,
        "workload": {
            "requests": requests, "feeds": {"number": {"random": [1, ITEMS]}}, "timeout": "5s", **load,
        },
        "trial": {
            "cpus": [CLIENT_CORE],
            "warm_up": {"at_least": f"{WARM_UP_S:g}s", "at_most": f"{WARM_UP_S:g}s"},
        },
    }  # fmt: skip
    (home / "plan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    program = str(Path(sys.executable).with_name("loadrig"))
    words = ["soak", "plan.yaml", "--for", f"{seconds:g}s", "--whole", "--json", "-o", "out"]
    try:
        done = subprocess.run(
            [program, *words], capture_output=True, text=True, check=False, cwd=home,
            timeout=seconds + ENDS_S, preexec_fn=lambda: os.sched_setaffinity(0, {CLIENT_CORE, SERVER_CORE}),
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        raise Failed("the soak did not end") from late
    if not done.stdout:
        raise Failed(done.stderr[-400:])
    return done.returncode


@contextlib.contextmanager
def _done(outside: Outside, running: RunningStack) -> Iterator[None]:
    """Do it every PERIOD_S while the block lasts."""
    is_over = threading.Event()
    began = time.monotonic()

    def act() -> None:
        for n in itertools.count(1):
            if is_over.wait(max(0.0, began + n * PERIOD_S - time.monotonic())):
                return
            outside(running, PERIOD_S)

    thread = threading.Thread(target=act)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
