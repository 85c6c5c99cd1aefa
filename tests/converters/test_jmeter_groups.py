"""Thread groups of JMeter beside each other: their loads are added, each up to its own end."""

from pathlib import Path

import pytest

from loadrig.base.units import Count, Seconds
from loadrig.converters import Conversion, TestSource
from loadrig.converters._jmx_groups import TEXTS, UNTIL_LOOPS_END_S
from loadrig.plan.arrivals import LoadStage, Users
from tests.converters.jmx import JMETER, converted, document, element, group, property_of, sampler


def lasting(path: str, threads: int, seconds: float | None, ramp: float = 0, loops: int = -1) -> str:
    keys = {} if seconds is None else {"scheduler": "true", "duration": seconds}
    return group(sampler(path, f"/{path}"), threads=threads, loops=loops, ramp_time=ramp, **keys)


def stages(*parts: tuple[float, float, float]) -> Users:
    return Users(stages=tuple(LoadStage(to, Seconds(over), Seconds(hold)) for to, over, hold in parts))


def hows(conversion: Conversion) -> list[str]:
    return [part.how for part in conversion.altered]


def test_a_group_with_a_ramp_is_added_to_those_that_begin_at_once(tmp_path: Path) -> None:
    below = lasting("slow", 10, 60, ramp=10) + lasting("fast", 50, 60)
    conversion = converted(below, tmp_path)
    assert conversion.plan.arrivals == stages((50, 0, 0), (60, 10, 50))
    assert TEXTS.ends_before_others not in hows(conversion)


def test_a_ramp_beside_a_single_thread_is_not_left_again(tmp_path: Path) -> None:
    conversion = converted(lasting("a", 10, None, ramp=10) + lasting("b", 1, None), tmp_path)
    assert conversion.plan.arrivals == stages((1, 0, 0), (11, 10, UNTIL_LOOPS_END_S - 10))
    assert TEXTS.ends_after_a_day in hows(conversion)


@pytest.mark.parametrize(("longest", "rest"), [(60, 50.0), (None, UNTIL_LOOPS_END_S - 10)])
def test_users_of_a_group_that_ends_are_gone(longest: float | None, rest: float, tmp_path: Path) -> None:
    conversion = converted(lasting("a", 10, longest) + lasting("b", 5, 10), tmp_path)
    assert conversion.plan.arrivals == stages((15, 0, 10), (10, 0, rest))
    assert hows(conversion).count(TEXTS.ends_before_others) == 1


def test_groups_of_one_length_are_one_number_of_users(tmp_path: Path) -> None:
    conversion = converted(lasting("a", 10, 60) + lasting("b", 5, 60), tmp_path)
    assert conversion.plan.arrivals == Users(count=Count(15))


@pytest.mark.parametrize(("is_asked", "groups"), [("true", 2), ("true", 1), ("false", 2)])
def test_groups_that_would_run_one_after_another_are_listed(
    is_asked: str, groups: int, tmp_path: Path
) -> None:
    below = "".join(group(sampler(str(number)), loops=3) for number in range(groups))
    whole = document(below).replace(
        'testname="plan" enabled="true"/>',
        'testname="plan" enabled="true">'
        f"{property_of('TestPlan.serialize_threadgroups', is_asked)}</TestPlan>",
    )
    (tmp_path / "test.jmx").write_text(whole, encoding="utf-8")
    conversion = JMETER.convert(TestSource(tmp_path / "test.jmx"))
    assert (TEXTS.not_in_sequence in hows(conversion)) == (is_asked == "true" and groups > 1)


@pytest.mark.parametrize(
    ("kind", "name", "value", "how"),
    [
        ("ConcurrencyThreadGroup", "Iterations", "5", TEXTS.iterations_of_threads),
        ("ConcurrencyThreadGroup", "Iterations", "", None),
        ("ArrivalsThreadGroup", "ConcurrencyLimit", "9", TEXTS.no_limit_at_once),
    ],
)
def test_properties_of_other_groups_that_a_plan_does_not_say_are_listed(
    kind: str, name: str, value: str, how: str | None, tmp_path: Path
) -> None:
    keys = {"TargetLevel": "9", "RampUp": "1", "Hold": "1", "Unit": "M", name: value}
    conversion = converted(element(kind, "g", sampler("a"), **keys), tmp_path)
    of_property = [part.how for part in conversion.altered if part.what.startswith(name)]
    assert of_property == ([] if how is None else [how])


def test_a_schedule_of_both_kinds_of_arrivals_is_listed(tmp_path: Path) -> None:
    for second, is_listed in (("even", True), ("random", False)):
        schedule = f"rate(1/s) random_arrivals(10 s) {second}_arrivals(10 s)"
        keys = {"OpenModelThreadGroup__schedule": schedule}
        conversion = converted(element("OpenModelThreadGroup", "g", sampler("a"), **keys), tmp_path)
        assert (TEXTS.arrivals_of_one_kind in hows(conversion)) == is_listed


def test_a_group_whose_loops_are_not_written_makes_none(tmp_path: Path) -> None:
    conversion = converted(group(sampler("a", "/a"), loops="") + group(sampler("b", "/b")), tmp_path)
    assert [scenario.steps[0].request.get for scenario in conversion.plan.scenarios] == ["/b"]
