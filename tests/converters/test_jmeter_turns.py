"""Interleave Controllers of JMeter: the parts come in their turn, or by chance where no turn is known."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.converters import Conversion
from loadrig.converters._jmx_flow import MOST_FIRST_ROUNDS, MOST_ROUNDS
from loadrig.converters._jmx_groups import TEXTS
from tests.converters.jmx import converted, element, group, requests, sampler


def interleave(below: str, *, style: str = "1", **properties: object) -> str:
    keys: dict[str, Any] = {
        f"InterleaveControl__{key}": value for key, value in {"style": style, **properties}.items()
    }
    return element("InterleaveControl", "turns", below, **keys)


def paths(conversion: Conversion) -> list[str]:
    """Return the last letters of the paths that are requested."""
    return [(request.get or "").removeprefix("/") for request in requests(conversion)]


def is_by_chance(conversion: Conversion) -> bool:
    return any(part.how == TEXTS.in_turn_by_chance for part in conversion.altered)


def samplers(letters: str) -> str:
    return "".join(f"{sampler(letter, f'/{letter}')}" for letter in letters)


def test_a_loop_of_the_plan_is_a_turn_of_all_controllers(tmp_path: Path) -> None:
    conversion = converted(group(interleave(samplers("ab")) + interleave(samplers("xyz"))), tmp_path)
    assert paths(conversion) == list("axbyazbxaybz")
    assert len(conversion.plan.scenarios) == 1
    assert not is_by_chance(conversion)
    assert conversion.carried["Interleave Controller"] == 2


@pytest.mark.parametrize(
    ("loops", "sequence", "loops_of_plan"),
    [
        (1, "a", 1), (2, "ab", 1), (3, "abc", 1), (4, "abca", 1), (6, "abc", 2), (7, "abcabca", 1),
        (-1, "abc", None),
    ],
)  # fmt: skip
def test_a_user_makes_as_many_loops_as_a_thread(
    loops: int, sequence: str, loops_of_plan: int | None, tmp_path: Path
) -> None:
    conversion = converted(group(interleave(samplers("abc")), loops=loops), tmp_path)
    assert paths(conversion) == list(sequence)
    assert conversion.plan.limit.loops == loops_of_plan


def test_a_controller_within_another_and_in_a_loop_goes_on_at_each_visit(tmp_path: Path) -> None:
    inner = interleave(samplers("xy"))
    loop = element("LoopController", "loop", interleave(samplers("abc")), LoopController__loops=2)
    assert paths(converted(group(interleave(sampler("p", "/p") + inner)), tmp_path)) == list("pxpy")
    assert paths(converted(group(loop), tmp_path)) == list("abcabc")


def test_a_part_without_a_request_is_passed_over(tmp_path: Path) -> None:
    never = element("IfController", "never", samplers("n"), IfController__condition="false")
    assert paths(converted(group(interleave(never + samplers("ab"))), tmp_path)) == list("ab")
    assert paths(converted(group(interleave(never) + samplers("a")), tmp_path)) == list("a")


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"loops": 2, "continue_forever": "false"}, "abbaa"),
        ({"loops": 2, "continue_forever": "true"}, "abbabbabb"),
        ({"loops": 2}, "abbabbabb"),
        ({"continue_forever": "true"}, "aaa"),
        ({"continue_forever": "false"}, "aaa"),
    ],
)
def test_a_loop_controller_is_made_as_often_as_in_jmeter(
    properties: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    keys = {f"LoopController__{key}": value for key, value in properties.items()}
    below = sampler("a", "/a") + element("LoopController", "loop", sampler("b", "/b"), **keys)
    conversion = converted(group(below, loops=3), tmp_path)
    assert "".join(paths(conversion)) * (conversion.plan.limit.loops or 1) == expected


def by_chance() -> Iterator[tuple[str, str]]:
    turns = interleave(samplers("ab"))
    yield "across threads", group(interleave(samplers("ab"), accrossThreads="true"), threads=2)
    yield "within a choice", group(element("RandomController", "r", turns + samplers("c")))
    whole = element("GenericController", "whole", samplers("ab"))
    yield "one request of a part", group(interleave(whole + samplers("c"), style="0"))
    many = [chr(ord("a") + number % 26) * (1 + number // 26) for number in range(MOST_ROUNDS + 1)]
    yield "too many", group(interleave("".join(sampler(name, f"/{name}") for name in many)))
    chance = element("RandomController", "r", samplers("cd"))
    yield "too many variants", group(chance + interleave(samplers("abefghi")))


@pytest.mark.parametrize("below", [pytest.param(below, id=name) for name, below in by_chance()])
def test_parts_come_by_chance_where_no_turn_is_known(below: str, tmp_path: Path) -> None:
    conversion = converted(below, tmp_path)
    assert is_by_chance(conversion)
    assert "Interleave Controller" not in conversion.carried
    assert len(conversion.plan.scenarios) > 1
    assert all(len(scenario.steps) <= 2 for scenario in conversion.plan.scenarios)


def test_a_turn_across_threads_is_known_of_a_single_one(tmp_path: Path) -> None:
    below = interleave(samplers("ab"), accrossThreads="true")
    assert paths(converted(group(below, threads=1), tmp_path)) == list("ab")


def test_a_loop_by_chance_beside_turns_keeps_its_shares(tmp_path: Path) -> None:
    chance = element("RandomController", "r", samplers("cd"))
    conversion = converted(group(chance + interleave(samplers("ab"))), tmp_path)
    shares = {
        "".join((step.request.get or "")[1:] for step in scenario.steps): scenario.weight
        for scenario in conversion.plan.scenarios
    }
    assert shares == {"cacb": 0.25, "cadb": 0.25, "dacb": 0.25, "dadb": 0.25}


def test_a_group_with_turns_keeps_its_share_among_groups(tmp_path: Path) -> None:
    two = group(interleave(samplers("ab")), threads=4) + group(samplers("c"), threads=2)
    assert [scenario.weight for scenario in converted(two, tmp_path).plan.scenarios] == [2, 2]


def test_a_row_of_a_file_is_of_one_loop_of_the_thread(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n2\n3\n", encoding="utf-8")
    rows = element("CSVDataSet", "rows", filename="rows.csv", variableNames="n")
    below = rows + interleave(sampler("a", "/a?n=${n}") + sampler("b", "/b?n=${n}"))
    (feed,) = converted(group(below), tmp_path).plan.feeds.values()
    assert (feed.feed.order, feed.feed.per) == ("sequential", "request")


def test_a_row_that_requests_of_one_loop_of_the_thread_share_is_of_all_its_loops(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n2\n3\n", encoding="utf-8")
    rows = element("CSVDataSet", "rows", filename="rows.csv", variableNames="n")
    below = rows + sampler("c", "/c?n=${n}") + interleave(sampler("a", "/a?n=${n}") + sampler("b", "/b"))
    conversion = converted(group(below), tmp_path)
    (feed,) = conversion.plan.feeds.values()
    assert feed.feed.per == "loop"
    assert any(part.what.startswith("{rows}") for part in conversion.altered)


def test_a_request_of_a_first_loop_alone_is_not_made_in_others(tmp_path: Path) -> None:
    once = element("OnceOnlyController", "once", sampler("login", "/login"))
    conversion = converted(group(once + interleave(samplers("ab"))), tmp_path)
    assert paths(conversion) == list("ab")
    assert conversion.plan.login is not None
    assert conversion.plan.login.get == "/login"


def once(letters: str) -> str:
    return element("OnceOnlyController", "once", samplers(letters))


def test_several_requests_of_a_first_loop_are_made_in_it_alone(tmp_path: Path) -> None:
    conversion = converted(group(samplers("a") + once("xy") + samplers("b"), loops=3), tmp_path)
    assert paths(conversion) == list("axybabab")
    assert conversion.plan.limit.loops == 1
    assert conversion.carried["Once Only Controller"] == 1
    assert TEXTS.in_every_loop not in [part.how for part in conversion.altered]


@pytest.mark.parametrize("loops", [-1, MOST_FIRST_ROUNDS + 1])
def test_requests_of_a_first_loop_of_many_are_listed(loops: int, tmp_path: Path) -> None:
    conversion = converted(group(once("xy") + samplers("a"), loops=loops), tmp_path)
    assert paths(conversion) == list("xya")
    assert TEXTS.in_every_loop in [part.how for part in conversion.altered]


def test_requests_of_a_first_loop_beside_rows_are_listed(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n2\n3\n", encoding="utf-8")
    rows = element("CSVDataSet", "rows", filename="rows.csv", variableNames="n")
    conversion = converted(group(rows + once("xy") + sampler("a", "/a?n=${n}"), loops=2), tmp_path)
    assert TEXTS.in_every_loop in [part.how for part in conversion.altered]


@pytest.mark.parametrize(
    ("condition", "sequence", "how"),
    [
        ("false", "b", ""), ('${__jexl3("a" == "b")}', "b", ""), ("true", "ab", TEXTS.endless_loop),
        ("${open}", "ab", TEXTS.while_once), ('"${open}" == "b"', "ab", TEXTS.endless_loop),
    ],
)  # fmt: skip
def test_a_while_controller_whose_condition_the_test_fixes_is_decided(
    condition: str, sequence: str, how: str, tmp_path: Path
) -> None:
    loop = element("WhileController", "while", samplers("a"), WhileController__condition=condition)
    conversion = converted(group(loop + samplers("b")), tmp_path)
    assert paths(conversion) == list(sequence)
    assert not how or how in [part.how for part in conversion.altered]
