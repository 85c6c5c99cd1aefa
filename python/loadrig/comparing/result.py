"""A comparison and a history become their documents."""

import math

from loadrig import __version__
from loadrig.base.estimate import Estimate
from loadrig.comparing.document import (
    ComparedDocument,
    ComparisonDocument,
    CourseDocument,
    HistoryDocument,
    MixDocument,
    PairsDocument,
    Reached,
    RunDocument,
    Scale,
    ShiftDocument,
    ShiftPoint,
    SideDocument,
    StepDocument,
)
from loadrig.comparing.history import History, LevelStep, MeasureCourse
from loadrig.comparing.judged import Compared, Comparison
from loadrig.comparing.shifts import RouteShift
from loadrig.comparing.side import Side


def of_comparison(comparison: Comparison) -> ComparisonDocument:
    """Return a comparison as a document, schema loadrig.comparison/2."""
    return ComparisonDocument(
        loadrig=__version__,
        verdict=comparison.word,
        a=_side(comparison.a),
        b=_side(comparison.b),
        pairing=PairsDocument(comparison.pairing.how, len(comparison.pairing.pairs)),
        compared=tuple(_compared(compared) for compared in comparison.compared),
        to_decide=comparison.cost,
        mix=MixDocument(comparison.mix.differs, comparison.mix.shares),
        shift=tuple(_shift(shift) for shift in comparison.shifts),
        differences=comparison.differences,
        warnings=comparison.warnings,
    )


def _side(side: Side) -> SideDocument:
    return SideDocument(
        name=side.name,
        plan=side.plan_name,
        setting=dict(side.setting),
        label=side.label,
        created=side.created or None,
        loadrig=side.loadrig or None,
        runs=tuple(str(run) for run in side.runs),
        blocks=len(side.blocks),
        trials={
            word: number
            for word in ("valid", "disturbed", "void", "failed")
            if (number := sum(trial.verdict == word for trial in side.trials))
        },
        seconds=sum(trial.seconds for trial in side.trials),
        machine=dict(side.machine),
    )


def _compared(compared: Compared) -> ComparedDocument:
    by, effect, verdict = compared.by, compared.effect, compared.verdict
    centre, interval = None, None
    if effect is not None:
        centre, low, high = (_back(y, by.scale) for y in (effect.centre, effect.low, effect.high))
        if low is not None and high is not None and effect.standard_error > 0:
            interval = (low, high)
    return ComparedDocument(
        measure=by.name,
        route=compared.route,
        standardised=compared.is_standardised,
        decides=compared.decides,
        unit=by.unit,
        better=by.better,
        equal_within=by.equal_within,
        scale=by.scale,
        a=_reached(compared.a),
        b=_reached(compared.b),
        effect=centre,
        interval=interval,
        confidence=0.95 if effect is None else effect.confidence,
        verdict="undecided" if verdict is None else verdict.word,
        differs=verdict is not None and verdict.is_different,
        p=_finite(compared.p),
        blocks=0 if effect is None else effect.n,
        how=compared.how,
        to_decide=compared.cost,
        note=compared.note,
    )


def _back(y: float, scale: Scale) -> float | None:
    """Return a value of the scale of comparison in its unit; None where it is not finite.

    Where the noise is hardly known a bound passes the largest float, so logarithms are cut at 700.
    """
    return _finite(_in_unit(y, scale))


def _in_unit(y: float, scale: Scale) -> float:
    return math.exp(min(y, 700.0)) if scale == "ratio" else y


def _reached(estimate: Estimate) -> Reached:
    return Reached(
        _finite(estimate.value), _finite(estimate.low), _finite(estimate.high), estimate.unit, estimate.n,
        estimate.of,
    )  # fmt: skip


def _shift(shift: RouteShift) -> ShiftDocument:
    points = tuple(ShiftPoint(p.quantile, p.a, p.b, p.ratio, (p.low, p.high)) for p in shift.points)
    return ShiftDocument(shift.route, shift.kind, shift.is_within, points)


def of_history(history: History) -> HistoryDocument:
    """Return a history as a document, schema loadrig.history/1."""
    return HistoryDocument(
        loadrig=__version__,
        verdict=history.word,
        plan=history.plan_name,
        newest=history.newest,
        runs=tuple(_run(side) for side in history.runs),
        courses=tuple(_course(course) for course in history.courses),
        left_out=dict(history.left_out),
    )


def _run(side: Side) -> RunDocument:
    return RunDocument(
        name=side.name,
        folder=str(side.runs[0]),
        created=side.created or None,
        loadrig=side.loadrig or None,
        trials=len(side.usable),
        machine=dict(side.machine),
    )


def _course(course: MeasureCourse) -> CourseDocument:
    by = course.by
    return CourseDocument(
        measure=by.name,
        decides=course.decides,
        unit=by.unit,
        better=by.better,
        equal_within=by.equal_within,
        scale=by.scale,
        verdict=course.word,
        values=tuple(_finite(value) for value in course.values),
        changes=tuple(_step(step, by.scale) for step in course.steps),
    )


def _step(step: LevelStep, scale: Scale) -> StepDocument:
    change = step.change
    return StepDocument(
        run=step.run,
        before=_in_unit(change.before, scale),
        after=_in_unit(change.after, scale),
        effect=_in_unit(change.difference, scale),
        interval=(_back(change.low, scale), _back(change.high, scale)),
        p=change.p,
        verdict=step.word,
        machine_changed=step.on_other_machine or None,
        differences=step.differences,
    )


def _finite(value: float | None) -> float | None:
    """Return a number that JSON has; None for any other and for none."""
    return float(value) if value is not None and math.isfinite(value) else None
