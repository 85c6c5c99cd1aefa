"""Latency over the share of requests, in nines: the tail stretched out to be seen."""

import math
from collections.abc import Sequence

from loadrig._native import Histogram
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.percentile_plot import PercentilePlotTexts
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.tables import FilledColumn, left, right, table_of

TEXTS = texts_of(PercentilePlotTexts)

_STEPS, _NINES = 60, 12
"""Number of shares at which a line is read in all, and for each nine: up to five nines."""

_TICKS = (
    (0.0, "0 %"),
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.9999, "99.99 %"),
    (0.99999, "99.999 %"),
)
_LOOKS: tuple[tuple[_time.Colour, tuple[int, ...], float], ...] = (
    ("blue", (), 2),
    ("orange", (6, 4), 2),
    ("grey", (2, 3), 2),
    ("green", (8, 3, 2, 3), 2),
)


def _column(label: str, histogram: Histogram) -> FilledColumn[tuple[float, str]]:
    """Return the times of a histogram by share; none where less than one answer lies beyond it."""

    def time(tick: tuple[float, str]) -> str:
        is_reached = histogram.count * (1 - tick[0]) >= 1
        return numbers.amount(histogram.quantile_ns(tick[0]) / 1e9 if is_reached else None, "s")

    return right(label, time)


def draw(name: str, histograms: Sequence[tuple[str, Histogram]]) -> Figure | None:
    """Return lines of labelled histograms; None if all are empty.

    A line ends where one answer is left: a histogram of 1,000 answers says nothing of 99.99 %.
    """
    answered = [(label, histogram) for label, histogram in histograms if histogram.count]
    if not answered:
        return None
    longest = max(histogram.count for _, histogram in answered)
    lines = []
    for (label, histogram), (colour, dash, width) in zip(answered, _LOOKS, strict=False):
        points = []
        for step in range(_STEPS + 1):
            beyond = 10 ** (-step / _NINES)
            if histogram.count * beyond < 1:
                break
            points.append(numbers.rounded(histogram.quantile_ns(1 - beyond) / 1e9))
        style = {"colour": colour, "dash": list(dash), "width": width}
        lines.append({"label": label, "unit": "s", **style, "values": points})
    table = table_of(
        [tick for tick in _TICKS if tick[0] > 0 and longest * (1 - tick[0]) >= 1],
        left(TEXTS.share_of_answers, lambda tick: tick[1]),
        *(_column(label, histogram) for label, histogram in answered),
        caption=TEXTS.caption,
        folded=True,
    )
    data = {
        "x": [round(step / _NINES, 4) for step in range(_STEPS + 1)],
        "ticks": [[round(-math.log10(1 - share), 4), text] for share, text in _TICKS],
        "lines": lines,
        "height": 280,
    }
    return Figure(
        f"percentiles-{name}",
        "percentiles",
        TEXTS.title,
        TEXTS.about,
        data,
        table,
    )
