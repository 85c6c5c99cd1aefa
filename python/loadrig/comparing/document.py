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


def of_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as a document, schema loadrig.comparison/2."""
    return {
        "schema": COMPARISON,
        "loadrig": __version__,
        "verdict": comparison.word,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "pairing": {"how": comparison.pairing.how, "pairs": len(comparison.pairing.pairs)},
        "compared": [_compared(compared) for compared in comparison.compared],
        "to_decide": _cost(comparison.cost),
        "mix": {
            "differs": comparison.mix.differs,
            "shares": [{"route": share.route, "a": share.a, "b": share.b} for share in comparison.mix.shares],
        },
        "shift": [_shift(shift) for shift in comparison.shifts],
        "differences": [_difference(difference) for difference in comparison.differences],
        "warnings": list(comparison.warnings),
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


def _compared(compared: Compared) -> dict[str, Any]:
    return {
        "measure": compared.by.name,
        "route": compared.route,
        "standardised": compared.is_standardised,
        "decides": compared.decides,
        **_yardstick(compared.by),
        "a": _estimate(compared.a),
        "b": _estimate(compared.b),
        **_effect(compared.effect, compared.by.scale),
        "verdict": "undecided" if compared.verdict is None else compared.verdict.word,
        "differs": compared.verdict is not None and compared.verdict.is_different,
        "p": None if compared.p is None else _finite(compared.p),
        "blocks": 0 if compared.effect is None else compared.effect.n,
        "how": compared.how,
        "to_decide": _cost(compared.cost),
        "note": compared.note,
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
    """Return a value of the scale of comparison in its unit; None where it is not finite.

    Where the noise is hardly known a bound passes the largest float, so logarithms are cut at 700.
    """
    return _finite(math.exp(min(y, 700.0)) if scale == "ratio" else y)


def _cost(cost: Cost | None) -> dict[str, Any] | None:
    return None if cost is None else {"pairs": cost.pairs, "seconds": cost.seconds}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _finite(estimate.value),
        "low": None if estimate.low is None else _finite(estimate.low),
        "high": None if estimate.high is None else _finite(estimate.high),
        "unit": estimate.unit,
        "n": estimate.n,
        "of": estimate.of,
    }


def _shift(shift: RouteShift) -> dict[str, Any]:
    return {
        "route": shift.route,
        "kind": shift.kind,
        "within_runs_only": shift.is_within,
        "points": [
            {"quantile": p.quantile, "a": p.a, "b": p.b, "effect": p.ratio, "interval": [p.low, p.high]}
            for p in shift.points
        ],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "area": difference.area,
        "name": difference.name,
        "a": difference.a,
        "b": difference.b,
        "touches_load": difference.touches_load,
    }


# --- history ------------------------------------------------------------------------------------


def of_history(history: History) -> dict[str, Any]:
    """Return a history as a document, schema loadrig.history/1."""
    return {
        "schema": HISTORY,
        "loadrig": __version__,
        "verdict": history.word,
        "plan": history.plan_name,
        "newest": history.newest,
        "runs": [_run(side) for side in history.runs],
        "courses": [_course(course) for course in history.courses],
        "left_out": dict(history.left_out),
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
        "differences": [_difference(difference) for difference in step.differences],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
