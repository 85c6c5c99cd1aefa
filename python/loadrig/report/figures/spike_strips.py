"""Strips of a spike: what was asked for and answered, what piled up, latency, failures, and the way back."""

from typing import Any

from loadrig.judgement.soak.document import SpikeDocument, SpikeSummary
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.spike_strips import SpikeStripTexts
from loadrig.report import numbers
from loadrig.report.figures.soak_strips import line
from loadrig.report.model import Figure, Spark

TEXTS = texts_of(SpikeStripTexts)

IN_FLIGHT, LATENCY = "in flight", "latency"
"""Measures of a spike whose usual band is drawn."""


def draw(answer: SpikeSummary) -> Figure | None:
    """Return the run on one axis: the spike shaded, the usual band drawn; None without steps."""
    if not isinstance(answer, SpikeDocument) or len(answer.course.t_s) < 2:
        return None
    course = answer.course
    t, end = course.t_s, course.t_s[-1]
    spike = [{"from": answer.from_s, "to": answer.to_s, "tone": "plain", "text": TEXTS.spike}]
    back = answer.back_s.value
    is_harmed = any(row.harmed for row in answer.measures.values())
    marks = []
    if is_harmed and back is not None:
        marks = [{"t": min(end, answer.to_s + back), "text": TEXTS.back_in_band}]

    strips: list[dict[str, Any]] = [
        {
            "title": TEXTS.requests_a_second, "text": "", "unit": "1/s", "zero": True, "areas": spike,
            "lines": [
                line(TEXTS.asked_for, t, course.offered, "grey", dash="5 3"),
                line(TEXTS.answered_well, t, course.ok, "green"),
                *([line(TEXTS.failed, t, course.failed, "red")] if any(course.failed) else []),
            ],
        },
        {
            "title": TEXTS.in_flight_title, "text": _piled(answer), "unit": "", "zero": True, "areas": spike,
            "marks": marks,
            "lines": [line(TEXTS.in_flight, t, course.in_flight, "purple"), *_band(answer, IN_FLIGHT, end)],
        },
        {
            "title": TEXTS.latency, "text": TEXTS.p90_of_good_answers, "unit": "s", "zero": True,
            "areas": spike, "marks": marks,
            "lines": [line("p90", t, course.latency_s, "orange"), *_band(answer, LATENCY, end)],
        },
    ]  # fmt: skip
    has_band = any(row in answer.measures for row in (IN_FLIGHT, LATENCY))
    most = TEXTS.at_most(numbers.amount(answer.most_in_flight, ""))
    return Figure(
        "spike-strips", "strips", TEXTS.title, TEXTS.about + (TEXTS.grey_band if has_band else ""),
        {"end": end, "strips": strips, "ends": TEXTS.time_since_begin},
        spark=(Spark(TEXTS.in_flight, tuple(course.in_flight), most), Spark("p90", tuple(course.latency_s))),
    )  # fmt: skip


def _piled(answer: SpikeDocument) -> str:
    growth = answer.piled_up_a_second
    if growth is None or growth.low is None or growth.low <= 0:
        return ""
    return TEXTS.piled_up(numbers.amount(growth.value, ""))


def _band(answer: SpikeDocument, measure: str, end: float) -> list[dict[str, Any]]:
    """Return the usual level and its band, as a line."""
    row = answer.measures.get(measure)
    if row is None:
        return []
    level, band = row.level, row.band
    return [
        {
            "label": "", "t": [0, end], "values": [level, level], "colour": "grey", "dash": "2 3", "width": 1,
            "low": [max(0.0, level - band)] * 2, "high": [level + band] * 2,
        }
    ]  # fmt: skip
