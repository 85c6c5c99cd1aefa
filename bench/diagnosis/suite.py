"""The suite: what is to be run, in which order, each run by itself and written down as it ends.

First the capacity of each healthy stack (a closed load that saturates it), from which rates follow; then the
twin of each fault, unwatched; then the fault, watched. Everything is kept in the ledger's folder, so that a
run that was cut short goes on, and recordings can be diagnosed again when causes have changed.
"""

import contextlib
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
from bench.diagnosis import knobs
from bench.diagnosis.injections import (
    BASES,
    FAULTS,
    HEALTHY,
    PAIRS,
    SEVERITIES,
    Change,
    Label,
)
from bench.diagnosis.ledger import BenchLedger, Row
from bench.diagnosis.single import PROOF_ENDS_S, warm_up_s
from bench.diagnosis.start import DIALS, StackWish, prepare
from bench.lab import Bench
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

ROOT = Path(__file__).parents[2]
CAPACITY_USERS, CAPACITY_S, TWIN_S = 64, 4.0, 5.0
RAMP_S = 1
SLACK, LEAST_GOAL_MS, HEALTHY_P95_MS = 4.0, 40.0, 400
"""A goal as a user would state it: a few times what the healthy server needs."""
OF_THE_RIG = frozenset({"client_port_exhaustion"})
"""Faults of the generator: that its load fell short is part of the right answer."""
VOID, TRIES = "void", 2
"""Verdict of a run without a proof, and how often a run that is to be proved is tried."""
ENDS_S = 60
"""Time for a run that is asked to end: its servers have to end first."""
PROOF = "proof"
"""The folder of a proof, in that of its run."""


@dataclass(frozen=True)
class FaultCase:
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

    @property
    def is_of_the_rig(self) -> bool:
        """Whether the fault is the generator's own."""
        return any(label.cause in OF_THE_RIG for label in self.labels)


def cases(only: str = "*", severities: tuple[str, ...] = SEVERITIES) -> list[FaultCase]:
    """Those whose name fits a pattern: strong faults first, then healthy ones, mild faults, pairs.

    only: patterns with commas between.
    """
    cases_by_severity: dict[str, list[FaultCase]] = {"strong": [], "mild": []}
    for fault in FAULTS:
        for severity in severities:
            change = dict(getattr(fault, severity))
            # A fault may lie in the load itself; then its twin has the load without it.
            load = {**fault.load, **change.pop("load", {})}
            twin = {**fault.load, **{name: load[name] for name in ("share", "users") if name in load}}
            cases_by_severity[severity].append(
                FaultCase(
                    f"{fault.stack}-{fault.name}-{severity}", fault.stack, fault.labels, change, fault.base,
                    load, twin, fault.decoys, fault.seconds, fault.is_growth,
                )
            )  # fmt: skip
    healthy = [FaultCase(h.name, h.stack, (), {}, h.base, {"share": h.share}, {}, h.decoys) for h in HEALTHY]
    pairs = [
        FaultCase(
            f"{f.stack}-{name}", f.stack, f.labels, f.strong, f.base, f.load, f.load, f.decoys, f.seconds,
            second=second,
        )
        for name, f, second in PAIRS
    ]  # fmt: skip
    return [
        case
        for case in (*cases_by_severity["strong"], *healthy, *cases_by_severity["mild"], *pairs)
        if any(fnmatch(case.name, f"*{word}*") for word in only.split(","))
    ]


@dataclass(frozen=True)
class Way:
    """Way in which cases are run. length: from the usual seconds of a run to those asked for.

    budget_s: for a proof of what was found; then the rig starts the applications, the healthy ones too. None:
    they run already, and are watched only.
    """

    length: Callable[[float], float]
    budget_s: float | None = None

    @property
    def starter(self) -> dict[str, Any]:
        """Word of a spec for who starts the application."""
        return {"by_rig": True} if self.budget_s else {}


def run(lab: Bench, ledger: BenchLedger, wanted: list[FaultCase], rounds: int, way: Way) -> None:
    """Run what the ledger does not have yet."""
    for stack in dict.fromkeys(case.stack for case in wanted):
        prepare(stack)
    for block in range(rounds):
        for case in wanted:
            key = case.name if not block else f"{case.name}-{block}"
            if key in ledger.rows:
                continue
            try:
                row = _run(lab, ledger, case, key, way)
            except Failed as failure:
                row = {"failed": str(failure)[-600:]}
            ledger.add({"key": key, "kind": "case", "case": case.name, "at": time.strftime("%FT%T"), **row})
            print(f"  {key:44} {_brief(ledger.rows[key])}", file=sys.stderr, flush=True)


def _run(lab: Bench, ledger: BenchLedger, case: FaultCase, key: str, way: Way) -> Row:
    healthy = _wish(case, {})
    is_open = "share" in case.load
    capacity = _capacity(lab, ledger, case, healthy, way) if is_open else None
    goals, twin = [f"p95 < {HEALTHY_P95_MS}ms"], None
    if case.labels:
        load = _resolved(case.twin_load, capacity)
        twin = _once(
            lab, ledger,
            {"wish": healthy, "load": {**load, "watched": False}, "decoys": case.decoys, **way.starter},
            way.length(TWIN_S),
        )  # fmt: skip
        if twin["p95_ms"]:
            goals = [f"p95 < {max(LEAST_GOAL_MS, SLACK * twin['p95_ms']):.0f}ms"]
    spec = {
        "wish": _wish(case, case.change), "load": _resolved(case.load, capacity), "decoys": case.decoys,
        "sysctl": case.change.get("sysctl", {}), "goals": [*goals, "errors < 1%"], **way.starter,
    }  # fmt: skip
    if way.budget_s:
        spec["budget_s"] = way.budget_s
    for _ in range(TRIES if way.budget_s else 1):
        ran = _measure(lab, ledger.folder / key, spec, way.length(case.seconds))
        if ran["validity"] != VOID or case.is_of_the_rig:
            break
    return {"capacity": capacity, "twin": twin, **ran}


def _capacity(lab: Bench, ledger: BenchLedger, case: FaultCase, wish: Mapping[str, Any], way: Way) -> float:
    # They arrive one by one: of many that come at once, one worker of gunicorn may take all, and keep them.
    held_s = warm_up_s({"wish": wish, **way.starter}) - RAMP_S + way.length(CAPACITY_S)
    stages = [{"to": CAPACITY_USERS, "over": f"{RAMP_S}s", "hold": f"{held_s:g}s"}]
    load: dict[str, Any] = {"users": {"stages": stages}, "watched": False}
    if "headers" in case.load:
        load["headers"] = case.twin_load.get("headers", {}) if "login" not in case.load else {}
    spec = {"wish": wish, "load": load, "decoys": (), **way.starter}
    capacity = _once(lab, ledger, spec, way.length(CAPACITY_S))
    return float(capacity["ok_rps"])


def _once(lab: Bench, ledger: BenchLedger, spec: Mapping[str, Any], seconds: float) -> Row:
    """Return a run of a healthy stack that several cases need: measured once.

    Raises Failed where it failed.
    """
    text = json.dumps([spec, seconds], sort_keys=True, default=str)
    key = f"healthy:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if key not in ledger.rows:
        folder = ledger.folder / "healthy"
        row = _measure(lab, folder, {"sysctl": {}, "goals": [], **spec}, seconds)
        shutil.rmtree(folder, ignore_errors=True)
        ledger.add({"key": key, "kind": "twin", "wish": spec["wish"], "load": spec["load"], **row})
    return ledger.rows[key]


def _measure(lab: Bench, folder: Path, spec: Mapping[str, Any], seconds: float) -> Row:
    """Start, load, stop, in a network of its own. The folder keeps what was recorded."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Whoever diagnoses is started below this: nothing on its command line may speak of what is wrong.
    home = folder.with_name("now")
    if home != folder:
        shutil.rmtree(home, ignore_errors=True)  # of a run that was cut short
        folder.rename(home)
    (home / "spec.json").write_text(json.dumps({**spec, "seconds": seconds}, default=list), encoding="utf-8")
    within_s = seconds + 200 + (spec["budget_s"] + PROOF_ENDS_S if "budget_s" in spec else 0)
    with lab.turn():
        began = time.monotonic()
        errors = _inside(home, within_s)
        took = time.monotonic() - began
    home.rename(folder)
    if not (folder / "facts.json").exists():
        raise Failed(errors[-600:])
    manifests = (
        path
        for path in (folder / "run").rglob("manifest.json")
        if PROOF not in path.relative_to(folder).parts
    )
    trial = next(manifests, None)
    if trial is None:
        raise Failed(json.loads((folder / "facts.json").read_text(encoding="utf-8"))["errors"])
    return {
        "took_s": took, "seconds": seconds, "warm_up_s": warm_up_s(spec), **met_by_load(trial.parent),
    }  # fmt: skip


def _inside(home: Path, within_s: float) -> str:
    """Run one in a network of its own; returns what it said of errors. It is asked to end if it does not."""
    inside = f"ip link set lo up && exec {sys.executable} -m bench.diagnosis.single {home}"
    process = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", inside], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        return process.communicate(timeout=within_s)[1]
    except subprocess.TimeoutExpired:
        return f"it did not end within {within_s:.0f} s"
    finally:
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=ENDS_S)
            process.kill()
            process.wait()


def met_by_load(trial: Path) -> Row:
    """Return what the load met, of a recorded trial."""
    document = result_of(Recording.open(trial)).document
    load, times, outcomes = document.load, document.latency_ms.response, document.outcomes
    ended = sum(outcomes.values())
    memory, core_speed = document.estimates.get("memory"), document.estimates.get("core_speed")
    return {
        "trial": str(trial), "validity": document.validity.verdict,
        "offered_rps": load.offered_rps, "ok_rps": load.successful_rps,
        "failed_share": 1 - outcomes["ok"] / ended if ended else 0.0,
        "memory_bytes": memory and memory.value,
        "unsent": load.unsent, "in_flight": load.in_flight, "core_speed": core_speed and core_speed.value,
        **{f"{q}_ms": None if times is None else times.seconds(q) * 1e3 for q in ("p50", "p95", "p99")},
    }  # fmt: skip


def _wish(case: FaultCase, change: Change) -> dict[str, Any]:
    """Return a Wish as plain data: the healthy stack, the case's base, the change; dials are merged."""
    merged: dict[str, Any] = {"stack": case.stack}
    dials: dict[str, Any] = {}
    for layer in (BASES[case.stack], case.base, change):
        merged |= {name: value for name, value in layer.items() if name not in ("dials", "sysctl", "load")}
        dials |= layer.get("dials", {})
    return asdict(StackWish(**merged, dials=dials))


def mends(case: FaultCase) -> tuple[str, ...]:
    """Return the knobs in which a fault lies: those that a healthy server has otherwise."""
    settings = []
    for change in (case.change, {}):
        wish = _wish(case, change)
        dials = {**DIALS[case.stack], **wish["dials"]}
        settings.append(knobs.settled(case.stack, wish["options"], dials, wish["cores"]).setting)
    sick, healthy = settings
    return tuple(sorted(name for name in {*sick, *healthy} if sick.get(name) != healthy.get(name)))


def _resolved(load: Change, capacity: float | None) -> dict[str, Any]:
    """Return a load with its rate in requests a second."""
    load_of_plan = {name: value for name, value in load.items() if name != "share"}
    if "share" not in load:
        return load_of_plan
    assert capacity is not None
    return {**load_of_plan, "rate": f"{load['share'] * capacity:.1f}/1s"}


def recorded(ledger: BenchLedger, wanted: list[FaultCase]) -> Iterator[tuple[FaultCase, Row]]:
    """Yield the cases that were run, with their rows."""
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
