"""Utilisation of every tier against the load, and where each would be full."""

from collections.abc import Sequence

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.facts.case import Case
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.ceilings import CeilingTexts
from loadrig.language.labels import label
from loadrig.report import numbers
from loadrig.report.figures._time import Colour
from loadrig.report.model import Figure, Table
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(CeilingTexts)

TITLE = TEXTS.title

MOST = 6
"""Number of limits that are drawn, the nearest first; the table has all."""

FARTHEST = 4.0
"""Multiple of the nearest limit or of the load that was run. A limit beyond it stands in the table alone."""

_COLOURS: tuple[Colour, ...] = ("red", "blue", "green", "purple", "orange", "grey")


def draw(view: str, case: Case, limits: Sequence[Ceiling]) -> Figure | None:
    """Return the chart; None where no limit could be foreseen. limits: `ceilings` of the diagnosis."""
    if not limits:
        return None
    load = case.load
    ended = sum((load.failed, load.logins), load.ok)
    ran = float(ended[case.is_inside].max()) if case.is_inside.any() else 0.0
    right = FARTHEST * max(min(limit.rps for limit in limits), ran)
    shown = [limit for limit in limits if limit.rps <= right][:MOST]
    lines = []
    for limit, colour in zip(shown, _COLOURS, strict=False):
        track = case.track(limit.component, limit.series, limit.subject)
        values = [] if track is None else (track.values / limit.servers).tolist()
        dots = [
            [numbers.rounded(float(x)), numbers.rounded(float(y))]
            for x, y, inside in zip(ended, values, case.is_inside, strict=False)
            if inside and x > 0 and y == y  # a step without a reading is NaN
        ]
        lines.append(
            {
                "label": TEXTS.limit_of(label(limit.what), limit.component),
                "colour": colour,
                "dots": dots,
                "idle": max(0.0, limit.used_share - load.ended_rps * limit.demand_s / limit.servers),
                "rps": limit.rps,
                "low": limit.low,
                "high": min(limit.high, right),
                "text": TEXTS.full_at_rate(show_number(limit.rps)),
            }
        )
    wide = max([ran, *(min(limit.high, right, 1.3 * limit.rps) for limit in shown)]) * 1.05
    return Figure(
        f"ceilings-{view}", "ceilings", TITLE, TEXTS.about,
        {"lines": lines, "wide": wide, "ran": load.ended_rps},
    )  # fmt: skip


def table(limits: Sequence[Ceiling], caption: str = TITLE) -> Table:
    """Return the limits in order, with what each rests on."""
    return table_of(
        limits,
        left(TEXTS.limit, lambda limit: TEXTS.limit_of(label(limit.what), limit.component)),
        right(TEXTS.full_at, lambda limit: f"{show_number(limit.rps)}/s"),
        right("95 %", lambda limit: f"{show_number(limit.low)} – {show_number(limit.high)}", 1),
        right(TEXTS.used_now, lambda limit: show_share(limit.used_share)),
        right(TEXTS.request_takes, lambda limit: show_duration(limit.demand_s), 2),
        caption=caption,
    )
