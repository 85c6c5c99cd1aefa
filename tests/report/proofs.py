"""Proofs as RUN/proof/proof.json has them, for the tests of the report.

The figures follow from drawn slots, so that what is told of one place agrees with what is drawn in another.
"""

import json
import math
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from loadrig.recording.layout import RunFolder

from .diagnosed import CPU, DIAGNOSIS, SYMPTOM, evidence

COMMAND = "loadrig diagnose runs/2025-01-31-120000-shop --prove"
APART = "8 trials, the server started anew for each"
NASTY = "proxy <img src=x onerror=alert(2)>"

SLOT_S, PAUSE_S, FROM_S = 1.5, 0.25, 3.0


def proved(run: Path, folder: Path, document: Mapping[str, Any]) -> Path:
    """Return a copy of a run with a proof in it."""
    shutil.copytree(run, folder)
    return write(folder, document)


def write(run: Path, document: Mapping[str, Any]) -> Path:
    """Put a proof into a run's folder; returns the run."""
    path = RunFolder(run).proof_document
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return run


def experiment(
    title: str,
    lever: tuple[str, str, str],
    pairs: Sequence[tuple[float, float]],
    *,
    ratio: float | None,
    measure: str = "throughput",
    unit: str = "1/s",
    kind: str = "live",
    trial: int = 1,
    **more: Any,
) -> dict[str, Any]:
    """Return an experiment with the elasticity and the gain of its pairs (without, with the change)."""
    logs = [math.log(changed / unchanged) for unchanged, changed in pairs]
    middle = fmean(logs)
    reach = 2.4 * stdev(logs) / math.sqrt(len(logs))
    effect = None
    if ratio is not None:
        ends = sorted(end / math.log(ratio) for end in (middle - reach, middle + reach))
        effect = {"value": middle / math.log(ratio), "low": ends[0], "high": ends[1]}
    change, component, what = lever
    gain = {"value": math.exp(middle), "low": math.exp(middle - reach), "high": math.exp(middle + reach)}
    standing = _standing(effect) if effect else "cleared" if gain["low"] < 1 < gain["high"] else "limits"
    return {
        "lever": {"change": change, "component": component, "what": what, "towards": "more"},
        "title": title, "kind": kind, "measure": measure, "unit": unit, "ratio": ratio,
        "elasticity": effect, "gain": gain, "is_at_least": False, "standing": standing, "blocks": len(pairs),
        "unchanged": median(low for low, _ in pairs), "changed": median(high for _, high in pairs),
        "proves": [], "refutes": [], "says": f"{title}: {math.exp(middle):.2f}", "cost": "", "trial": trial,
        "slots": [], **more,
    }  # fmt: skip


def _standing(effect: Mapping[str, float]) -> str:
    if effect["low"] > 0.5:
        return "limits"
    if effect["high"] < 0.15:
        return "cleared"
    return "shares" if effect["low"] > 0.15 and effect["high"] <= 0.5 else "unsure"


def live(
    levels: Mapping[str, float],
    *,
    blocks: int,
    seed: int,
    base: float = 312.0,
    noise: float = 0.012,
) -> tuple[dict[str, list[dict[str, Any]]], dict[str, list[tuple[float, float]]]]:
    """Slots of a live trial: in each block nothing and each change once, in an order by lot.

    levels: what each change makes of the base. Returns slots and pairs by the change's name.
    """
    draw = random.Random(seed)
    slots: dict[str, list[dict[str, Any]]] = {name: [] for name in levels}
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in levels}
    at = FROM_S
    for block in range(blocks):
        order = ["", *levels]
        draw.shuffle(order)
        came = {name: draw.gauss(base * levels.get(name, 1.0), base * noise) for name in order}
        for name in order:
            slot = {
                "trial": 1, "from_s": round(at, 3), "length_s": SLOT_S, "block": block,
                "is_changed": bool(name), "outcome": round(came[name], 1),
            }  # fmt: skip
            for each in [name] if name else levels:
                slots[each].append(slot)
            at += SLOT_S + PAUSE_S
        for name in levels:
            pairs[name].append((came[""], came[name]))
    return slots, pairs


def bands(experiments: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the stretches in which something was changed under load, a little longer than their slots."""
    return [
        {
            "trial": slot["trial"], "from_s": slot["from_s"] - 0.2,
            "to_s": slot["from_s"] + slot["length_s"], "title": experiment["title"], "experiment": number,
        }
        for number, experiment in enumerate(experiments)
        for slot in experiment["slots"]
        if slot["is_changed"] and experiment["kind"] == "live"
    ]  # fmt: skip


def trials(factor: float, *, blocks: int, seed: int, base: float, noise: float) -> list[tuple[float, float]]:
    """Pairs of whole trials, without and with a change."""
    draw = random.Random(seed)
    return [
        (draw.gauss(base, base * noise), draw.gauss(base * factor, base * factor * noise))
        for _ in range(blocks)
    ]


def database_cpu() -> dict[str, Any]:
    """Return a proof in which the database's CPU limits, not Tomcat's knobs, and a mend is verified."""
    slots, pairs = live({"db": 0.835, "server": 0.995, "redis": 0.995}, blocks=10, seed=4)
    fifth = "a fifth of its CPU was taken"
    experiments = [
        experiment(
            "CPU of mariadb: 0.5 to 0.4 cores", ("cpu", "mariadb", ""), pairs["db"], ratio=0.8,
            slots=slots["db"], proves=[["database_cpu", "mariadb"]], cost=fifth,
        ),
        experiment(
            "CPU of server: 1 to 0.8 cores", ("cpu", "server", ""), pairs["server"], ratio=0.8,
            slots=slots["server"], refutes=[["cpu_quota", "server"]], cost=fifth,
        ),
        experiment(
            "CPU of redis: 0.2 to 0.16 cores", ("cpu", "redis", ""), pairs["redis"], ratio=0.8,
            slots=slots["redis"], refutes=[["cache_bottleneck", "redis"]], cost=fifth,
        ),
        experiment(
            "maxThreads: 50 to 100", ("knob", "server", "threads"),
            trials(1.01, blocks=4, seed=5, base=312, noise=0.012), ratio=2.0, kind="trials", trial=2,
            refutes=[["too_few_workers", "server"]], cost=APART,
        ),
        experiment(
            "pool: 10 to 20", ("knob", "server", "pool"),
            trials(1.005, blocks=4, seed=7, base=312, noise=0.012), ratio=2.0, kind="trials", trial=10,
            refutes=[["pool_too_small", "server"]], cost=APART,
        ),
        experiment(
            "keep_alive: off to on", ("knob", "server", "keep_alive"),
            trials(1.0, blocks=4, seed=9, base=312, noise=0.012), ratio=None, kind="trials", trial=18,
            cost=APART,
        ),
    ]  # fmt: skip
    fix = trials(1.232, blocks=5, seed=8, base=312, noise=0.014)
    first = named("database_cpu", "mariadb", "the database's CPU is used up", experiments[0])
    return {
        **_document(experiments, "sure", 141.6),
        "bands": bands(experiments),
        "fix": _fix(
            "CPU of mariadb: 0.5 to 0.625 cores", fix, 1.25, "a quarter more of what is the limit"
        ),
        "sentence": f"The database's CPU is used up (mariadb): {first['effect']}.",
        "findings": [first],
        "cleared": [
            cleared("cpu_quota", "server", experiments[1]),
            cleared("too_few_workers", "server", experiments[3]),
            cleared("pool_too_small", "server", experiments[4]),
        ],
    }  # fmt: skip


def spread_logins() -> dict[str, Any]:
    """Dips that go when logins are spread, though the collector does what it did."""
    lost: dict[str, Any] = {"measure": "dips", "unit": "share", "kind": "trials"}
    spread = trials(0.09, blocks=5, seed=1, base=0.21, noise=0.12)
    experiments = [
        experiment(
            "logins: together to spread", ("load", "", "spread_logins"), spread, ratio=None,
            proves=[["workload_artefact", "load"]], refutes=[["gc_pressure", "server"]], cost=APART, **lost,
        ),
        experiment(
            "heap: 256 to 512 MB", ("knob", "server", "heap"),
            trials(1.02, blocks=5, seed=2, base=0.21, noise=0.1), ratio=2.0, trial=11, cost=APART, **lost,
        ),
        experiment(
            "answers: gzip to as they are", ("load", "", "identity"),
            trials(0.99, blocks=5, seed=3, base=0.21, noise=0.1), ratio=None, trial=21, cost=APART, **lost,
        ),
    ]  # fmt: skip
    first = named("workload_artefact", "load", "the load makes the dips itself", experiments[0])
    first["effect"] = "the dips come with the logins, all at the same moment"
    return {
        **_document(experiments, "sure", 228.0, budget_s=300.0),
        "sentence": f"The load makes the dips itself (load): {first['effect']}.",
        "fix": _fix("logins: together to spread", spread, None, "", measure="dips", unit="share"),
        "findings": [first],
        "cleared": [
            {
                **cleared("gc_pressure", "server", experiments[1]),
                "why": "what it blames went on while what is wrong was gone: " + experiments[0]["says"],
            },
        ],
    }  # fmt: skip


def ended_by_budget() -> dict[str, Any]:
    """Return a proof with an unsure experiment and two that were not made: what was likely stays likely."""
    slots, pairs = live({"server": 0.93}, blocks=4, seed=6, noise=0.09)
    experiments = [
        experiment(
            "CPU of server: 1 to 0.8 cores", ("cpu", "server", ""), pairs["server"], ratio=0.8,
            slots=slots["server"], cost="it was stopped for a fifth of each tenth of a second",
        ),
    ]  # fmt: skip
    skipped = [
        {
            "lever": {"change": "knob", "component": "server", "what": "pool", "towards": "more"},
            "title": "pool, more", "why": "nobody knows which knob sets the pool of connections",
            "mend": "name it in the plan: prove: {knobs: {POOL: [10, 20]}}", "code": "prove.no-knob",
        },
        {
            "lever": {"change": "cpu", "component": NASTY, "what": "", "towards": "more"},
            "title": f"CPU of {NASTY}", "why": "the rig did not start it",
            "mend": "name it in the plan if it may be touched: prove: {allow: [redis]}",
            "code": "prove.not-allowed",
        },
    ]  # fmt: skip
    return {
        **_document(experiments, "budget", 181.3),
        "bands": bands(experiments),
        "sentence": "Likely: a connection is opened for every request (redis): 380 a second.",
        "skipped": skipped,
        "findings": [
            {
                **SYMPTOM, "cause": "connection_churn", "component": "redis",
                "title": "a connection is opened for every request",
                "effect": "380 connections a second to redis", "mend": "use a pool of connections",
                "decides": "the same load with a pool",
                "rivals": [
                    {
                        "cause": "cpu_quota", "component": "server", "why": "0.9 of 1 core", "weight": 0.0,
                        "source": CPU,
                    },
                ],
                "evidence": [evidence("0.92 connections were opened a request", 2.0, **CPU)],
            },
        ],
    }  # fmt: skip


def only_skipped() -> dict[str, Any]:
    """Nothing could be tried."""
    return {**ended_by_budget(), "experiments": [], "took_s": 2.0, "ended": "sure", "bands": []}


def named(cause: str, component: str, title: str, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding that an experiment moved; what was seen stands before the experiment, as it came."""
    return {
        **SYMPTOM, "cause": cause, "component": component, "verdict": "named", "title": title,
        "effect": "it used all of the half core that it has", "mend": "give it more CPU, or ask it for less",
        "decides": "", "weight": 7.5,
        "evidence": [
            evidence("it used 0.5 of 0.5 cores", 2.0, **CPU),
            evidence(experiment["says"], 3.0, kind="experiment", command=COMMAND),
        ],
        "rivals": [
            {"cause": cause, "component": "server", "why": why, "weight": 0.0, "source": CPU}
            for cause, why in (("gc_pressure", "0.3 % at most"), ("cpu_quota", "it moves nothing"))
        ],
    }  # fmt: skip


def cleared(cause: str, component: str, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cause that an experiment cleared."""
    source = {"kind": "experiment", "command": COMMAND}
    return {
        "cause": cause,
        "component": component,
        "why": experiment["says"],
        "weight": -3.0,
        "source": source,
    }


def _document(
    experiments: list[dict[str, Any]], ended: str, took_s: float, budget_s: float = 180.0
) -> dict[str, Any]:
    return {
        "schema": "loadrig.proof/1", "of_trial": 1, "budget_s": budget_s, "took_s": took_s, "ended": ended,
        "experiments": experiments, "skipped": [], "bands": [], "fix": None, "cleared": [],
        "diagnosis": {**DIAGNOSIS, "sentence": "as proved", "cleared": []}, "of_a_later_version": {"x": 1},
    }  # fmt: skip


def _fix(
    title: str,
    pairs: Sequence[tuple[float, float]],
    predicted: float | None,
    why: str,
    measure: str = "throughput",
    unit: str = "1/s",
) -> dict[str, Any]:
    tried = experiment(title, ("knob", "", ""), pairs, ratio=None)
    return {
        "title": title, "setting": {}, "measure": measure, "unit": unit, "before": tried["unchanged"],
        "after": tried["changed"], "gain": tried["gain"], "predicted": predicted, "predicted_why": why,
        "is_verified": True, "pairs": [list(pair) for pair in pairs],
        "command": "loadrig run runs/2025-01-31-120000-shop/proof/fix.yaml",
    }  # fmt: skip
