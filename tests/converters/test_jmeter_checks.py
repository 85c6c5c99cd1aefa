"""Assertions and extractors of JMeter: what they look at, and what is listed of the rest."""

from pathlib import Path

import pytest

from loadrig.base.units import Count
from loadrig.converters._jmx_groups import TEXTS
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.value_checks import ValueCheck, ValueComparison
from tests.converters.jmx import converted, element, group, property_of, requests, sampler


def response(test_field: str, text: str, kind: int = 2, **properties: str) -> str:
    keys = {"test_field": f"Assertion.{test_field}", "test_type": str(kind), **properties}
    inner = "".join(property_of(f"Assertion.{key}", value) for key, value in keys.items())
    return (
        '<ResponseAssertion testclass="ResponseAssertion" testname="check" enabled="true">'
        f'<collectionProp name="Asserion.test_strings">{property_of("1", text)}</collectionProp>{inner}'
        "</ResponseAssertion>\n<hashTree/>\n"
    )


def regex(name: str = "word", **properties: object) -> str:
    keys = {"RegexExtractor__regex": "w=(.*)", **properties}
    return element("RegexExtractor", name, "", "true", RegexExtractor__refname=name, **keys)


@pytest.mark.parametrize("scope", ["variable", "children"])
def test_what_looks_elsewhere_than_at_the_answer_is_left_out_by_its_place(scope: str, tmp_path: Path) -> None:
    looks = {"Sample__scope": scope, "Scope__variable": "tok"}
    below = regex(**looks) + response("response_data", "abc", scope=scope)
    below += element("SizeAssertion", "size", Assertion__scope=scope, SizeAssertion__size=9)
    below += element("DurationAssertion", "time", Assertion__scope=scope, DurationAssertion__duration=9)
    conversion = converted(group(sampler("a", below=below) + sampler("b", "/${word}")), tmp_path)
    first, second = requests(conversion)
    assert not first.extract
    assert (first.expect.matches, first.expect.size_max, first.expect.time) == ((), None, None)
    assert [part.why for part in conversion.dropped] == [TEXTS.of_another_text(scope)] * 4
    assert second.get == "/{word}"
    assert any("${word}" in part.what for part in conversion.altered)


def test_what_looks_at_all_parts_looks_at_the_last_answer_and_is_listed(tmp_path: Path) -> None:
    conversion = converted(group(sampler("a", below=regex(Sample__scope="all"))), tmp_path)
    assert requests(conversion)[0].extract["word"].regex == "w=(.*)"
    assert TEXTS.of_last_answer in [part.how for part in conversion.altered]


@pytest.mark.parametrize(
    ("properties", "status"),
    [({"assume_success": "true"}, (404,)), ({"assume_success": "false"}, ()), ({}, ())],
)
def test_a_status_of_a_failure_is_good_only_where_the_test_ignores_it(
    properties: dict[str, str], status: tuple[int, ...], tmp_path: Path
) -> None:
    below = response("response_code", "404", 8, **properties)
    conversion = converted(group(sampler("a", below=below)), tmp_path)
    assert requests(conversion)[0].expect.status == status
    assert bool(conversion.dropped) == (not status)


def test_a_check_that_says_no_more_than_the_plan_is_carried(tmp_path: Path) -> None:
    is_not_500 = response("response_code", "500", 8 | 4)
    conversion = converted(group(sampler("a", below=is_not_500)), tmp_path)
    assert requests(conversion)[0].expect.status == ()
    assert conversion.carried["Response Assertion"] == 1
    assert not conversion.dropped


def test_a_status_that_one_check_ignores_is_good_for_those_after_it(tmp_path: Path) -> None:
    below = response("response_data", "gone", 2, assume_success="true") + response("response_code", "404", 8)
    assert requests(converted(group(sampler("a", below=below)), tmp_path))[0].expect.status == (404,)


def test_a_status_that_a_text_makes_good_is_listed(tmp_path: Path) -> None:
    below = response("response_data", "gone", 2, assume_success="true")
    conversion = converted(group(sampler("a", below=below)), tmp_path)
    assert requests(conversion)[0].expect.matches == ("gone",)
    assert TEXTS.status_counts in [part.how for part in conversion.altered]


def test_defaults_and_numbers_of_matches_are_carried(tmp_path: Path) -> None:
    path = element(
        "JSONPostProcessor",
        "json",
        JSONPostProcessor__referenceNames="x;y",
        JSONPostProcessor__jsonPathExprs="$.x;$.y",
        JSONPostProcessor__defaultValues="NF;",
    )
    keys = {"refname": "link", "expr": "ul > a.next", "attribute": "href", "match_number": "2"}
    below = regex(RegexExtractor__default="no", RegexExtractor__match_number="3") + path
    below += element("HtmlExtractor", "css", **{f"HtmlExtractor__{key}": text for key, text in keys.items()})
    empty = '<boolProp name="RegexExtractor.default_empty_value">true</boolProp></RegexExtractor>'
    below += regex("none").replace("</RegexExtractor>", empty)
    conversion = converted(group(sampler("a", below=below)), tmp_path)
    assert requests(conversion)[0].extract == {
        "word": Extract(regex="w=(.*)", match=Count(3), default="no"),
        "x": Extract(json="$.x", default="NF"),
        "y": Extract(json="$.y"),
        "link": Extract(css="ul > a.next", attribute="href", match=Count(2)),
        "none": Extract(regex="w=(.*)", default=""),
    }
    assert not conversion.dropped


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_match_by_chance_or_all_of_them_are_listed(number: str, tmp_path: Path) -> None:
    below = regex(RegexExtractor__match_number=number)
    conversion = converted(group(sampler("a", below=below)), tmp_path)
    assert requests(conversion)[0].extract["word"].match is None
    assert TEXTS.first_match(number) in [part.how for part in conversion.altered]


def test_an_extractor_of_saxon_is_read_by_the_names_in_its_files(tmp_path: Path) -> None:
    keys = {"refname": "word", "xpathQuery": "//input[@name='w']/@value", "matchNumber": "1"}
    below = element("XPath2Extractor", "x", **{f"XPathExtractor2__{key}": text for key, text in keys.items()})
    conversion = converted(group(sampler("a", below=below)), tmp_path)
    assert requests(conversion)[0].extract["word"] == Extract(css='input[name="w"]', attribute="value")
    assert not conversion.dropped


NULL = ValueComparison(json="$.a", is_null=True)


@pytest.mark.parametrize(
    ("properties", "values"),
    [
        ({}, (ValueCheck(json="$.a", is_set=True, others=(NULL,), name="check"),)),
        ({"JSONVALIDATION": "true", "EXPECTED_VALUE": "b", "INVERT": "true"},
         (ValueCheck(json="$.a", other="b", name="check"),)),
        ({"JSONVALIDATION": "true", "EXPECTED_VALUE": "b+", "ISREGEX": "true"},
         (ValueCheck(json="$.a", pattern="b+", name="check"),)),
        ({"JSONVALIDATION": "true", "EXPECTED_VALUE": "b+", "ISREGEX": "true", "INVERT": "true"}, ()),
        ({"JSONVALIDATION": "true", "EXPECTED_VALUE": "(?=b)", "ISREGEX": "true"}, ()),
        ({"JSONVALIDATION": "true", "EXPECTED_VALUE": "${__Random(1,2)}"}, ()),
        ({"JSON_PATH": "$.a.length()"}, ()),
    ],
)  # fmt: skip
def test_a_json_assertion_becomes_a_check_of_a_value_or_is_listed(
    properties: dict[str, str], values: tuple[ValueCheck, ...], tmp_path: Path
) -> None:
    assertion = element("JSONPathAssertion", "check", **{"JSON_PATH": "$.a", **properties})
    conversion = converted(group(sampler("a", below=assertion)), tmp_path)
    assert requests(conversion)[0].expect == Expect(values=values)
    assert bool(conversion.dropped) == (not values)


@pytest.mark.parametrize(
    ("test_field", "text", "kind", "values"),
    [
        ("response_data", "a.b", 16 | 4, (ValueCheck(regex=r"a\.b", is_set=False, name="check"),)),
        ("response_data", "(?=b)", 2 | 4, ()),
        ("response_headers", "X-Id:", 16, (ValueCheck(header="X-Id", is_set=True, name="check"),)),
        ("response_headers", "X-Id: b", 16, (ValueCheck(header="X-Id", pattern="b.*", name="check"),)),
        ("response_headers", "X-Id: b", 16 | 4, ()),
        ("response_headers", "X-Id: b$", 2, ()),
        ("response_headers", "b", 16, ()),
    ],
)
def test_an_assertion_that_something_is_not_there_or_of_a_header_is_a_check_of_a_value(
    test_field: str, text: str, kind: int, values: tuple[ValueCheck, ...], tmp_path: Path
) -> None:
    conversion = converted(group(sampler("a", below=response(test_field, text, kind))), tmp_path)
    assert requests(conversion)[0].expect == Expect(values=values)
    assert bool(conversion.dropped) == (not values)
