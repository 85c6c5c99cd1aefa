"""Runs made up for the tests of comparisons: results true to the contract, recordings where they are read.

Everything is drawn from a seed. A run's level is that of its day; a trial's differs a little from it.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.comparing.side import Measured, Side
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import Route, write_recording
from loadrig.trial.result import result_of
from tests.study import documents
from tests.study.documents import result_of_study, setting_row

DAY_S = 86_400.0
BEGAN_S = 1_763_719_920.0
MACHINE = {"cpu": "AMD EPYC 7B13", "cores": 2, "memory_bytes": 8_000_000_000, "kernel": "6.1.0"}
PLAN = """\
loadrig: 1
name: shop
target: {external: {url: "http://127.0.0.1:8000"}}
workload:
  users: 50
  requests: [{get: /search}, {get: /order}]
"""

UNITS = {"throughput": "1/s", "p50": "s", "p95": "s", "p99": "s", "memory": "B", "errors": "1"}


def estimate(value: float, unit: str, width: float = 0.01, n: int = 12_000) -> dict[str, Any]:
    return {
        "value": value, "unit": unit, "low": value * (1 - width), "high": value * (1 + width), "n": n,
        "of": "requests", "confidence": 0.95, "warnings": [],
    }  # fmt: skip


def result(
    rate: float = 400.0,
    *,
    index: int = 1,
    setting: Mapping[str, Any] | None = None,
    model: str = "users",
    users: int = 50,
    offered: float | None = None,
    failed: float = 0.0005,
    routes: Mapping[str, tuple[float, float]] | None = None,
    slow: float = 1.0,
    core_speed: float | None = None,
    verdict: str = "valid",
    reason: str = "the busiest thread was 93 % busy",
    machine: Mapping[str, Any] | None = None,
    goals: Sequence[str] = ("p95 < 500ms",),
    loadrig: str = "0.1.0",
    lost_claims: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a trial's result. rate: good answers/s. routes: share and median in s. slow: on all times."""
    shares = routes or {"search": (0.75, 0.05), "order": (0.25, 0.12)}
    seconds, ok = 30.0, round(rate * 30)
    bad = round(ok * failed)
    median = slow * sum(share * at for share, at in shares.values())
    rows = {}
    for name, (share, at) in shares.items():
        good, lost = round(ok * share), round(bad * share)
        times = {"count": good, "mean": 1100 * at * slow, "p50": 1e3 * at * slow, "p90": 1.8e3 * at * slow,
                 "p95": 2e3 * at * slow, "p99": 3e3 * at * slow, "p99.9": 4e3 * at * slow,
                 "max": 5e3 * at * slow}  # fmt: skip
        rows[name] = {
            "count": good + lost, "rps": (good + lost) / seconds, "bytes": good * 900,
            "outcomes": {"ok": good, **({"http_5xx": lost} if lost else {})},
            "latency_ms": {"response": times, "service": times, "failed": None},
        }  # fmt: skip
    estimates = {
        "throughput": estimate(rate, "1/s"),
        "p50": estimate(median, "s"),
        "p95": estimate(2 * median, "s", 0.03),
        "p99": estimate(3 * median, "s", 0.06),
        "errors": {**estimate(bad / (ok + bad), "1", 0.3, ok + bad)},
        "memory": estimate(61.2e6, "B"),
        **({"core_speed": estimate(core_speed, "1/s")} if core_speed else {}),
    }
    offered_rps = offered if offered is not None else rate
    return {
        "schema": "loadrig.trial/2", "loadrig": loadrig, "name": "shop", "index": index,
        "setting": dict(setting or {}), "address": "http://127.0.0.1:41231",
        "validity": {
            "verdict": verdict,
            "reasons": [] if verdict == "valid" else [{"check": "G3", "level": verdict, "text": reason}],
            "weakened": [
                {"claim": claim, "effect": "lost", "by": None, "checks": ["G1"], "why": reason}
                for claim in lost_claims
            ],
        },
        "measured": {"from_s": 8.0, "to_s": 38.0, "why": "known to within 2 %"},
        "load": {
            "model": model, "offered_rps": offered_rps, "achieved_rps": rate, "successful_rps": rate,
            "users": users, "seconds": seconds, "requests": ok + bad, "sent": ok + bad, "unsent": 0,
            "in_flight": 1.0,
        },
        "outcomes": {"ok": ok, "http_5xx": bad}, "routes": rows, "estimates": estimates, "status": {},
        "latency_ms": {"response": None, "service": None, "failed": None}, "seed": 1, "warm_up": None,
        "generator": None, "connections": None, "resources": {}, "series": {}, "examples": [],
        "observer": None, "surroundings": None, "ended": "time", "findings": [], "diagnosis": None,
        "goals": [{"text": text, "met": True, "value": 0.1, "unit": "s"} for text in goals],
        "machine": dict(machine or MACHINE),
        "target": {
            "kind": "gunicorn", "argv": ["gunicorn", "shop:app", "--bind", "127.0.0.1:41231"], "cpus": [1],
        },
    }  # fmt: skip


def single(folder: Path, *, day: float = 0.0, plan: str = PLAN, **options: Any) -> Path:
    """Make the folder of a run of one trial: its result, and a manifest that says when it ran."""
    run = RunFolder(folder)
    run.create(plan)
    trial_result = result(**options)
    trial = run.trial(1)
    trial.path.mkdir(parents=True)
    trial.manifest.write_text(json.dumps(manifest(trial_result, BEGAN_S + day * DAY_S)), encoding="utf-8")
    trial.result.write_text(json.dumps(trial_result), encoding="utf-8")
    run.result.write_text(json.dumps(trial_result), encoding="utf-8")
    return folder


def manifest(machine: Mapping[str, Any], began_s: float) -> dict[str, Any]:
    return {
        "recording": 1, "loadrig": machine["loadrig"], "created": "2025-11-21T10:12:00+00:00",
        "wall_ns": int(began_s * 1e9), "monotonic_ns": 0, "plan_name": "shop", "setting": machine["setting"],
        "index": machine["index"], "block": 0, "repeat": 0, "seed": 1, "machine": machine["machine"],
        "load": {"model": machine["load"]["model"]}, "goals": [],
    }  # fmt: skip


def runs(
    folder: Path,
    rates: Sequence[float],
    *,
    first_day: float = 0.0,
    every: float = 1.0,
    **options: Any,
) -> Path:
    """Make a folder of runs of one trial each, one every so many days."""
    for number, rate in enumerate(rates):
        single(folder / f"run-{number:02d}", day=first_day + number * every, rate=rate, **options)
    return folder


def study(
    folder: Path,
    settings: Sequence[tuple[Mapping[str, Any], float]],
    *,
    blocks: int = 8,
    noise: float = 0.01,
    drift: float = 0.0,
    seed: int = 1,
    day: float = 0.0,
    plan: str = PLAN,
    void: Sequence[int] = (),
    **options: Any,
) -> Path:
    """Make the folder of a study: settings with their rates, the base first and twice in each block.

    noise, drift: standard deviation of the log of a trial and of a block. void: numbers of void trials.
    """
    rng = np.random.default_rng(seed)
    run = RunFolder(folder)
    run.create(plan)
    rows: list[dict[str, Any]] = [
        setting_row(
            number, setting, measures={name: {"value": 1.0, "unit": unit} for name, unit in UNITS.items()}
        )
        for number, (setting, _) in enumerate(settings)
    ]
    index = 0
    for block in range(blocks):
        level = rng.normal(0, drift)
        for number, (setting, rate) in [(0, settings[0]), *enumerate(settings)]:
            index += 1
            reached = rate * math.exp(level + rng.normal(0, noise))
            verdict = "void" if index in void else "valid"
            trial_result = result(
                reached, index=index, setting=setting, slow=400 / reached, verdict=verdict, **options
            )
            trial = run.trial(index)
            trial.path.mkdir(parents=True)
            at_s = BEGAN_S + day * DAY_S + 40.0 * index
            facts = {**manifest(trial_result, at_s), "block": block}
            trial.manifest.write_text(json.dumps(facts), encoding="utf-8")
            trial.result.write_text(json.dumps(trial_result), encoding="utf-8")
            rows[number]["trials"].append(
                {
                    "index": index, "block": block, "folder": f"trials/{index:04d}", "validity": verdict,
                    "reasons": [] if verdict == "valid" else ["the busiest thread was 93 % busy"],
                    "seconds": 40.0,
                    "values": {name: trial_result["estimates"][name]["value"] for name in UNITS},
                }
            )  # fmt: skip
    run.result.write_text(json.dumps(result_of_study(rows, machine=MACHINE)), encoding="utf-8")
    return folder


def recorded(
    folder: Path,
    *,
    seconds: int = 24,
    slow: float = 1.0,
    tail: float = 0.5,
    seed: int = 1,
    shares: tuple[float, float] = (0.75, 0.25),
    rate: float = 150.0,
) -> Path:
    """Make the folder of a run of one trial with a recording of two routes, and its result made of it."""
    run = RunFolder(folder)
    run.create(PLAN)
    routes = (
        Route("search", shares[0], median_s=0.010 * slow, spread=tail),
        Route("order", shares[1], median_s=0.060 * slow, spread=tail),
    )
    facts = {"plan_name": "shop", "machine": MACHINE, "wall_ns": int((BEGAN_S + seed * 600) * 1e9)}
    write_recording(run.trial(1).path, (rate,) * seconds, routes=routes, seed=seed, facts=facts)
    document = result_of(Recording.open(run.trial(1).path)).to_json()
    run.trial(1).result.write_text(json.dumps(document), encoding="utf-8")
    run.result.write_text(json.dumps(document), encoding="utf-8")
    return folder


def measured(**facts: Any) -> Measured:
    """Return a trial of which its study's result alone is known."""
    plain: dict[str, Any] = {
        "run": 0, "block": 0, "index": 1, "began_s": BEGAN_S, "seconds": 40.0, "verdict": "valid",
        "reasons": (), "estimates": {},
    }  # fmt: skip
    return Measured(**{**plain, **facts})


def with_estimate(side: Side, measure: str, change: Callable[[Measured, Estimate], Estimate]) -> Side:
    """Return the side with another estimate of a measure in each trial."""
    return replace(
        side,
        trials=tuple(
            replace(
                trial,
                estimates={**trial.estimates, measure: change(trial, trial.estimates[measure])},
            )
            for trial in side.trials
        ),
    )


def searched(
    folder: Path,
    capacity: float | None,
    *,
    why: str = "sure",
    unit: str = "1/s",
    model: str = "rate",
    **options: Any,
) -> Path:
    """Make the folder of a run that searched for its capacity, as `loadrig capacity` leaves it.

    capacity: None where none was found, for the reason why.
    """
    study(folder, [({}, 400.0)], blocks=1, model=model, **options)
    run = RunFolder(folder)
    document = json.loads(run.result.read_text(encoding="utf-8"))
    (row,) = document["settings"]
    (trial, *_) = row["trials"]
    row["trials"] = [trial]
    if capacity is not None:
        trial["values"]["capacity"] = capacity
    document["kind"] = "capacity"
    document["capacity"] = documents.searched(capacity, unit, why_ended=why)
    run.result.write_text(json.dumps(document), encoding="utf-8")
    return folder
