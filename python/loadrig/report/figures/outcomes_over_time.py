"""Failed requests a second over time, stacked by outcome."""

from itertools import cycle

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.outcomes_over_time import OutcomeFigureTexts
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline

TEXTS = texts_of(OutcomeFigureTexts)

_COLOURS: tuple[_time.Colour, ...] = ("red", "orange", "purple", "sky", "green", "grey")
_DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3))


def draw(view: str, time: Timeline) -> Figure | None:
    """Return outcomes other than ok, a second; None if every request ended well."""
    if not time.failures:
        return None
    styles = zip(cycle(_COLOURS), cycle(_DASHES), strict=False)
    lines = [
        _time.ChartLine(outcome, "1/s", band.mean, colour, dash=dash, fill=0.5, steps=True, width=1)
        for (outcome, band), (colour, dash) in zip(time.failures.items(), styles, strict=False)
    ]
    every = [
        sum(values) if (values := [v for v in column if v is not None]) else None
        for column in zip(*(band.mean for band in time.failures.values()), strict=True)
    ]
    return _time.figure(
        "outcomes",
        view,
        time,
        TEXTS.title,
        TEXTS.about,
        [_time.panel(lines, height=180, stacked=True)],
        TEXTS.caption,
        (_time.spark(TEXTS.failed, "1/s", time, every),),
    )
