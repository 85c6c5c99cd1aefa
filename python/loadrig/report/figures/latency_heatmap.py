"""Every good answer of a trial by time and latency: two humps, stripes and dips show here first."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.latency_heatmap import LatencyHeatmapTexts
from loadrig.report import numbers
from loadrig.report.model import Figure
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import HEAT_ROWS_A_DECADE, Timeline

TEXTS = texts_of(LatencyHeatmapTexts)

KINDS = {"response": TEXTS.response, "service": TEXTS.service}
"""Names of the kinds of times."""


def draw(view: str, time: Timeline, kind: str = "response") -> Figure | None:
    """Return counts by heat column and latency row; None if nothing was answered. kind: of the times."""
    if not time.heat.cells:
        return None
    rows = [row for _, row, _ in time.heat.cells]
    lowest, highest = min(rows), max(rows)
    by_column: list[list[int]] = [[] for _ in time.heat.columns]
    totals: dict[int, int] = {}
    for column, row, count in time.heat.cells:
        by_column[column] += [row - lowest, count]
        totals[row] = totals.get(row, 0) + count
    every = sum(totals.values())
    table = table_of(
        sorted(totals),
        left(
            TEXTS.latency,
            lambda row: TEXTS.between(numbers.amount(edge(row), "s"), numbers.amount(edge(row + 1), "s")),
        ),
        right(TEXTS.answers, lambda row: f"{totals[row]:,}"),
        right(TEXTS.share, lambda row: numbers.amount(totals[row] / every, "1")),
        caption=TEXTS.caption(KINDS[kind]),
        folded=True,
    )
    data = {
        "columns": [list(pair) for pair in time.heat.columns],
        "edges": [numbers.rounded(edge(row), 4) for row in range(lowest, highest + 2)],
        "cells": by_column,
        "height": 260,
    }
    return Figure(
        f"heat-{view}",
        "heat",
        TEXTS.title,
        TEXTS.about(KINDS[kind]),
        data,
        table,
    )


def edge(row: int) -> float:
    """Return the lower edge of a heat row, in seconds."""
    return float(10 ** (row / HEAT_ROWS_A_DECADE) * 1e-6)
