"""Strips of a spike: what was asked for and answered, what piled up, latency, failures, and the way back."""

from typing import Any

from loadrig.judgement.soak.document import SpikeDocument, SpikeSummary
from loadrig.report import numbers
from loadrig.report.figures.soak_strips import line
from loadrig.report.model import Figure, Spark


def draw(answer: SpikeSummary) -> Figure | None:
    """Return the run on one axis: the spike shaded, the usual band drawn; None without steps."""
    if not isinstance(answer, SpikeDocument) or len(answer.course.t_s) < 2:
        return None
    course = answer.course
    t, end = course.t_s, course.t_s[-1]
    spike = [{"from": answer.from_s, "to": answer.to_s, "tone": "plain", "text": "the spike"}]
    back = answer.back_s.value
    is_harmed = any(row.harmed for row in answer.measures.values())
    marks = []
    if is_harmed and back is not None:
        marks = [{"t": min(end, answer.to_s + back), "text": "back in its band"}]

    strips: list[dict[str, Any]] = [
        {
            "title": "Requests a second", "text": "", "unit": "1/s", "zero": True, "areas": spike,
            "lines": [
                line("asked for", t, course.offered, "grey", dash="5 3"),
                line("answered well", t, course.ok, "green"),
                *([line("failed", t, course.failed, "red")] if any(course.failed) else []),
            ],
        },
        {
            "title": "In flight", "text": _piled(answer), "unit": "", "zero": True, "areas": spike,
            "marks": marks,
            "lines": [line("in flight", t, course.in_flight, "purple"), *_band(answer, "in flight", end)],
        },
        {
            "title": "Latency", "text": "p90 of the good answers", "unit": "s", "zero": True, "areas": spike,
            "marks": marks,
            "lines": [line("p90", t, course.latency_s, "orange"), *_band(answer, "latency", end)],
        },
    ]  # fmt: skip
    most = f"at most {numbers.amount(answer.most_in_flight, '')}"
    about = (
        "The spike is shaded. A grey band is that in which a measure was before it;"
        " it is back when it stays there."
    )
    return Figure(
        "spike-strips", "strips", "The spike", about,
        {"end": end, "strips": strips, "ends": "time since the begin of the load"},
        spark=(Spark("in flight", tuple(course.in_flight), most), Spark("p90", tuple(course.latency_s))),
    )  # fmt: skip


def _piled(answer: SpikeDocument) -> str:
    growth = answer.piled_up_a_second
    if growth is None or growth.low is None or growth.low <= 0:
        return ""
    return f"{numbers.amount(growth.value, '')} a second piled up in the spike"


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
