"""A comparison and a history as documents: schemas loadrig.comparison/2 and loadrig.history/1.

Every number is finite or null; a reader ignores fields that it does not know. An effect is the ratio b/a,
of a measure that is a share the difference b - a (`scale`).
"""

import math
from collections.abc import Mapping
from typing import Any

from loadrig import __version__
from loadrig.base.estimate import Estimate
from loadrig.comparing.differences import Difference
from loadrig.comparing.history import Course, History, Step
from loadrig.comparing.judged import Compared, Comparison, Cost
from loadrig.comparing.shifts import RouteShift
from loadrig.comparing.side import Side
from loadrig.stats.compare import Effect
from loadrig.stats.verdict import Scale
from loadrig.study.yardstick import Yardstick

COMPARISON = "loadrig.comparison/2"
HISTORY = "loadrig.history/1"


def of_comparison(found: Comparison) -> dict[str, Any]:
    """All of a comparison."""
    return {
        "schema": COMPARISON,
        "loadrig": __version__,
        "verdict": found.word,
        "a": _side(found.a),
        "b": _side(found.b),
        "pairing": {"how": found.pairing.how, "pairs": len(found.pairing.pairs)},
        "compared": [_compared(one) for one in found.compared],
        "to_decide": _cost(found.cost),
        "mix": {
            "differs": found.mix.differs,
            "shares": [{"route": one.route, "a": one.a, "b": one.b} for one in found.mix.shares],
        },
        "shift": [_shift(one) for one in found.shifts],
        "differences": [_difference(one) for one in found.differences],
        "warnings": list(found.warnings),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "plan": side.plan_name,
        "setting": dict(side.setting),
        "label": side.label,
        "created": side.created or None,
        "loadrig": side.loadrig or None,
        "runs": [str(run) for run in side.runs],
        "blocks": len(side.blocks),
        "trials": {
            word: number
            for word in ("valid", "disturbed", "void", "failed")
            if (number := sum(trial.verdict == word for trial in side.trials))
        },
        "seconds": sum(trial.seconds for trial in side.trials),
        "machine": dict(side.machine),
    }


def _compared(one: Compared) -> dict[str, Any]:
    return {
        "measure": one.by.name,
        "route": one.route,
        "standardised": one.is_standardised,
        "decides": one.decides,
        **_yardstick(one.by),
        "a": _estimate(one.a),
        "b": _estimate(one.b),
        **_effect(one.effect, one.by.scale),
        "verdict": "undecided" if one.verdict is None else one.verdict.word,
        "differs": one.verdict is not None and one.verdict.is_different,
        "p": None if one.p is None else _finite(one.p),
        "blocks": 0 if one.effect is None else one.effect.n,
        "how": one.how,
        "to_decide": _cost(one.cost),
        "note": one.note,
    }


def _yardstick(by: Yardstick) -> dict[str, Any]:
    return {"unit": by.unit, "better": by.better, "equal_within": by.equal_within, "scale": by.scale}


def _effect(effect: Effect | None, scale: Scale) -> dict[str, Any]:
    if effect is None:
        return {"effect": None, "interval": None, "confidence": 0.95}
    low, high = _back(effect.low, scale), _back(effect.high, scale)
    known = low is not None and high is not None and effect.standard_error > 0
    return {
        "effect": _back(effect.centre, scale),
        "interval": [low, high] if known else None,
        "confidence": effect.confidence,
    }


def _back(y: float, scale: Scale) -> float | None:
    """From the scale of comparison. A bound of a noise that is hardly known passes the largest float."""
    return _finite(math.exp(min(y, 700.0)) if scale == "ratio" else y)


def _cost(cost: Cost | None) -> dict[str, Any] | None:
    return None if cost is None else {"pairs": cost.pairs, "seconds": cost.seconds}


def _estimate(found: Estimate) -> dict[str, Any]:
    return {
        "value": _finite(found.value),
        "low": None if found.low is None else _finite(found.low),
        "high": None if found.high is None else _finite(found.high),
        "unit": found.unit,
        "n": found.n,
        "of": found.of,
    }


def _shift(one: RouteShift) -> dict[str, Any]:
    return {
        "route": one.route,
        "kind": one.kind,
        "within_runs_only": one.is_within,
        "points": [
            {"quantile": p.quantile, "a": p.a, "b": p.b, "effect": p.ratio, "interval": [p.low, p.high]}
            for p in one.points
        ],
    }


def _difference(one: Difference) -> dict[str, Any]:
    return {"area": one.area, "name": one.name, "a": one.a, "b": one.b, "touches_load": one.touches_load}


# --- history ------------------------------------------------------------------------------------


def of_history(found: History) -> dict[str, Any]:
    """All of a history."""
    return {
        "schema": HISTORY,
        "loadrig": __version__,
        "verdict": found.word,
        "plan": found.plan_name,
        "newest": found.newest,
        "runs": [_run(side) for side in found.runs],
        "courses": [_course(course) for course in found.courses],
        "left_out": dict(found.left_out),
    }


def _run(side: Side) -> Mapping[str, Any]:
    return {
        "name": side.name,
        "folder": str(side.runs[0]),
        "created": side.created or None,
        "loadrig": side.loadrig or None,
        "trials": len(side.usable),
        "machine": dict(side.machine),
    }


def _course(course: Course) -> dict[str, Any]:
    return {
        "measure": course.by.name,
        "decides": course.decides,
        **_yardstick(course.by),
        "verdict": course.word,
        "values": [None if value is None else _finite(value) for value in course.values],
        "changes": [_step(step, course.by.scale) for step in course.steps],
    }


def _step(step: Step, scale: Scale) -> dict[str, Any]:
    change = step.change
    return {
        "run": step.run,
        "before": _back(change.before, scale),
        "after": _back(change.after, scale),
        "effect": _back(change.difference, scale),
        "interval": [_back(change.low, scale), _back(change.high, scale)],
        "p": _finite(change.p),
        "verdict": step.word,
        "machine_changed": step.on_other_machine or None,
        "differences": [_difference(one) for one in step.differences],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
