"""A soak's answer with its courses, out of a recording: what a study's result holds of it.

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
"""Of a course of throughput: the mean of each, with its least and its greatest second."""

MOST_ROUTES = 4
"""Routes whose latency is kept beside that of all: those that drifted most."""


def document(recording: Recording) -> dict[str, Any]:
    """The answer and what its charts show. Of a recording without a frame nothing but the schema."""
    case = case_of(recording)
    if case is None:
        return {"schema": SCHEMA, "verdict": "unsure", "headline": "Nothing was measured.", "sentences": []}
    goals = recording.manifest.get("goals") or ()
    found = read(recording, goals)
    ended = str((recording.manifest.get("measured") or {}).get("why") or "it was cut short")
    answer = soak(case, found, ended=ended)
    begin_s = (case.window_ns[0] - case.origin_ns) / NS
    said = answer.to_json()
    for row in said["growth"]:
        row["t_s"] = [round(at - begin_s, 3) for at in row["t_s"]]
    drifting = [one.route for one in answer.drifts if one.word != "steady" and one.route][:MOST_ROUTES]
    return {
        **said,
        "throughput": _throughput(case, begin_s),
        "courses": [_course(one) for one in found.courses if one.route in ("", *drifting)],
        "dips_at": _dips(case, begin_s),
        "looks": [
            {"at_s": round((event.t_ns - case.window_ns[0]) / NS, 3), "text": event.text}
            for event in recording.events
            if event.kind == "look" and event.subject == "soak"
        ],
    }


def _throughput(case: Case, begin_s: float) -> dict[str, list[float | None]]:
    """Good answers a second over the measured part, and what was asked for and failed."""
    inside = np.flatnonzero(case.is_inside)
    if not inside.size:
        return {"t_s": [], "mean": [], "low": [], "high": [], "offered": [], "failed": []}
    each = max(1, -(-inside.size // COLUMNS))
    parts = [inside[at : at + each] for at in range(0, inside.size, each)]
    if len(parts) > 1 and parts[-1].size < each / 2:
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


def _course(one: Course) -> dict[str, Any]:
    return {
        "route": one.route or None,
        "measure": one.measure,
        "t_s": [round(float(at), 3) for at in one.t_s],
        "values": [float(value) if math.isfinite(value) else None for value in one.values],
    }


def _dips(case: Case, begin_s: float) -> list[dict[str, float]]:
    """Where throughput dipped, if that is harm."""
    found = dips.found(case)
    if found is None:
        return []
    t_s = case.t_s[case.is_inside] - begin_s
    return [
        {"from_s": float(t_s[one.first]), "to_s": float(t_s[one.last]), "depth": float(one.depth)}
        for one in found.found
    ]
