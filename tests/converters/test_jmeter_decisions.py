"""If and While Controllers of JMeter that answers decide: what a plan says the same, and what is listed."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.base.units import Count
from loadrig.converters import Conversion, convert_files
from loadrig.converters._jmx_decisions import ROUNDS, TEXTS
from loadrig.plan.load import load
from loadrig.plan.passages import Comparison, Condition, Conditions, Repeat, When
from loadrig.plan.requests import Extract, Request
from tests.converters.jmx import converted, document, element, group, requests, sampler

JMETER = members.load("loadrig.converters", "jmeter")

DONE, NOT_DONE = Condition("state", equal="done"), Condition("state", other="done")


HAS_STATE = Condition("state", is_set=True)


def either(*parts: Comparison) -> Condition:
    names = [part.name for part in fields(Comparison)]
    return Condition.any_of([Comparison(**{name: getattr(part, name) for name in names}) for part in parts])


def text_is(name: str, text: str) -> Condition:
    return Condition(name, equal=text)


def extractor(name: str, default: str = "") -> str:
    keys: dict[str, Any] = {"referenceNames": name, "jsonPathExprs": f"$.{name}", "defaultValues": default}
    return element("JSONPostProcessor", name, **{f"JSONPostProcessor__{key}": keys[key] for key in keys})


def regex_extractor(name: str, default: str = "") -> str:
    keys = {"refname": name, "regex": "s=(.+?);", "template": "$1$", "default": default}
    return element("RegexExtractor", name, **{f"RegexExtractor__{key}": keys[key] for key in keys})


def polled(name: str = "poll", default: str = "") -> str:
    return sampler(name, f"/{name}", extractor("state", default) + extractor("kind"))


def loop(below: str, condition: str = '${__jexl3("${state}" != "done")}') -> str:
    return element("WhileController", "while", below, WhileController__condition=condition)


def choice(below: str, condition: str = '"${state}" == "done"') -> str:
    return element("IfController", "if", below, IfController__condition=condition)


def read(below: str, folder: Path) -> tuple[Request, ...]:
    """Return the requests of the plan that a test becomes, which is read whole."""
    path = folder / "test.jmx"
    path.write_text(document(group(below)), encoding="utf-8")
    plan = folder / "plan.yaml"
    convert_files([path], JMETER, plan)
    return load(plan).workload.requests


def notes(conversion: Conversion, kind: str) -> list[str]:
    return [part.how for part in conversion.altered if kind in part.what]


def test_a_loop_that_answers_end_is_made_again_while_its_condition_holds(tmp_path: Path) -> None:
    order, poll, end = read(sampler("order", "/order") + loop(polled()) + sampler("end", "/end"), tmp_path)
    assert poll.repeat == Repeat(going=(NOT_DONE,), at_most=Count(ROUNDS))
    assert (order.repeat, end.repeat, poll.when) == (None, None, None)


def test_a_round_of_several_requests_reaches_to_its_last(tmp_path: Path) -> None:
    _, poll, *_ = read(sampler("a") + loop(polled() + sampler("b", "/b") + sampler("c", "/c")), tmp_path)
    assert poll.repeat is not None
    assert poll.repeat.through == "c"


def test_the_pause_of_a_round_stands_between_its_rounds(tmp_path: Path) -> None:
    timer = element("ConstantTimer", "timer", ConstantTimer__delay=700)
    pause = element("TestAction", "pause", ActionProcessor__action=1, ActionProcessor__duration=300)
    poll = sampler("poll", "/poll", extractor("state") + timer)
    steps = read(sampler("a", "/a") + loop(poll + pause) + sampler("end", "/end"), tmp_path)
    assert [step.think.constant if step.think else None for step in steps] == [0.7, 1.0, None]


def test_requests_that_an_answer_decides_have_its_condition(tmp_path: Path) -> None:
    below = polled() + choice(sampler("x", "/x") + sampler("y", "/y")) + choice(sampler("z", "/z"), "${kind}")
    _, first, second, third = read(below, tmp_path)
    assert first.when == When(holds=(DONE,), through="y")
    assert second.when is None
    assert third.when == When(holds=(Condition("kind", equal="true"),))


@pytest.mark.parametrize(
    ("condition", "conditions"),
    [
        ('${__groovy(vars.get("state") != "done")}', (NOT_DONE,)),
        ("${__groovy(vars.get('state').equals('done'))}", (DONE,)),
        ('${__groovy(!vars.get("state").equals("done"),)}', (NOT_DONE,)),
        ("'done' == '${state}'", (DONE,)),
        ('${__jexl3("${state}" == "done" && ("${kind}" != ""),)}', (DONE, Condition("kind", other=""))),
        ("${__jexl3(${state} eq 1)}", (Condition("state", equal="1"),)),
        ('"${state}" == "none"', (Condition("state", equal="none"),)),  # the default of the extractor
        ('"${state}" == "done" || "${kind}" == "x"', (either(DONE, Condition("kind", equal="x")),)),
        ("${__jexl3(!(${state} != 1 and ${kind} != 2))}", (either(*map(text_is, ("state", "kind"), "12")),)),
        (
            '${__jexl3(("${state}" == "done" || ${kind} > 3) && ${state} le 5)}',
            (either(DONE, Condition("kind", above=3.0)), Condition("state", at_most=5.0)),
        ),
        ("3 >= ${state}", (Condition("state", at_most=3.0),)),
        ("${__jexl3(!(${state} < 3))}", (Condition("state", at_least=3.0),)),
        ("parseInt('${state}') < 3", (Condition("state", below=3.0),)),
        ("${__groovy(vars.get('state').toInteger() < 3)}", (Condition("state", below=3.0),)),
        ("${__groovy((vars.get('state') as int) >= 3.5)}", (Condition("state", at_least=3.5),)),
        ("${__groovy(Integer.parseInt(vars.get('state')) == 3)}", (text_is("state", "3"),)),
        ("${__groovy(prev.getResponseCode() == '404')}", (text_is("latest_code", "404"),)),
        ("${__groovy(!prev.responseCode.equals('200'),)}", (Condition("latest_code", other="200"),)),
        (
            "${__groovy(prev.getResponseCode().toInteger() >= 400)}",
            (Condition("latest_code", at_least=400.0),),
        ),
        ("${__groovy(prev.isSuccessful() == true)}", (Condition(latest="ok"),)),
        ("${__groovy(vars.get('state') != null)}", (HAS_STATE,)),
        ("${__groovy(null == vars.get('state'))}", (Condition("state", is_set=False),)),
        (
            '${__jexl3(vars.get(\'kind\') == null || "${kind}" == "x")}',
            (either(Condition("kind", is_set=False), text_is("kind", "x")),),
        ),
        ('${__jexl3("${state}" != "\\${state}")}', (HAS_STATE,)),
        (
            "${__groovy(vars.get('state') && prev.isSuccessful())}",
            (HAS_STATE, Condition("state", other=""), Condition(latest="ok")),
        ),
        (
            "${__groovy(!vars.get('state'))}",
            (either(Condition("state", is_set=False), text_is("state", "")),),
        ),
        ("${JMeterThread.last_sample_ok}", (Condition(latest="ok"),)),
        ("${JMeterThread.last_sample_ok} == false", (Condition(latest="failed"),)),
        (
            "${__groovy(!prev.isSuccessful() || vars.get('kind') == 'x')}",
            (either(Condition(latest="failed"), text_is("kind", "x")),),
        ),
    ],
)
def test_conditions_are_read_as_people_write_them(
    condition: str, conditions: Conditions, tmp_path: Path
) -> None:
    steps = polled(default="none") + choice(sampler("x", "/x"), condition)
    conversion = converted(group(steps), tmp_path)
    when = requests(conversion)[1].when
    assert when is not None
    assert when.holds == conditions
    assert not notes(conversion, "If Controller")
    assert conversion.carried["If Controller"] == 1


def test_what_the_test_fixes_is_compared_when_it_is_read(tmp_path: Path) -> None:
    condition = '"${__P(mode,fast)}" == "fast" && "${state}" == "${__P(good,done)}"'
    conversion = converted(group(polled() + choice(sampler("x", "/x"), condition)), tmp_path)
    when = requests(conversion)[1].when
    assert when == When(holds=(DONE,))


@pytest.mark.parametrize(
    "condition",
    [
        '"${state}" == "done" || "${other}" == "x"', '${__jexl3("${state}" > "1")}', '"${other}" == "done"',
        '"${state}" == "${kind}"', '${__groovy(vars.get("state").startsWith("d"))}', "Condition",
        "${__groovy(vars.get('state') < 3)}", "${__groovy(vars.get('state') == 3)}",  # texts are no numbers
        '${__jexl3("${state}" == "\\${kind}")}', "${__groovy(vars.get('state') > null)}", '${state} == null',
        "${__groovy(prev.getResponseCode() != null)}",
        '"${state}" == "done" || "a" == "a"', '"${state}" == "done" && "a" == "b"', "${state} == 1 || ",
        "${JMeterThread.last_sample_ok} > 1", "1 > 2 || ${state} == 1", "${state} == 1 1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [loop, choice])
def test_other_conditions_are_listed(make: Any, condition: str, tmp_path: Path) -> None:
    if make is loop and not condition.startswith("${__"):
        condition = f"${{__jexl3({condition})}}"
    conversion = converted(
        group(polled(default="none") + make(sampler("x", "/x"), condition) + sampler("end")), tmp_path
    )
    assert all(request.when is None and request.repeat is None for request in requests(conversion))
    if make is choice:
        assert notes(conversion, "If Controller") == [TEXTS.always]
    else:
        assert notes(conversion, "While Controller") == [TEXTS.while_once]


@pytest.mark.parametrize(
    ("below", "place", "noted"),
    [
        (extractor("state"), Extract(json="$.state", default=""), []),
        (regex_extractor("state"), Extract(regex="s=(.+?);", optional=True), [TEXTS.unset_anew]),
        (regex_extractor("state", "none"), Extract(regex="s=(.+?);", default="none"), []),
    ],
)
def test_an_answer_may_lack_what_is_asked_for(
    below: str, place: Extract, noted: list[str], tmp_path: Path
) -> None:
    steps = sampler("a", "/a", below) + choice(sampler("x", "/x"), "${__groovy(vars.get('state') != null)}")
    conversion = converted(group(steps), tmp_path)
    first, second = requests(conversion)
    assert (first.extract, second.when) == ({"state": place}, When(holds=(HAS_STATE,)))
    assert notes(conversion, "If Controller") == noted


def test_a_test_of_a_loop_alone_makes_its_first_round_always(tmp_path: Path) -> None:
    conversion = converted(group(loop(polled())), tmp_path)
    (poll,) = requests(conversion)
    assert poll.repeat is not None
    assert (poll.repeat.going, poll.repeat.until) == ((), (DONE,))
    assert notes(conversion, "While Controller") == [TEXTS.first_round_made, TEXTS.ends_after(ROUNDS)]


@pytest.mark.parametrize(
    ("condition", "until"),
    [
        (
            '${__jexl3("${state}" != "done" && ${kind} < 3)}',
            (either(DONE, Condition("kind", at_least=3.0)),),
        ),
        ('${__jexl3("${state}" != "done" || ${kind} < 3)}', (DONE, Condition("kind", at_least=3.0))),
        ("LAST", (Condition(latest="failed"),)),
    ],
)
def test_a_first_round_that_is_always_made_ends_where_its_condition_does_not_hold(
    condition: str, until: Conditions, tmp_path: Path
) -> None:
    (poll,) = requests(converted(group(loop(polled(), condition)), tmp_path))
    assert poll.repeat == Repeat(until=until, at_most=Count(ROUNDS))


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ("", Repeat(until=(Condition(latest="failed"),), at_most=Count(ROUNDS))),
        ("LAST", Repeat(going=(Condition(latest="ok"),), at_most=Count(ROUNDS))),
        ("last", Repeat(going=(Condition(latest="ok"),), at_most=Count(ROUNDS))),
    ],
)
def test_a_loop_goes_on_while_its_requests_end_well(condition: str, rule: Repeat, tmp_path: Path) -> None:
    order, poll = read(sampler("order", "/order") + loop(sampler("poll", "/poll"), condition), tmp_path)
    assert (order.repeat, poll.repeat) == (None, rule)


def test_a_text_that_no_function_evaluates_is_never_true_and_never_false(tmp_path: Path) -> None:
    condition = '"${state}" == "done"'
    keys = {"condition": condition, "useExpression": "true"}
    never = element(
        "IfController", "if", sampler("x", "/x"), **{f"IfController__{key}": keys[key] for key in keys}
    )
    conversion = converted(group(polled() + never + loop(sampler("y", "/y"), condition)), tmp_path)
    assert [(step.get, step.when, step.repeat) for step in requests(conversion)] == [
        ("/poll", None, None),
        ("/y", None, None),
    ]
    (dropped,) = (part for part in conversion.dropped if "If" in part.what)
    assert dropped.why.startswith(TEXTS.never)
    assert notes(conversion, "While Controller") == [TEXTS.endless_loop]


def test_a_condition_that_has_no_end_is_listed(tmp_path: Path) -> None:
    brackets = "(" * 900 + '"${state}" == "done"' + ")" * 900
    many = " || ".join(f"(${{state}} == {n} && ${{kind}} == {n})" for n in range(30))
    for condition in (brackets, many, f"!({many})", '"${state}" == "' + "x" * 100_000 + '"'):
        conversion = converted(group(polled() + choice(sampler("x", "/x"), condition)), tmp_path)
        assert notes(conversion, "If Controller") == [TEXTS.always]


def test_a_test_whose_requests_are_all_conditional_makes_them_always(tmp_path: Path) -> None:
    conversion = converted(group(choice(polled())), tmp_path)
    assert [request.when for request in requests(conversion)] == [None]
    assert notes(conversion, "If Controller") == [TEXTS.always]


def test_controllers_within_each_other_are_both_said(tmp_path: Path) -> None:
    inner = choice(sampler("x", "/x") + sampler("y", "/y"), '"${kind}" == "paid"')
    below = sampler("a", "/a") + loop(polled() + inner) + sampler("end", "/end")
    _, poll, first, *_ = read(below, tmp_path)
    assert poll.repeat is not None
    assert poll.repeat.through == "y"
    assert first.when == When(holds=(Condition("kind", equal="paid"),), through="y")


def test_a_choice_that_is_all_of_a_round_is_listed(tmp_path: Path) -> None:
    below = polled() + loop(choice(sampler("x", "/x"), '"${kind}" == "paid"')) + sampler("end", "/end")
    conversion = converted(group(below), tmp_path)
    assert notes(conversion, "If Controller") == [TEXTS.always]
    assert requests(conversion)[1].repeat is not None


def test_choices_within_each_other_that_are_all_of_a_test_are_listed(tmp_path: Path) -> None:
    below = choice(choice(polled(), '"${kind}" == "paid"'))
    path = tmp_path / "test.jmx"
    path.write_text(document(group(below)), encoding="utf-8")
    convert_files([path], JMETER, tmp_path / "plan.yaml")
    assert [step.when for step in load(tmp_path / "plan.yaml").workload.requests] == [None]


def test_a_condition_on_the_latest_code_has_that_of_whichever_request_it_was(tmp_path: Path) -> None:
    below = sampler("a", "/a") + choice(sampler("b", "/b"), "${__groovy(prev.getResponseCode() == '404')}")
    steps = read(below + choice(sampler("c", "/c"), "${__groovy(prev.getResponseCode() == '200')}"), tmp_path)
    assert [step.extract for step in steps] == [{"latest_code": Extract(part="status")}] * 3
    assert [step.when is None for step in steps] == [True, False, False]


def test_a_code_is_compared_as_the_text_that_it_is_and_under_a_name_of_its_own(tmp_path: Path) -> None:
    by_number = choice(sampler("b", "/b"), "${__groovy(prev.getResponseCode() == 200)}")
    under_that_name = sampler("a", "/a", extractor("latest_code")) + choice(
        sampler("b", "/b"), "${__groovy(prev.getResponseCode() == '200')}"
    )
    for below in (sampler("a", "/a") + by_number, under_that_name):
        conversion = converted(group(below), tmp_path)
        assert [step.when for step in requests(conversion)] == [None, None]
        assert notes(conversion, "If Controller")


@pytest.mark.parametrize(
    ("pattern", "place"),
    [("(.*)", "status"), ("(\\d+)", "status"), ("([0-9]{3})", "status"), ("(4..)", None)],
)
def test_an_extractor_of_the_whole_code_takes_the_status(
    pattern: str, place: str | None, tmp_path: Path
) -> None:
    keys = {"refname": "code", "regex": pattern, "template": "$1$", "useHeaders": "code", "default": "none"}
    extractor_of_code = element(
        "RegexExtractor", "code", **{f"RegexExtractor__{key}": keys[key] for key in keys}
    )
    conversion = converted(group(sampler("a", "/a", extractor_of_code)), tmp_path)
    extract = {"code": Extract(part="status", default="none")} if place else {}
    assert requests(conversion)[0].extract == extract
    assert bool(conversion.dropped) == (place is None)
