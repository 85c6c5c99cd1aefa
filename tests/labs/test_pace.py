"""A run at a share of a capacity is judged only while the machine is as fast as when that was measured."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.estimate import Estimate
from loadrig.labs import pace
from tests.wording import numbers


def estimates(cost_s: float | None) -> dict[str, Estimate]:
    return {} if cost_s is None else {"cpu_per_request": Estimate(cost_s, "s")}


def test_dearer_requests_say_that_the_machine_became_slower(snapshot: SnapshotAssertion) -> None:
    # What a lab of gunicorn-leak measured on a machine with neighbours.
    message = pace.of(637.0, estimates(0.00156)).slowed([estimates(0.00297)])
    assert numbers(message)[:3] == [2.97, 1.56, 637]
    assert message == snapshot


@pytest.mark.parametrize(
    ("before", "then"), [(0.0017, 0.0021), (0.0035, 0.0033), (None, 0.003), (0.0017, None)]
)
def test_what_costs_about_as_much_or_is_not_known_says_nothing(
    before: float | None, then: float | None
) -> None:
    assert pace.of(637.0, estimates(before)).slowed([estimates(then)]) == ""
    assert pace.of(637.0, estimates(before)).slowed([]) == ""
