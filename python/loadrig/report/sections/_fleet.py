"""The table of a fleet's generators, in the section on the rig's own health."""

from typing import Literal

from loadrig.language.choice import texts_of
from loadrig.language.en.report.fleet import FleetTableTexts
from loadrig.recording.fleet_document import FleetDocument, FleetGenerator, FleetLabel
from loadrig.report import numbers
from loadrig.report.model import Table
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(FleetTableTexts)

ROWS_MOST = 20
"""Largest number of generators that are shown, those that were latest first; result.json has all of them."""


def table(fleet: FleetDocument) -> Table:
    """Return a row for each generator."""
    shown = fleet.generators
    notes = []
    if len(shown) > ROWS_MOST:
        shown = tuple(sorted(shown, key=_p99, reverse=True)[:ROWS_MOST])
        notes.append(TEXTS.latest_of(str(ROWS_MOST), f"{len(fleet.generators):,}"))
    if fleet.order_us is not None:
        notes.append(TEXTS.orders_reached(numbers.amount(fleet.order_us / 1e6, "s")))
    return table_of(
        shown,
        left(TEXTS.name, _name),
        left(TEXTS.host, lambda each: f"{each.host} ({each.label})" if each.label else each.host, 1),
        right(TEXTS.requests, lambda each: f"{each.requests:,}"),
        right(TEXTS.lag, lambda each: _seconds(_p99(each)) if each.lag_us else "–", doc=TEXTS.lag_doc),
        right(TEXTS.busiest, lambda each: numbers.amount(each.busiest_thread_share, "1"), 2),
        right(TEXTS.clock, _clock, 1, doc=TEXTS.clock_doc),
        caption=TEXTS.caption,
        notes=tuple(notes),
        marked=lambda each: bool(each.lost),
    )


def label_table(fleet: FleetDocument) -> tuple[Table, ...]:
    """Return a row for the hosts of each label; no table without two labels."""
    if not fleet.labels:
        return ()
    return (
        table_of(
            fleet.labels,
            left(TEXTS.label, lambda each: each.label or "–"),
            right(TEXTS.generators, lambda each: f"{each.generators:,}"),
            right(TEXTS.due, lambda each: f"{each.due:,}"),
            right(TEXTS.unsent, lambda each: f"{each.unsent:,}"),
            right(TEXTS.ok, lambda each: f"{each.ok:,}"),
            right(TEXTS.p50, lambda each: _time(each, "p50"), doc=TEXTS.times_doc),
            right(TEXTS.p99, lambda each: _time(each, "p99"), doc=TEXTS.times_doc),
            caption=TEXTS.labels_caption,
        ),
    )


def _name(generator: FleetGenerator) -> str:
    """Return a generator's name, with what became of one that was lost: bold alone is not seen everywhere."""
    if not generator.lost:
        return generator.name
    has_successor = generator.taken_over_after_s is not None
    return TEXTS.replaced(generator.name) if has_successor else TEXTS.lost(generator.name)


def _time(row: FleetLabel, quantile: Literal["p50", "p99"]) -> str:
    return _seconds(getattr(row.response_us, quantile)) if row.response_us else "–"


def _p99(generator: FleetGenerator) -> float:
    return generator.lag_us.p99 if generator.lag_us else 0.0


def _clock(generator: FleetGenerator) -> str:
    """Return by how much an instant of the generator's host may be off, on the rig's clock."""
    offset = generator.clock_offset_us
    return f"±{_seconds((offset.high - offset.low) / 2)}"


def _seconds(microseconds: float) -> str:
    return numbers.amount(microseconds / 1e6, "s")
