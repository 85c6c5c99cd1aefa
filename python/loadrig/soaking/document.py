"""Answer of a soak with its courses, from a recording, as a study's result holds it.

All its times are seconds since the begin of what was measured.
"""

import math
from typing import Any

import numpy as np

from loadrig.findings.case import Case
from loadrig.findings.read import case_of
from loadrig.recording.reader import Recording
from loadrig.soaking import dips
from loadrig.soaking.drift import Course
from loadrig.soaking.read import read
from loadrig.soaking.verdict import SCHEMA, soak
from loadrig.stats.arrays import Floats

NS = 1_000_000_000

COLUMNS = 240
"""Greatest number of columns of a chart of throughput; each has a mean, and its least and its greatest
second."""

MOST_ROUTES = 4
"""Number of routes whose latency is kept beside that of all routes together: those that drifted most."""


def document(recording: Recording) -> dict[str, Any]:
    """Return the answer of a soak with what its charts show.

    Without a frame in the recording the answer is unsure and has no courses.
    """
    case = case_of(recording)
    if case is None:
        return {"schema": SCHEMA, "verdict": "unsure", "headline": "Nothing was measured.", "sentences": []}
    goals = recording.manifest.get("goals") or ()
    reading = read(recording, goals)
    ended = str((recording.manifest.get("measured") or {}).get("why") or "it was cut short")
    answer = soak(case, reading, ended=ended)
    begin_s = (case.window_ns[0] - case.origin_ns) / NS
    answer_json = answer.to_json()
    for row in answer_json["growth"]:
        row["t_s"] = [round(at - begin_s, 3) for at in row["t_s"]]
    drifting = [drift.route for drift in answer.drifts if drift.word != "steady" and drift.route][
        :MOST_ROUTES
    ]
    return {
        **answer_json,
        "throughput": _throughput(case, begin_s),
        "courses": [_course(course) for course in reading.courses if course.route in ("", *drifting)],
        "dips_at": _dips(case, begin_s),
        "looks": [
            {"at_s": round((event.t_ns - case.window_ns[0]) / NS, 3), "text": event.text}
            for event in recording.events
            if event.kind == "look" and event.subject == "soak"
        ],
    }


def _throughput(case: Case, begin_s: float) -> dict[str, list[float | None]]:
    """Return good, offered and failed requests a second over the measured part, in columns for a chart."""
    inside = np.flatnonzero(case.is_inside)
    if not inside.size:
        return {"t_s": [], "mean": [], "low": [], "high": [], "offered": [], "failed": []}
    per_column = max(1, -(-inside.size // COLUMNS))
    parts = [inside[at : at + per_column] for at in range(0, inside.size, per_column)]
    if len(parts) > 1 and parts[-1].size < per_column / 2:
        parts.pop()  # too short to be compared with the others
    load = case.load

    def means(values: Floats) -> list[float | None]:
        return [round(float(values[part].mean()), 4) for part in parts]

    return {
        "t_s": [round(float(case.t_s[part].mean()) - begin_s, 3) for part in parts],
        "mean": means(load.ok),
        "low": [round(float(load.ok[part].min()), 4) for part in parts],
        "high": [round(float(load.ok[part].max()), 4) for part in parts],
        "offered": means(load.offered),
        "failed": means(load.failed),
    }


def _course(course: Course) -> dict[str, Any]:
    return {
        "route": course.route or None,
        "measure": course.measure,
        "t_s": [round(float(at), 3) for at in course.t_s],
        "values": [float(value) if math.isfinite(value) else None for value in course.values],
    }


def _dips(case: Case, begin_s: float) -> list[dict[str, float]]:
    """Return the dips of throughput, if they are harm."""
    case_dips = dips.found(case)
    if case_dips is None:
        return []
    t_s = case.t_s[case.is_inside] - begin_s
    return [
        {"from_s": float(t_s[dip.first]), "to_s": float(t_s[dip.last]), "depth": float(dip.depth)}
        for dip in case_dips.found
    ]
