"""Latency over the share of requests, in nines: the tail stretched out to be seen."""

import math
from collections.abc import Sequence

from loadrig._native import Histogram
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.model import Cell, Column, Figure, Table

# Shares at which the lines are read: 12 a nine up to five nines.
_STEPS = 60
_NINES = 12
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


def draw(name: str, histograms: Sequence[tuple[str, Histogram]]) -> Figure | None:
    """Return lines of labelled histograms; None if all are empty.

    A line ends where one answer is left: a histogram of 1,000 answers says nothing of 99.99 %.
    """
    known = [(label, histogram) for label, histogram in histograms if histogram.count]
    if not known:
        return None
    longest = max(histogram.count for _, histogram in known)
    lines = []
    for (label, histogram), (colour, dash, width) in zip(known, _LOOKS, strict=False):
        points = []
        for step in range(_STEPS + 1):
            beyond = 10 ** (-step / _NINES)
            if histogram.count * beyond < 1:
                break
            points.append(numbers.rounded(histogram.quantile_ns(1 - beyond) / 1e9))
        lines.append(
            {
                "label": label,
                "unit": "s",
                "colour": colour,
                "dash": list(dash),
                "width": width,
                "values": points,
            }
        )
    shares = [share for share, _ in _TICKS if share > 0 and longest * (1 - share) >= 1]
    table = Table(
        (Column("share of answers", "left"), *(Column(label) for label, _ in known)),
        tuple(
            (
                Cell(dict(_TICKS)[share]),
                *(
                    Cell(
                        numbers.amount(
                            h.quantile_ns(share) / 1e9 if h.count * (1 - share) >= 1 else None, "s"
                        )
                    )
                    for _, h in known
                ),
            )
            for share in shares
        ),
        caption="Latency below which this share of the good answers lies",
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
        "Latency by share of answers",
        "Each step to the right leaves a tenth of the slow answers; a line that climbs steeply at the"
        " right has a long tail. Measured part only, good answers only.",
        data,
        table,
    )
