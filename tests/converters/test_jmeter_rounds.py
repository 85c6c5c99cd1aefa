"""Values below a controller of JMeter get their next one as its rounds do, or it is listed."""

from pathlib import Path

import pytest

from loadrig.converters._jmx_groups import TEXTS
from tests.converters.jmx import converted, element, group, property_of, sampler

ROWS = element("CSVDataSet", filename="rows.csv", recycle="true")
COUNTER = element(
    "CounterConfig", CounterConfig__name="id", CounterConfig__start="1", CounterConfig__incr="1"
)
RANDOM = element("RandomVariableConfig", variableName="id", minimumValue="1", maximumValue="9")
A, B, OTHER = sampler("a", "/a?u=${id}"), sampler("b", "/b?u=${id}"), sampler("other", "/other")


def loop(below: str) -> str:
    return element("LoopController", "loop", below, LoopController__loops="2")


def simple(below: str) -> str:
    return element("GenericController", "simple", below)


@pytest.mark.parametrize("values", [ROWS, COUNTER, RANDOM])
@pytest.mark.parametrize(
    ("below", "per", "is_listed"),
    [
        ("{0}" + A + loop(B), "loop", False),
        (A + loop("{0}" + B), "loop", True),
        (loop("{0}" + A + B), "loop", True),
        (OTHER + loop("{0}" + A + OTHER), "request", False),
        (OTHER + loop("{0}" + simple(A)), "request", False),
        (loop("{0}" + loop(A)), "loop", True),
        (simple("{0}" + A + B), "loop", False),
        (B + simple("{0}" + A), "loop", True),
        (simple(sampler("c", "/c?u=${id}", "{0}")), "loop", False),
    ],
)
def test_a_value_holds_as_long_as_a_round_or_it_is_listed(
    values: str, below: str, per: str, is_listed: bool, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("id\n1\n2\n3\n", encoding="utf-8")
    conversion = converted(group(below.replace("{0}", values)), tmp_path)
    (feed,) = conversion.plan.feeds.values()
    assert feed.feed.per == per
    assert (TEXTS.value_of_rounds in [part.how for part in conversion.altered]) == is_listed


def test_a_value_that_a_part_for_all_requests_has_is_listed(tmp_path: Path) -> None:
    header = property_of("Header.name", "X") + property_of("Header.value", "${id}")
    manager = (
        '<HeaderManager testclass="HeaderManager" testname="h" enabled="true">'
        f'<collectionProp name="HeaderManager.headers"><elementProp name="">{header}</elementProp>'
        "</collectionProp></HeaderManager>\n<hashTree/>\n"
    )
    conversion = converted(group(manager + loop(COUNTER + A)), tmp_path)
    assert TEXTS.value_of_rounds in [part.how for part in conversion.altered]
