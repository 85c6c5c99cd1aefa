"""Strips of a soak: what grows, latency, throughput with its dips; and where growth ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.judgement.soak.document import Bounds, GrowthDocument, SoakDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.soak_strips import SoakStripTexts
from loadrig.report import numbers, soak
from loadrig.report.model import Figure, Spark

TEXTS = texts_of(SoakStripTexts)

MOST_LEVELS = 4
"""Number of levels that are shown: those that leak first, then memory."""

COLOURS = ("blue", "orange", "green", "purple", "sky")

NEAR = 2.0
"""Multiple of the greatest value within which a limit is drawn: one further away would flatten the course."""

FAR_S = 365 * 86_400.0
"""Time in seconds to a limit, beyond which it is not drawn."""


def draw(answer: SoakDocument) -> Figure | None:
    """Return all strips on one axis; None for a soak of which nothing was read."""
    strips = [_level(row) for row in levels(answer)]
    strips += _latency(answer) + _throughput(answer)
    if not strips:
        return None
    return Figure(
        "soak-strips",
        "strips",
        TEXTS.title,
        TEXTS.about + (TEXTS.dashed_line if any(map(_has_slope, levels(answer))) else ""),
        {"end": answer.seconds, "strips": strips},
        spark=tuple(
            Spark(row.what, row.levels, soak.GROWTH[row.verdict][1])
            for row in levels(answer)[:2]
            if row.levels
        ),
    )


def levels(answer: SoakDocument) -> list[GrowthDocument]:
    """Return the levels that are worth a strip, in order."""
    rows = [row for row in answer.growth if len(row.t_s) > 1]
    rows = [row for row in rows if row.kind == "memory" or row.verdict not in ("level", "unsure")]
    return rows[:MOST_LEVELS]


def _level(row: GrowthDocument) -> dict[str, Any]:
    lines = [line(row.what, row.t_s, row.levels, "blue")]
    text = soak.GROWTH[row.verdict][1]
    if _has_slope(row):
        lines.append(_fitted(row))
    if row.is_leak:
        text = TEXTS.leaks(soak.size(row))
        if soak.reached(row) != "–":
            text += TEXTS.limit_in(soak.reached(row))
    strip: dict[str, Any] = {"title": _title(row), "text": text, "unit": row.unit, "lines": lines}
    limit = row.limit
    if limit is not None and limit.amount is not None:
        strip["limit"] = _limit(
            row, limit.amount, limit.text, is_shown=limit.amount <= NEAR * max(row.levels)
        )
    return strip


def _has_slope(row: GrowthDocument) -> bool:
    """Return whether one slope describes the whole course: lives that restarts divide have none together."""
    return row.is_leak and not row.lives


def _title(row: GrowthDocument) -> str:
    return numbers.capital(TEXTS.level_of(row.what, row.component))


def _limit(row: GrowthDocument, amount: float, text: str, *, is_shown: bool) -> dict[str, Any]:
    return {"y": amount, "shown": is_shown, "text": TEXTS.limit(text, numbers.amount(amount, row.unit))}


def _fitted(row: GrowthDocument) -> dict[str, Any]:
    """Return the hourly slope through the course's middle, with its interval."""
    t, values = row.t_s, row.levels
    hourly = row.an_hour or Bounds(0.0, 0.0, 0.0)
    slope = (hourly.value or 0.0) / 3600
    middle_t = (t[0] + t[-1]) / 2
    ordered = sorted(value - slope * (at - middle_t) for at, value in zip(t, values, strict=True))
    middle = ordered[len(ordered) // 2]
    ends = [t[0], t[-1]]

    return {
        "label": TEXTS.at_its_slope, "t": ends, "colour": "red", "dash": "6 4",
        "values": [middle + slope * (end - middle_t) for end in ends],
        "low": [_level_range(middle, hourly, end - middle_t)[0] for end in ends],
        "high": [_level_range(middle, hourly, end - middle_t)[1] for end in ends],
    }  # fmt: skip


def _level_range(middle: float, hourly: Bounds, past_s: float) -> tuple[float, float]:
    """Return the least and the greatest level at an instant by the ends of a slope's interval."""
    both = [middle + (slope or 0.0) / 3600 * past_s for slope in (hourly.high, hourly.low)]
    return min(both), max(both)


def _latency(answer: SoakDocument) -> list[dict[str, Any]]:
    """Return median and p95 of all routes, and the course that drifted of each route where one did."""
    whole = {row.measure: row for row in answer.courses if row.route is None}
    lines = [
        line(name, whole[measure].t_s, whole[measure].values, colour)
        for name, measure, colour in (("p95", "tail", "orange"), (TEXTS.median, "latency", "blue"))
        if measure in whole
    ]
    if not lines:
        return []
    own = [drift for drift in answer.drifted if drift.measure != "throughput" and drift.route is None]
    areas = [
        {
            "from": miss.from_s, "to": miss.to_s, "tone": "bad",
            "text": TEXTS.goal_missed(goal.text, numbers.amount(miss.worst, "s")),
        }
        for goal in answer.goals
        for miss in goal.misses
    ]  # fmt: skip
    steps = [drift for drift in own if drift.at_s is not None]
    text = own[0].text if own else TEXTS.steady
    if any(goal.misses for goal in answer.goals):
        text += TEXTS.red_missed_goal
    strips: list[dict[str, Any]] = [
        {
            "title": TEXTS.latency, "text": text, "unit": "s", "lines": lines, "zero": True, "areas": areas,
            "marks": [{"t": drift.at_s, "text": TEXTS.step} for drift in steps[:1]],
        }
    ]  # fmt: skip
    routes = [row for row in answer.courses if row.route is not None and row.measure == "latency"]
    if routes:
        strips.append(
            {
                "title": TEXTS.drifted_routes, "text": "", "unit": "s", "zero": True,
                "lines": [
                    line(row.route or "", row.t_s, row.values, COLOURS[number % len(COLOURS)])
                    for number, row in enumerate(routes)
                ],
            }
        )  # fmt: skip
    return strips


def _throughput(answer: SoakDocument) -> list[dict[str, Any]]:
    course = answer.throughput
    if len(course.t_s) < 2:
        return []
    t, ends = course.t_s, {"low": _rounded(course.low), "high": _rounded(course.high)}
    lines = [
        line(TEXTS.asked_for, t, course.offered, "grey", dash="5 3", width=1.2),
        line(TEXTS.good_answers, t, course.mean, "green", **ends),
    ]
    if any(value for value in course.failed):
        lines.append(line(TEXTS.failed, t, course.failed, "red", dash="4 3"))
    areas = [
        {
            "from": dip.from_s, "to": dip.to_s, "tone": "warn",
            "text": TEXTS.dip_by(numbers.amount(dip.depth, "1")),
        }
        for dip in answer.dips_at
    ]  # fmt: skip
    text = TEXTS.pale_band
    if areas:
        text = f"{answer.dips[0]}; {text}"
    more = {"lines": lines, "areas": areas, "zero": bool(areas)}
    return [{"title": TEXTS.throughput, "text": text, "unit": "1/s", **more}]


@dataclass(frozen=True, slots=True)
class _Ahead:
    """Growth that meets its limit soon enough to be drawn. in_s: after the end of the soak."""

    row: GrowthDocument
    coming: Bounds
    in_s: float
    limit: float
    limit_text: str


def ends(answer: SoakDocument) -> Figure | None:
    """Return where a leak meets its limit, with the interval; None where none does soon enough to draw."""
    ahead = [growth for row in levels(answer) if (growth := _ahead(row)) is not None]
    if not ahead:
        return None
    first = min(ahead, key=lambda growth: growth.in_s)
    return Figure(
        "soak-forecast",
        "strips",
        TEXTS.where_it_ends,
        TEXTS.about_end(first.limit_text, soak.reached(first.row)),
        _carried_on(first, answer.seconds),
    )


def _ahead(row: GrowthDocument) -> _Ahead | None:
    coming, limit = row.reached_in_s, row.limit
    if not row.is_leak or coming is None or limit is None:
        return None
    if coming.value is None or limit.amount is None or not 0 < coming.value <= FAR_S:
        return None
    return _Ahead(row, coming, coming.value, limit.amount, limit.text)


def _carried_on(ahead: _Ahead, seconds: float) -> dict[str, Any]:
    row, coming, limit = ahead.row, ahead.coming, ahead.limit
    level = row.level or 0.0
    latest = coming.high if coming.high is not None else 2 * ahead.in_s
    end = seconds + min(latest, 2 * ahead.in_s) * 1.05

    def at(until: float | None) -> list[float | None]:
        # Many points, so that a line that meets the limit stays there.
        slope = (limit - level) / until if until else 0.0
        return _rounded([min(limit, level + slope * part * (end - seconds)) for part in PARTS])

    points = [seconds + part * (end - seconds) for part in PARTS]
    lines = [
        line(TEXTS.measured, row.t_s, row.levels, "blue", width=2.4),
        {
            **line(TEXTS.carried_on, points, at(ahead.in_s), "red", dash="6 4"),
            "low": at(coming.high), "high": at(coming.low),
        },
    ]  # fmt: skip
    strip = {
        "title": _title(row),
        "text": soak.size(row),
        "unit": row.unit,
        "lines": lines,
        "zero": True,
        "limit": _limit(row, limit, ahead.limit_text, is_shown=True),
        "marks": [{"t": seconds, "text": TEXTS.end_of_soak}],
    }
    return {"end": end, "strips": [strip]}


PARTS = tuple(number / 60 for number in range(61))
"""Places along the forecast, 0 to 1: enough of them to show its bends at the limit."""


def line(
    label: str, t: Sequence[float], values: Sequence[float | None], colour: str, **style: Any
) -> dict[str, Any]:
    """Return a line of a strip. style: dash, width, and low and high of a band around it."""
    return {"label": label, "t": list(t), "values": _rounded(values), "colour": colour, **style}


def _rounded(values: Sequence[float | None]) -> list[float | None]:
    return [numbers.rounded(value, 5) for value in values]
