"""Answer of a soak with its courses, from a recording, as its document."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.read import case_of
from loadrig.recording.reader import Recording
from loadrig.soaking import dips
from loadrig.soaking.document import (
    Bounds,
    Counted,
    DipDocument,
    DriftDocument,
    GrowthDocument,
    KeptDocument,
    LimitDocument,
    LookDocument,
    MissDocument,
    ShiftedMix,
    SoakCourse,
    SoakDocument,
    SoakSummary,
    ThroughputDocument,
)
from loadrig.soaking.drift import RouteCourse, RouteDrift
from loadrig.soaking.mix import MixChange
from loadrig.soaking.read import read
from loadrig.soaking.verdict import Growing, soak
from loadrig.soaking.windows import GoalKept
from loadrig.stats.arrays import Floats
from loadrig.stats.slope import Slope

NS = 1_000_000_000

COLUMNS = 240
"""Greatest number of columns of a chart of throughput; each has a mean, and its least and its greatest
second."""

MOST_ROUTES = 4
"""Number of routes whose latency is kept beside that of all routes together: those that drifted most."""


def document(recording: Recording, goals: Sequence[Mapping[str, Any]] | None = None) -> SoakSummary:
    """Return the answer of a soak with what its charts show, a `SoakDocument`.

    goals: those of the manifest, if left out. Without a frame in the recording the answer is unsure and has
    no courses: a `SoakSummary`.
    """
    case = case_of(recording)
    if case is None:
        return SoakSummary(verdict="unsure", headline="Nothing was measured.", sentences=())
    reading = read(recording, recording.manifest.get("goals") or () if goals is None else goals)
    ended = str((recording.manifest.get("measured") or {}).get("why") or "it was cut short")
    answer = soak(case, reading, ended=ended)
    begin_s = (case.window_ns[0] - case.origin_ns) / NS
    drifting = [drift.route for drift in answer.drifts if drift.word != "steady" and drift.route][
        :MOST_ROUTES
    ]
    return SoakDocument(
        verdict=answer.word,
        headline=answer.headline,
        sentences=tuple(answer.sentences),
        seconds=answer.seconds,
        requests=answer.requests,
        ended=answer.ended,
        growth=tuple(_growth(growth, begin_s) for growth in answer.growing),
        drift=tuple(_drift(trend) for trend in answer.drifts),
        mix=None if answer.mix is None else _mix(answer.mix),
        dips=answer.dips,
        goals=tuple(_kept(text, kept) for text, kept in answer.kept.items()),
        throughput=_throughput(case, begin_s),
        courses=tuple(_course(course) for course in reading.courses if course.route in ("", *drifting)),
        dips_at=_dips(case, begin_s),
        looks=tuple(
            LookDocument(round((event.t_ns - case.window_ns[0]) / NS, 3), event.text)
            for event in recording.events
            if event.kind == "look" and event.subject == "soak"
        ),
    )


def _throughput(case: Case, begin_s: float) -> ThroughputDocument:
    """Return good, offered and failed requests a second over the measured part, in columns for a chart."""
    inside = np.flatnonzero(case.is_inside)
    if not inside.size:
        return ThroughputDocument((), (), (), (), (), ())
    per_column = max(1, -(-inside.size // COLUMNS))
    parts = [inside[at : at + per_column] for at in range(0, inside.size, per_column)]
    if len(parts) > 1 and parts[-1].size < per_column / 2:
        parts.pop()  # too short to be compared with the others
    load = case.load

    def means(values: Floats) -> tuple[float, ...]:
        return tuple(round(float(values[part].mean()), 4) for part in parts)

    return ThroughputDocument(
        t_s=tuple(round(float(case.t_s[part].mean()) - begin_s, 3) for part in parts),
        mean=means(load.ok),
        low=tuple(round(float(load.ok[part].min()), 4) for part in parts),
        high=tuple(round(float(load.ok[part].max()), 4) for part in parts),
        offered=means(load.offered),
        failed=means(load.failed),
    )


def _course(course: RouteCourse) -> SoakCourse:
    return SoakCourse(
        course.route or None,
        course.measure,
        tuple(round(float(at), 3) for at in course.t_s),
        tuple(_number(value) for value in course.values),
    )


def _dips(case: Case, begin_s: float) -> tuple[DipDocument, ...]:
    """Return the dips of throughput, if they are harm."""
    case_dips = dips.reported(case)
    if case_dips is None:
        return ()
    t_s = case.t_s[case.is_inside] - begin_s
    return tuple(
        DipDocument(float(t_s[dip.first]), float(t_s[dip.last]), float(dip.depth)) for dip in case_dips.dips
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _slope(line: Slope | None) -> Counted | None:
    if line is None:
        return None
    return Counted(_number(line.value), _number(line.low), _number(line.high), line.n)


def _growth(growth: Growing, begin_s: float) -> GrowthDocument:
    course, figures, coming = growth.course, growth.course.slopes, growth.forecast
    t_s, values = course.together
    limit, reached = None, None
    if math.isfinite(course.limit):
        limit = LimitDocument(course.limit, course.limit_text)
    if coming is not None:
        reached = Bounds(_number(coming.in_s), _number(coming.soonest_s), _number(coming.latest_s))
    return GrowthDocument(
        component=course.component,
        kind=course.kind,
        what=course.short,
        unit=course.unit,
        verdict=figures.word,
        text=growth.text,
        a_request=_slope(figures.a_request),
        an_hour=_slope(figures.an_hour),
        follows=figures.follows or None,
        level=_number(figures.level),
        grown=_number(figures.grown),
        lives=figures.lives,
        workers=figures.workers,
        processes={name: _slope(line) for name, line in figures.by_process.items()},
        limit=limit,
        reached_in_s=reached,
        t_s=tuple(round(float(at) - begin_s, 3) for at in t_s),
        levels=tuple(values.tolist()),
    )


def _drift(trend: RouteDrift) -> DriftDocument:
    return DriftDocument(
        route=trend.route or None,
        measure=trend.measure,
        verdict=trend.word,
        text=trend.text,
        before=trend.before,
        after=trend.after,
        ratio=trend.ratio,
        low=_number(trend.low),
        high=_number(trend.high),
        p=trend.p,
        at_s=_number(trend.at_s),
    )


def _mix(load: MixChange) -> ShiftedMix:
    return ShiftedMix(load.text, load.shift, load.change, load.of_mix, load.of_routes, load.shares)


def _kept(text: str, kept: GoalKept) -> KeptDocument:
    return KeptDocument(
        text=text,
        met=kept.is_met,
        over_s=kept.over_s,
        stretches=kept.stretches,
        missed=kept.missed,
        unknown=kept.unknown,
        share=_number(kept.share),
        worst=_number(kept.worst),
        longest_s=kept.longest.length_s if kept.longest is not None else 0.0,
        misses=tuple(
            MissDocument(miss.from_s, miss.to_s, _number(miss.worst), miss.at_s) for miss in kept.misses
        ),
    )
