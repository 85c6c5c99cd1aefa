"""Document of a soak: the verdict on its recording, with the courses that charts show."""

from collections.abc import Sequence

import numpy as np
from msgspec import structs

from loadrig.base.clock import NS
from loadrig.base.documents import finite
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.soak import dips
from loadrig.judgement.soak.document import (
    DipDocument,
    LookDocument,
    SoakCourse,
    SoakDocument,
    SoakSummary,
    ThroughputDocument,
)
from loadrig.judgement.soak.drift import RouteCourse
from loadrig.judgement.soak.verdict import soak
from loadrig.language.choice import texts_of
from loadrig.language.en.proving import SoakingResultTexts
from loadrig.recording.manifest_document import AskedGoal
from loadrig.recording.reader import Recording
from loadrig.soaking.read import read
from loadrig.stats.arrays import Floats

TEXTS = texts_of(SoakingResultTexts)

COLUMNS = 240
"""Greatest number of columns of a chart of throughput; each has a mean, and its least and its greatest
second."""

MOST_ROUTES = 4
"""Number of routes whose latency is kept beside that of all routes together: those that drifted most."""


def document(recording: Recording, goals: Sequence[AskedGoal] | None = None) -> SoakSummary:
    """Return the answer of a soak with what its charts show, a `SoakDocument`.

    goals: those of the manifest, if left out. Without a frame in the recording the answer is unsure and has
    no courses: a `SoakSummary`.
    """
    case = case_of(recording)
    if case is None:
        return SoakSummary(verdict="unsure", headline=TEXTS.headline, sentences=())
    counted = read(recording, recording.manifest.goals if goals is None else goals)
    span = recording.manifest.measured
    ended = span.why if span and span.why else TEXTS.cut_short
    verdict = soak(case, counted, ended=ended)
    begin_s = (case.window_ns[0] - case.origin_ns) / NS
    drifting = [drift.route for drift in verdict.drifted if drift.route][:MOST_ROUTES]
    return SoakDocument(
        **structs.asdict(verdict),
        throughput=_throughput(case, begin_s),
        courses=tuple(_course(course) for course in counted.courses if course.route in ("", *drifting)),
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
        tuple(finite(value) for value in course.values),
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
