"""The suite: what is to be run, in which order, each run by itself and written down as it ends.

First the capacity of each healthy stack (a closed load that saturates it), from which rates follow; then the
twin of each fault, unwatched; then the fault, watched. Everything is kept in the ledger's folder, so that a
run that was cut short goes on, and recordings can be diagnosed again when causes have changed.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bench.costs import Failed
from bench.diagnosis.injections import (
    BASES,
    FAULTS,
    HEALTHY,
    PAIRS,
    SEVERITIES,
    Change,
    Label,
)
from bench.diagnosis.ledger import Ledger, Row
from bench.diagnosis.one import WARM_UP_S
from bench.diagnosis.start import Wish, prepare
from bench.lab import Lab
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

ROOT = Path(__file__).parents[2]
CAPACITY_USERS, CAPACITY_S, TWIN_S = 64, 4.0, 5.0
RAMP_S = 1
SLACK, LEAST_GOAL_MS, HEALTHY_P95_MS = 4.0, 40.0, 400
"""A goal as a user would state it: a few times what the healthy server needs."""


@dataclass(frozen=True)
class Case:
    """One thing to run and to judge. labels: empty for a healthy one. second: of a pair of faults."""

    name: str
    stack: str
    labels: tuple[Label, ...]
    change: Change
    base: Change
    load: Change
    twin_load: Change
    decoys: tuple[str, ...]
    seconds: float = 12.0
    is_growth: bool = False
    second: Label | None = field(default=None)


def cases(only: str = "*", severities: tuple[str, ...] = SEVERITIES) -> list[Case]:
    """Those whose name fits a pattern: strong faults first, then healthy ones, mild faults, pairs.

    only: patterns with commas between.
    """
    found: dict[str, list[Case]] = {"strong": [], "mild": []}
    for fault in FAULTS:
        for severity in severities:
            change = dict(getattr(fault, severity))
            # A fault may lie in the load itself; then its twin has the load without it.
            load = {**fault.load, **change.pop("load", {})}
            twin = {**fault.load, **{name: load[name] for name in ("share", "users") if name in load}}
            found[severity].append(
                Case(
                    f"{fault.stack}-{fault.name}-{severity}", fault.stack, fault.labels, change, fault.base,
                    load, twin, fault.decoys, fault.seconds, fault.is_growth,
                )
            )  # fmt: skip
    healthy = [Case(h.name, h.stack, (), {}, h.base, {"share": h.share}, {}, h.decoys) for h in HEALTHY]
    pairs = [
        Case(
            f"{f.stack}-{name}", f.stack, f.labels, f.strong, f.base, f.load, f.load, f.decoys, f.seconds,
            second=second,
        )
        for name, f, second in PAIRS
    ]  # fmt: skip
    return [
        case
        for case in (*found["strong"], *healthy, *found["mild"], *pairs)
        if any(fnmatch(case.name, f"*{word}*") for word in only.split(","))
    ]


def run(lab: Lab, ledger: Ledger, wanted: list[Case], rounds: int, length: Callable[[float], float]) -> None:
    """Run what the ledger does not have yet. length: from the usual seconds of a run to those asked for."""
    for stack in dict.fromkeys(case.stack for case in wanted):
        prepare(stack)
    for block in range(rounds):
        for case in wanted:
            key = case.name if not block else f"{case.name}-{block}"
            if key in ledger.rows:
                continue
            try:
                row = _run(lab, ledger, case, key, length)
            except Failed as failure:
                row = {"failed": str(failure)[-600:]}
            ledger.add({"key": key, "kind": "case", "case": case.name, "at": time.strftime("%FT%T"), **row})
            print(f"  {key:44} {_brief(ledger.rows[key])}", file=sys.stderr, flush=True)


def _run(lab: Lab, ledger: Ledger, case: Case, key: str, length: Callable[[float], float]) -> Row:
    healthy = _wish(case, {})
    is_open = "share" in case.load
    capacity = _capacity(lab, ledger, case, healthy, length) if is_open else None
    goals, twin = [f"p95 < {HEALTHY_P95_MS}ms"], None
    if case.labels:
        load = _resolved(case.twin_load, capacity)
        twin = _once(
            lab, ledger, {"wish": healthy, "load": {**load, "watched": False}, "decoys": case.decoys},
            length(TWIN_S),
        )  # fmt: skip
        if twin["p95_ms"]:
            goals = [f"p95 < {max(LEAST_GOAL_MS, SLACK * twin['p95_ms']):.0f}ms"]
    spec = {
        "wish": _wish(case, case.change), "load": _resolved(case.load, capacity), "decoys": case.decoys,
        "sysctl": case.change.get("sysctl", {}), "goals": [*goals, "errors < 1%"],
    }  # fmt: skip
    ran = _measure(lab, ledger.folder / key, spec, length(case.seconds))
    return {"capacity": capacity, "twin": twin, **ran}


def _capacity(
    lab: Lab, ledger: Ledger, case: Case, wish: Mapping[str, Any], length: Callable[[float], float]
) -> float:
    # They arrive one by one: of many that come at once, one worker of gunicorn may take all, and keep them.
    held_s = WARM_UP_S - RAMP_S + length(CAPACITY_S)
    stages = [{"to": CAPACITY_USERS, "over": f"{RAMP_S}s", "hold": f"{held_s:g}s"}]
    load: dict[str, Any] = {"users": {"stages": stages}, "watched": False}
    if "headers" in case.load:
        load["headers"] = case.twin_load.get("headers", {}) if "login" not in case.load else {}
    found = _once(lab, ledger, {"wish": wish, "load": load, "decoys": ()}, length(CAPACITY_S))
    return float(found["ok_rps"])


def _once(lab: Lab, ledger: Ledger, spec: Mapping[str, Any], seconds: float) -> Row:
    """A run of a healthy stack that several cases need: measured once. Raises Failed where it failed."""
    text = json.dumps([spec, seconds], sort_keys=True, default=str)
    key = f"healthy:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if key not in ledger.rows:
        folder = ledger.folder / "healthy"
        row = _measure(lab, folder, {"sysctl": {}, "goals": [], **spec}, seconds)
        shutil.rmtree(folder, ignore_errors=True)
        ledger.add({"key": key, "kind": "twin", "wish": spec["wish"], "load": spec["load"], **row})
    return ledger.rows[key]


def _measure(lab: Lab, folder: Path, spec: Mapping[str, Any], seconds: float) -> Row:
    """Start, load, stop, in a network of its own. The folder keeps what was recorded."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Whoever diagnoses is started below this: nothing on its command line may speak of what is wrong.
    home = folder.rename(folder.with_name("now")) if folder.name != "now" else folder
    (home / "spec.json").write_text(json.dumps({**spec, "seconds": seconds}, default=list), encoding="utf-8")
    inside = f"ip link set lo up && exec {sys.executable} -m bench.diagnosis.one {home}"
    with lab.turn():
        began = time.monotonic()
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", inside], cwd=ROOT, capture_output=True, text=True,
            check=False, timeout=seconds + 170,
        )  # fmt: skip
        took = time.monotonic() - began
    home.rename(folder)
    if not (folder / "facts.json").exists():
        raise Failed((done.stderr or done.stdout)[-600:])
    trial = next((folder / "run").rglob("manifest.json"), None)
    if trial is None:
        raise Failed(json.loads((folder / "facts.json").read_text(encoding="utf-8"))["errors"])
    return {"took_s": took, "seconds": seconds, **seen(trial.parent)}


def seen(trial: Path) -> Row:
    """What the load met, of a recorded trial."""
    document = result_of(Recording.open(trial)).document
    load, latency = document["load"], document["latency_ms"]["response"] or {}
    outcomes = document["outcomes"]
    ended = sum(outcomes.values())
    memory = (document["resources"].get("memory") or {}).get("value")
    return {
        "trial": str(trial), "offered_rps": load["offered_rps"], "ok_rps": load["successful_rps"],
        "failed_share": 1 - outcomes["ok"] / ended if ended else 0.0, "memory_bytes": memory,
        "unsent": load["unsent"], "in_flight": load["in_flight"],
        **{f"{q}_ms": latency.get(q) for q in ("p50", "p95", "p99")},
    }  # fmt: skip


def _wish(case: Case, change: Change) -> dict[str, Any]:
    """A Wish as plain data: the healthy stack, the case's base, the change; dials are merged."""
    found: dict[str, Any] = {"stack": case.stack}
    dials: dict[str, Any] = {}
    for one in (BASES[case.stack], case.base, change):
        found |= {name: value for name, value in one.items() if name not in ("dials", "sysctl", "load")}
        dials |= one.get("dials", {})
    return asdict(Wish(**found, dials=dials))


def _resolved(load: Change, capacity: float | None) -> dict[str, Any]:
    """A load with its rate in requests a second."""
    found = {name: value for name, value in load.items() if name != "share"}
    if "share" not in load:
        return found
    assert capacity is not None
    return {**found, "rate": f"{load['share'] * capacity:.1f}/1s"}


def recorded(ledger: Ledger, wanted: list[Case]) -> Iterator[tuple[Case, Row]]:
    """The cases that were run, with their rows."""
    for row in ledger.rows.values():
        for case in wanted:
            if row.get("case") == case.name and "failed" not in row:
                yield case, row


def _brief(row: Row) -> str:
    if "failed" in row:
        return f"failed: {row['failed'][-160:]!r}"
    twin = row["twin"] or {}
    return (
        f"{row['offered_rps']:7.0f}/s due {row['ok_rps']:7.0f}/s ok  p95 {row['p95_ms'] or 0:7.1f} ms "
        f"failed {row['failed_share']:.1%}"
        f"   twin {twin.get('ok_rps', 0):.0f}/s {twin.get('p95_ms') or 0:.1f} ms"
    )
