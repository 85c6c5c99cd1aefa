"""Timers of JMeter: the pauses of a loop, and the rate that one of them sets for all requests."""

from pathlib import Path

import pytest

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.converters._jmx_groups import TEXTS
from loadrig.plan.arrivals import Rate, Users
from loadrig.plan.requests import Think
from tests.converters.jmx import converted, element, group, requests, sampler


def number_of(name: str, value: float) -> str:
    """Return a property as JMeter's own editor saves those of timers that set a rate."""
    return f"<doubleProp><name>{name}</name><value>{value}</value><savedValue>0.0</savedValue></doubleProp>"


def pacer(per_minute: float = 600, *, name: str = "pace", kind: str = "ConstantThroughputTimer") -> str:
    return (
        f'<{kind} testclass="{kind}" testname="{name}" enabled="true"><intProp name="calcMode">1</intProp>'
        f"{number_of('throughput', per_minute)}</{kind}>\n<hashTree/>\n"
    )


def constant(ms: int) -> str:
    return element("ConstantTimer", f"{ms} ms", ConstantTimer__delay=ms)


def action(ms: int, below: str = "") -> str:
    return element("TestAction", "think", below, ActionProcessor__action=1, ActionProcessor__duration=ms)


def test_the_timer_below_an_action_is_a_pause(tmp_path: Path) -> None:
    timer = element("UniformRandomTimer", "t", ConstantTimer__delay=1000, RandomTimer__range=100)
    conversion = converted(group(sampler("a") + action(0, timer) + sampler("b")), tmp_path)
    between, behind = requests(conversion)
    assert between.think == Think(uniform=(Seconds(1.0), Seconds(1.1)))
    assert behind.think is None
    assert conversion.carried["Uniform Random Timer"] == 1


def test_timers_around_an_action_hold_for_it_as_for_a_request(tmp_path: Path) -> None:
    below = constant(300) + sampler("a") + action(1000) + sampler("b")
    assert [request.think for request in requests(converted(group(below), tmp_path))] == [
        Think(constant=Seconds(1.6)),
        Think(constant=Seconds(0.3)),
    ]


def test_an_action_is_a_choice_among_requests(tmp_path: Path) -> None:
    chance = element("RandomController", "r", action(1000) + sampler("b"))
    scenarios = converted(group(sampler("a") + chance), tmp_path).plan.scenarios
    pauses = [[step.request.think for step in scenario.steps] for scenario in scenarios]
    assert pauses == [[Think(constant=Seconds(1.0))], [None, None]]


@pytest.mark.parametrize(
    ("kind", "per_second"), [("ConstantThroughputTimer", 10.0), ("PreciseThroughputTimer", 600 / 3600)]
)
def test_a_rate_is_read_as_the_editor_saves_it(kind: str, per_second: float, tmp_path: Path) -> None:
    conversion = converted(group(pacer(kind=kind) + sampler("a"), threads=3), tmp_path)
    rate = Rate(per_second=PerSecond(round(per_second, 9)), identities=Count(3))
    assert conversion.plan.arrivals == rate
    assert not conversion.dropped


def test_a_share_of_a_controller_is_read_as_the_editor_saves_it(tmp_path: Path) -> None:
    name = "ThroughputController.percentThroughput"
    some = (
        '<ThroughputController testclass="ThroughputController" testname="some" enabled="true">'
        f'<intProp name="ThroughputController.style">1</intProp>{number_of(name, 25.0)}'
        f"</ThroughputController>\n<hashTree>{sampler('b')}</hashTree>\n"
    )
    scenarios = converted(group(sampler("a") + some), tmp_path).plan.scenarios
    assert sorted(scenario.weight for scenario in scenarios) == [0.25, 0.75]


@pytest.mark.parametrize("place", ["controller", "sampler"])
def test_a_rate_that_holds_for_all_requests_is_that_of_the_plan_wherever_it_stands(
    place: str, tmp_path: Path
) -> None:
    below = sampler("a", below=pacer())
    if place == "controller":
        below = element("GenericController", "all", pacer() + sampler("a") + sampler("b"))
    conversion = converted(group(below), tmp_path)
    assert conversion.plan.arrivals == Rate(per_second=PerSecond(10.0), identities=Count(1))


def test_a_rate_for_some_requests_is_listed_by_its_place(tmp_path: Path) -> None:
    inner = element("GenericController", "some", pacer(name="of some") + sampler("a"))
    below = inner + sampler("b", below=pacer(name="of b")) + action(0, pacer(name="of action"))
    conversion = converted(group(below), tmp_path)
    assert isinstance(conversion.plan.arrivals, Users)
    assert [(part.what.partition('"')[2], part.why) for part in conversion.dropped] == [
        (f'of {name}"', TEXTS.rate_of_part) for name in ("some", "b", "action")
    ]


def test_a_second_rate_and_the_limit_of_loops_are_listed(tmp_path: Path) -> None:
    below = pacer() + pacer(60, name="second") + sampler("a")
    conversion = converted(group(below, loops=5) + group(sampler("b")), tmp_path)
    assert conversion.plan.arrivals == Rate(per_second=PerSecond(10.0), identities=Count(2))
    assert [part.why for part in conversion.dropped] == [TEXTS.second_rate]
    how = [part.how for part in conversion.altered]
    assert TEXTS.loops_at_a_rate in how
    assert how.count(TEXTS.rate_of_other_group) == 1
