"""One budget for all that observing costs: by numbers alone, on a clock and a CPU of the test."""

import pytest

from loadrig.probes._purse import BUDGET_SHARE, REST_AT_FIRST, STARTS_S, WITHIN_S, Allotment, Purse


class _Machine:
    """A clock and a process whose CPU time the test decides. rest: share of a core beside the sensors."""

    def __init__(self, rest: float = REST_AT_FIRST) -> None:
        self.now_s = self.cpu_s = 0.0
        self.rest = rest
        self.purse = Purse(lambda: self.now_s, lambda: self.cpu_s)

    def run(self, seconds: float, *parts: Allotment) -> None:
        """Let time pass in steps of a second; each of these sensors uses just what it may."""
        for _ in range(round(seconds)):
            for part in parts:
                used_s = self.purse.share(part)
                self.purse.spend(part, used_s)
                self.cpu_s += used_s
            self.cpu_s += self.rest
            self.now_s += 1.0


def test_what_the_rest_leaves_is_divided_by_weight() -> None:
    machine = _Machine()
    looks = machine.purse.part("looks", 3.0, 0.001, 0.02)
    bursts = machine.purse.part("bursts", 2.0, 0.001, 0.02)
    remaining = BUDGET_SHARE - REST_AT_FIRST
    assert machine.purse.share(looks) == pytest.approx(0.6 * remaining)
    assert machine.purse.share(bursts) == pytest.approx(0.4 * remaining)


@pytest.mark.parametrize("rest", [0.0, 0.004, 0.012])
def test_all_together_use_the_budget_whatever_the_rest_costs(rest: float) -> None:
    machine = _Machine(rest)
    parts = [machine.purse.part("looks", 3.0, 0.002, 0.02), machine.purse.part("bursts", 2.0, 0.001, 0.02)]
    machine.run(10 * WITHIN_S, *parts)
    before = machine.cpu_s
    machine.run(20, *parts)
    assert (machine.cpu_s - before) / 20 == pytest.approx(BUDGET_SHARE, rel=0.01)


def test_who_is_at_its_least_takes_it_from_the_others_and_not_from_the_budget() -> None:
    machine = _Machine()
    dear = machine.purse.part("dear", 1.0, 0.008, 0.02)
    other = machine.purse.part("other", 9.0, 0.0, 0.02)
    assert machine.purse.share(dear) == pytest.approx(0.008)
    assert machine.purse.share(other) == pytest.approx(BUDGET_SHARE - REST_AT_FIRST - 0.008)


def test_what_is_beyond_the_most_of_a_part_goes_to_the_others() -> None:
    machine = _Machine()
    sated = machine.purse.part("sated", 9.0, 0.0, 0.002)
    other = machine.purse.part("other", 1.0, 0.0, 0.02)
    assert machine.purse.share(sated) == pytest.approx(0.002)
    assert machine.purse.share(other) == pytest.approx(BUDGET_SHARE - REST_AT_FIRST - 0.002)


def test_a_rest_that_takes_all_leaves_each_its_least() -> None:
    machine = _Machine(rest=0.5)
    parts = [machine.purse.part("looks", 3.0, 0.003, 0.02), machine.purse.part("bursts", 2.0, 0.002, 0.02)]
    machine.run(STARTS_S + 2, *parts)
    assert [machine.purse.share(part) for part in parts] == pytest.approx([0.003, 0.002])


def test_what_is_done_once_is_made_up_for_and_forgotten() -> None:
    machine = _Machine()
    looks = machine.purse.part("looks", 1.0, 0.0, 0.02)
    usual = machine.purse.share(looks)
    machine.cpu_s += 0.3
    machine.run(STARTS_S, looks)
    assert machine.purse.share(looks) == pytest.approx(usual), "a start says nothing of what follows"
    machine.cpu_s += 0.05
    machine.run(2, looks)
    assert machine.purse.share(looks) < 0.7 * usual
    machine.run(10 * WITHIN_S, looks)
    assert machine.purse.share(looks) == pytest.approx(usual, rel=0.01)


def test_who_was_asked_for_has_its_share_beside_the_budget() -> None:
    machine = _Machine(rest=0.5)
    asked = machine.purse.part("asked", 0.0, 0.05, 0.05)
    other = machine.purse.part("other", 1.0, 0.0, 0.02)
    assert machine.purse.share(other) == pytest.approx(BUDGET_SHARE - REST_AT_FIRST)
    machine.run(STARTS_S + 2, asked)
    assert machine.purse.share(asked) == pytest.approx(0.05)


def test_what_was_allotted_and_used_is_told() -> None:
    machine = _Machine()
    looks = machine.purse.part("looks", 1.0, 0.0, 0.006)
    machine.run(100, looks)
    facts = machine.purse.facts()
    assert facts["share"] == BUDGET_SHARE
    assert facts["rest"]["cpu_s"] == pytest.approx(100 * REST_AT_FIRST, rel=0.02)
    assert facts["parts"]["looks"]["cpu_s"] == pytest.approx(0.6)
    assert facts["parts"]["looks"]["allotted_s"] == pytest.approx(0.6, rel=0.02)
