"""The folder of a study for the tests of the report: a grid of nine settings in three blocks."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadrig.base.setting import show_setting
from loadrig.recording.layout import RunFolder

from .folders import CREATED, PLAN, estimate, write_trial

_GRID: tuple[tuple[dict[str, Any], float, str], ...] = (
    ({"worker_class": "sync", "workers": 1}, 310, "worse"),
    ({"worker_class": "sync", "workers": 2}, 540, "worse"),
    ({"worker_class": "sync", "workers": 4}, 548, "infeasible"),
    ({"worker_class": "gthread", "workers": 1, "threads": 1}, 304, "worse"),
    ({"worker_class": "gthread", "workers": 1, "threads": 4}, 402, "worse"),
    ({"worker_class": "gthread", "workers": 2, "threads": 1}, 535, "worse"),
    ({"worker_class": "gthread", "workers": 2, "threads": 4}, 612, "best"),
    ({"worker_class": "gthread", "workers": 4, "threads": 1}, 541, "undecided"),
    ({"worker_class": "gthread", "workers": 4, "threads": 4}, 606, "indistinguishable"),
)
BEST, BASE = 6, 0


def study(folder: Path, *, seconds: int = 20, **changes: Any) -> Path:
    """Return the folder of a grid of nine settings in three blocks; charts for the best and the base."""
    run = RunFolder(folder)
    run.create(PLAN)
    draw = random.Random(3)
    settings, index = [], 0
    for number, (setting, rate, standing) in enumerate(_GRID):
        trials = []
        for block in range(3):
            for _ in range(2 if number == BASE else 1):
                index += 1
                reached = draw.gauss(rate, rate * 0.015)
                if number in (BEST, BASE):
                    write_trial(
                        run.trial(index), index, setting, seconds=seconds, warm=5, rate=reached, fail=0.0
                    )
                trials.append(
                    {
                        "index": index,
                        "block": block,
                        "folder": f"trials/{index:04d}",
                        "validity": "void" if index == 8 else "valid",
                        "reasons": [],
                        "seconds": 18.0,
                        "values": {"throughput": reached, "p95": 70 / reached},
                    }
                )
        settings.append(_setting(number, setting, standing, trials))
    document = {
        "schema": "loadrig.study/2",
        "loadrig": "0.1.0",
        "name": "which workers?",
        "kind": "grid",
        "created": CREATED,
        "seconds": 552.0,
        "finished": True,
        "question": {
            "by": "throughput",
            "unit": "1/s",
            "better": "higher",
            "equal_within": 0.03,
            "scale": "ratio",
        },
        "noise": {
            "pairs": 3,
            "sd_log": 0.013,
            "relative": 0.018,
            "false_alarms": 0,
            "text": "The base setting, run twice in each of 3 blocks, differed from itself by 1.8 % of its"
            " throughput (root mean square). Differences from the base under about 4 % stay undecided.",
        },
        "settings": settings,
        "comparisons": _comparisons(settings),
        "knob_effects": _KNOB_EFFECTS,
        "recommended": {
            "setting_id": BEST,
            "setting": settings[BEST]["setting"],
            "why": "2 settings cannot be told from the best on throughput, and of these it has the fewest"
            " processes; it also has the best figure (607/s)",
            "indistinguishable": [8],
        },
        "capacity": None,
        "findings": [],
        "machine": {"cpu": "AMD EPYC 7B13", "cores": 2, "memory_bytes": 8_000_000_000, "kernel": "6.1.0"},
        "validity": {"valid": 29, "disturbed": 0, "void": 1},
        "warnings": [],
        **changes,
    }
    run.result.write_text(json.dumps(document), encoding="utf-8")
    return folder


def _setting(
    number: int, setting: Mapping[str, Any], standing: str, trials: list[dict[str, Any]]
) -> dict[str, Any]:
    throughputs = [trial["values"]["throughput"] for trial in trials if trial["validity"] == "valid"]
    mean = sum(throughputs) / len(throughputs)
    errors = 0.002 if standing == "infeasible" else 0.0002
    return {
        "id": number,
        "setting": dict(setting),
        "label": show_setting(setting),
        "is_base": number == BASE,
        "trials": trials,
        "measures": {
            "throughput": estimate(mean, "1/s", 0.025, len(throughputs), "blocks"),
            "p95": estimate(70 / mean, "s", 0.06, 9_000),
            "errors": estimate(errors, "1", 0.4, 9_000),
            "memory": estimate(40e6 + 22e6 * setting["workers"], "B", 0.01, 3, "trials"),
        },
        "feasible": standing != "infeasible",
        "goals": [
            {"text": "p95 < 500ms", "met": True, "value": 70 / mean},
            {"text": "errors < 0.1%", "met": errors < 0.001, "value": errors},
        ],
        "standing": standing,
    }


def _comparisons(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    def pair_of(
        a: int, b: int, kind: str, verdict: str, cost: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        ratio = (
            settings[b]["measures"]["throughput"]["value"] / settings[a]["measures"]["throughput"]["value"]
        )
        return {
            "between": [a, b],
            "measure": "throughput",
            "effect": ratio,
            "interval": [ratio * 0.965, ratio * 1.035],
            "confidence": 0.95,
            "scale": "ratio",
            "verdict": verdict,
            "blocks": 3,
            "p": 0.25,
            "to_decide": cost,
            "note": "",
            "kind": kind,
        }

    pairs = [{**pair_of(BASE, BASE, "aa", "equivalent"), "effect": 1.004, "interval": [0.985, 1.023]}]
    for each in settings:
        number = each["id"]
        if number != BASE:
            undecided = number == 3
            cost = {"blocks": 5, "seconds": 1500.0} if undecided else None
            pairs.append(pair_of(BASE, number, "with_base", "undecided" if undecided else "better", cost))
        if number != BEST:
            close = number in (7, 8)
            cost = {"blocks": 9, "seconds": 2300.0} if close else None
            pairs.append(pair_of(BEST, number, "with_best", "undecided" if close else "worse", cost))
    return pairs


def _knob_effect(knob: str, base: Any, value: Any, numbers: tuple[float, float, float], verdict: str) -> Any:
    effect, low, high = numbers
    return {
        "knob": knob,
        "from": base,
        "to": value,
        "effect": effect,
        "interval": [low, high],
        "confidence": 0.95,
        "verdict": verdict,
        "pairs": 2,
    }


_KNOB_EFFECTS = [
    _knob_effect("workers", 1, 2, (1.71, 1.66, 1.77), "better"),
    _knob_effect("workers", 1, 4, (1.72, 1.67, 1.78), "better"),
    _knob_effect("threads", 1, 4, (1.19, 1.12, 1.27), "better"),
    _knob_effect("worker_class", "sync", "gthread", (0.99, 0.95, 1.04), "undecided"),
]
