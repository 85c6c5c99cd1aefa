"""A run at a share of a capacity is judged only while the machine is as fast as when that was measured."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.labs import pace
from tests.wording import numbers


def result(cost_s: float | None, rps: float = 637.0) -> dict[str, Any]:
    """What is read of a trial's result."""
    estimates = {} if cost_s is None else {"cpu_per_request": {"value": cost_s}}
    return {"load": {"successful_rps": rps}, "estimates": estimates}


def test_dearer_requests_say_that_the_machine_became_slower(snapshot: SnapshotAssertion) -> None:
    # What a lab of gunicorn-leak measured on a machine with neighbours.
    message = pace.of(result(0.00156)).slowed([result(0.00297, 298.0)])
    assert numbers(message)[:3] == [2.97, 1.56, 637]
    assert message == snapshot


@pytest.mark.parametrize(
    ("before", "then"), [(0.0017, 0.0021), (0.0035, 0.0033), (None, 0.003), (0.0017, None)]
)
def test_what_costs_about_as_much_or_is_not_known_says_nothing(
    before: float | None, then: float | None
) -> None:
    assert pace.of(result(before)).slowed([result(then)]) == ""
    assert pace.of(result(before)).slowed([]) == ""
