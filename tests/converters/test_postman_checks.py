"""Tests and conditions of Postman's scripts: checks of values, and the order of requests."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.base.units import Seconds
from loadrig.converters import Conversion
from loadrig.converters._pm_jumps import jumps_of
from loadrig.converters._pm_scripts import read_script
from loadrig.plan.passages import Condition, Repeat, When
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.value_checks import ValueCheck, ValueComparison
from tests.converters.documents import converted_document
from tests.converters.test_postman import SCHEMA, requests_of, script

NULL = ValueComparison(json="$.a", is_null=True)


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("pm.expect(json.a).to.exist", Expect(values=(ValueCheck(json="$.a", is_set=True),))),
        ("pm.test('has a', () => pm.expect(json.a).to.exist)",
         Expect(values=(ValueCheck(json="$.a", is_set=True, name="has a"),))),
        ("pm.test('has a', function () { pm.expect(json).to.have.property('a'); })",
         Expect(values=(ValueCheck(json="$.a", is_set=True, others=(NULL,), name="has a"),))),
        ("pm.expect(json.a).to.not.exist", Expect(values=(ValueCheck(json="$.a", is_set=False),))),
        ("pm.expect(json.a)\n  .to.be.above(2)", Expect(values=(ValueCheck(json="$.a", above=2.0),))),
        ("pm.expect(json.a).to.eql('b')", Expect(json={"$.a": "b"})),
        ("pm.expect(json.a).to.be.true", Expect(json={"$.a": True})),
        ("pm.expect(json.a).to.not.eql('b')", Expect(values=(ValueCheck(json="$.a", other="b"),))),
        ("pm.response.to.have.header('X-Id')", Expect(values=(ValueCheck(header="X-Id", is_set=True),))),
        ("pm.expect(pm.response.text()).to.include('b')", Expect(contains=("b",))),
        ("pm.expect(pm.response.responseTime).to.be.below(200)", Expect(time=Seconds(0.2))),
        ("tests['n'] = json.a !== undefined && json.b > 1",
         Expect(values=(ValueCheck(json="$.a", is_set=True, others=(NULL,), name="n"),
                        ValueCheck(json="$.b", above=1.0, name="n")))),
        ("pm.expect(json.a).to.be.a('string')", None),
        ("pm.expect(json.a).to.have.lengthOf(2)", None),
        ("pm.expect(json.a).to.exist.and.to.be.above(2)", None),
        ("pm.expect(other.a).to.exist", None),
        ("pm.expect(json.a).to.eql(pm.environment.get('a'))", None),
        ("if (x) { pm.expect(json.a).to.exist }", None),
    ],
)  # fmt: skip
def test_a_test_becomes_what_is_expected_or_is_left_out(text: str, expect: Expect | None) -> None:
    read = read_script(f"const json = pm.response.json();\n{text};")
    assert read.expect == (expect or Expect())
    assert bool(read.left_out) == (expect is None)


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("pm.response.code === 201", Extract(json="$.t")),
        ("pm.response.code >= 200 && pm.response.code < 300", Extract(json="$.t")),
        ("json.t", Extract(json="$.t", optional=True)),
        ("pm.response.code === 200 && json.t !== null && json.t", None),
        ("json.t != null", Extract(json="$.t", optional=True)),
        ("json.other", None),
        ("pm.response.code === 404", None),
        ("json.t > 1", None),
    ],
)
def test_a_value_of_some_answers_is_taken_where_a_plan_can_say_of_which(
    condition: str, place: Extract | None
) -> None:
    text = f"const json = pm.response.json();\nif ({condition}) {{ pm.environment.set('t', json.t); }}"
    read = read_script(text)
    assert read.extracts == ({} if place is None else {"t": place})
    assert bool(read.left_out) == (place is None)


def ordered(folder: Path, **scripts: str) -> Conversion:
    """Return the plan of requests a, b, c and d, which have these scripts."""
    items: list[Any] = [{"name": name, "request": f"http://127.0.0.1/{name}"} for name in "abcd"]
    for item in items:
        if item["name"] in scripts:
            item["event"] = [script(scripts[item["name"]])]
    return converted_document("postman", {"info": {"name": "o", "schema": SCHEMA}, "item": items}, folder)


IS_404 = Condition("status", equal="404")
NOT_404 = Condition("status", other="404")


@pytest.mark.parametrize(
    ("call", "step", "when", "repeat"),
    [
        ("postman.setNextRequest('d')", "b", When((NOT_404,), "c"), None),
        ("pm.execution.setNextRequest('c');", "b", When((NOT_404,)), None),
        ("postman.setNextRequest(null)", "b", When((NOT_404,), "d"), None),
        ("postman.setNextRequest('a')", "a", None, Repeat(until=(NOT_404,))),
    ],
)
def test_a_jump_under_a_condition_is_when_or_repeat(
    call: str, step: str, when: When | None, repeat: Repeat | None, tmp_path: Path
) -> None:
    conversion = ordered(tmp_path, a=f"if (pm.response.code === 404) {{ {call} }}")
    steps = {str(request.name): request for request in requests_of(conversion)}
    assert (steps[step].when, steps[step].repeat) == (when, repeat)
    assert steps["a"].extract == {"status": Extract(part="status", default="0")}
    assert conversion.dropped == ()


def test_a_jump_of_the_other_branch_has_the_opposite_condition(tmp_path: Path) -> None:
    text = "if (pm.response.code === 404) postman.setNextRequest('a'); else postman.setNextRequest('d');"
    first, second, *_ = requests_of(ordered(tmp_path, a=text))
    assert first.repeat == Repeat(until=(NOT_404,))
    assert second.when == When((IS_404,), "c")


def test_what_is_gone_past_in_any_case_is_left_out_and_listed(tmp_path: Path) -> None:
    conversion = ordered(tmp_path, a="postman.setNextRequest('c')", c="postman.setNextRequest('d')")
    assert [request.name for request in requests_of(conversion)] == ["a", "c", "d"]
    assert [part.place for part in conversion.dropped] == ["b"]


@pytest.mark.parametrize(
    "text",
    [
        "postman.setNextRequest('a')",  # for ever
        "postman.setNextRequest('nobody')",
        "postman.setNextRequest(pm.environment.get('next'))",
        "if (Math.random() < 0.5) postman.setNextRequest('d')",
        "for (;;) { postman.setNextRequest('d') }",
        "pm.test('x', () => { postman.setNextRequest('d') })",
    ],
)
def test_an_order_that_a_plan_cannot_say_is_listed(text: str, tmp_path: Path) -> None:
    conversion = ordered(tmp_path, a=text)
    assert [request.when or request.repeat for request in requests_of(conversion)] == [None] * 4
    assert [part.place for part in conversion.dropped] == ["a"]


def test_jumps_that_part_each_other_are_not_both_carried(tmp_path: Path) -> None:
    jump = "if (pm.response.code === 404) postman.setNextRequest"
    conversion = ordered(tmp_path, a=f"{jump}('c')", b=f"{jump}('d')")
    assert [bool(request.when) for request in requests_of(conversion)] == [False, True, False, False]
    assert [part.place for part in conversion.dropped] == ["b"]


def test_a_script_keeps_what_is_no_jump() -> None:
    jumps, rest = jumps_of("a();\nif (pm.response.code === 404) { b(); postman.setNextRequest(null); }\nc();")
    assert [jump.target for jump in jumps] == [None]
    assert "setNextRequest" not in rest
    assert all(name in rest for name in ("a()", "b()", "c()"))
