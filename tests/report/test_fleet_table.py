"""The table of a fleet: a row for each generator, the latest ones where there are many."""

import pytest

from loadrig.recording.fleet_document import FleetClock, FleetDelay, FleetDocument, FleetGenerator, FleetLabel
from loadrig.report.sections._fleet import ROWS_MOST, label_table, table


def fleet(count: int, order_us: float | None = None) -> FleetDocument:
    """Return a fleet whose last generators were the latest, and whose first one was lost."""
    generators = tuple(
        FleetGenerator(
            name=f"g{number}",
            host="a",
            label="eu" if number else "",
            requests=1_000 * number,
            due=0,
            sent=0,
            lag_us=FleetDelay(p50=1.0, p99=float(number), max=99.0) if number else None,
            clock_offset_us=FleetClock(low=10.0, high=30.0),
            lost="" if number else "gone",
        )
        for number in range(count)
    )
    return FleetDocument(generators=generators, orders=1, order_us=order_us)


def test_each_generator_has_a_row_and_a_lost_one_stands_out() -> None:
    built = table(fleet(3))
    assert [row[0].text for row in built.rows][1:] == ["g1", "g2"]
    # In words too: not every terminal shows what stands out.
    assert built.rows[0][0].text.removeprefix("g0")
    assert built.rows[2][2].text == "2,000"
    assert built.rows[0][-1].text == "±10 µs"
    assert built.marked == {0}
    assert built.notes == ()


@pytest.mark.parametrize("order_us", [None, 40.0])
def test_of_many_the_latest_are_shown_and_the_rest_is_said(order_us: float | None) -> None:
    built = table(fleet(ROWS_MOST + 5, order_us))
    assert len(built.rows) == ROWS_MOST
    assert built.rows[0][0].text == f"g{ROWS_MOST + 4}"
    assert len(built.notes) == (1 if order_us is None else 2)


def of_label(label: str, times: FleetDelay | None) -> FleetLabel:
    return FleetLabel(
        label=label, generators=2, due=1_000, sent=1_000, answered=999, failed=1, unsent=0, ok=998,
        response_us=times,
    )  # fmt: skip


def test_each_label_has_a_row_and_without_two_there_is_no_table() -> None:
    assert label_table(fleet(3)) == ()
    times = FleetDelay(p50=1_000.0, p99=2_000.0, max=3_000.0)
    labels = (of_label("", None), of_label("eu", times))
    (built,) = label_table(FleetDocument(generators=fleet(2).generators, labels=labels))
    assert [row[0].text for row in built.rows] == ["–", "eu"]
    assert [row[-1].text for row in built.rows] == ["–", "2 ms"]
