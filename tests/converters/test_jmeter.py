"""Elements of JMeter become parts of a plan, or are said to be left out."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.units import Count, Seconds
from loadrig.converters import TestSource
from loadrig.converters._jmx_checks import of_group
from loadrig.converters._jmx_groups import TEXTS, staged
from loadrig.converters._jmx_patterns import is_plain_pattern
from loadrig.converters._jmx_text import TextCall, parsed
from loadrig.plan.arrivals import Rate, Sessions, Users
from loadrig.plan.requests import Think
from tests.converters.jmx import JMETER, converted, element, group, property_of, requests, sampler
from tests.converters.recording import CASES


def line_of(name: str) -> list[list[float]]:
    conversion = JMETER.convert(TestSource(CASES / f"{name}.jmx"))
    line: list[list[float]] = conversion.plan.arrivals.line
    return line


@pytest.mark.parametrize(
    ("name", "kind", "line"),
    [
        ("stepping", Users, [[0, 0], [5, 0], [8, 2], [18, 2], [21, 6], [31, 6], [34, 10], [94, 10], [94, 5],
                             [96, 5]]),
        ("ultimate", Users, [[0, 0], [30, 10], [40, 10], [40, 15], [60, 15], [60, 10], [90, 10], [100, 0]]),
        ("concurrency", Users, [[0, 4], [20, 4], [20, 8], [40, 8], [40, 12], [180, 12]]),
        ("arrivals", Sessions, [[0, 0], [60, 2], [180, 2]]),
        ("freeform", Sessions, [[0, 1], [60, 10], [90, 10]]),
        ("openmodel", Sessions, [[0, 0], [60, 10], [180, 10], [180, 0], [185, 0], [185, 2], [195, 2]]),
        ("duration", Users, [[0, 0], [10, 5], [120, 5]]),
        ("shaping", Rate, [[0, 1], [60, 10], [90, 10]]),
        ("throughput", Rate, [[0, 10]]),
        ("two-groups", Users, [[0, 10]]),
    ],
)  # fmt: skip
def test_each_kind_of_group_makes_the_load_of_its_schedule(
    name: str, kind: type[object], line: list[list[float]]
) -> None:
    conversion = JMETER.convert(TestSource(CASES / f"{name}.jmx"))
    assert isinstance(conversion.plan.arrivals, kind)
    assert line_of(name) == line


def test_groups_have_the_shares_of_their_threads() -> None:
    conversion = JMETER.convert(TestSource(CASES / "two-groups.jmx"))
    assert [(scenario.name, scenario.weight) for scenario in conversion.plan.scenarios] == [
        ("many", 8), ("few", 2),
    ]  # fmt: skip
    assert conversion.plan.limit.loops == 5


def test_a_group_without_threads_is_left_out_by_its_name(tmp_path: Path) -> None:
    empty = group(sampler("none", "/none"), threads=0)
    conversion = converted(empty + group(sampler("a", "/a"), threads=2), tmp_path)
    assert conversion.plan.arrivals == Users(count=Count(2))
    assert [step.request.get for scenario in conversion.plan.scenarios for step in scenario.steps] == ["/a"]
    assert [part.why for part in conversion.dropped] == [TEXTS.no_load]


def test_assertions_become_checks() -> None:
    checked = requests(JMETER.convert(TestSource(CASES / "rest.jmx")))[0]
    assert checked.expect.status == (200, 201, 202)
    assert checked.expect.matches == ("(?:a.b)|(?:c)",)
    assert (checked.expect.time, checked.expect.size_max) == (1.5, 9999)
    assert checked.expect.json == {"$.ok": True}
    assert checked.extract["place"].header == "Location"
    assert checked.extract["all"].regex == "<a>(?:.*?)</a><b>(.*?)</b>"


def test_pauses_stand_behind_the_request_before(tmp_path: Path) -> None:
    timer = element("ConstantTimer", ConstantTimer__delay="250")
    pause = element("TestAction", ActionProcessor__action="1", ActionProcessor__duration="1000")
    conversion = converted(group(sampler("a", below=timer) + pause + sampler("b")), tmp_path)
    assert [request.think for request in requests(conversion)] == [
        Think(constant=Seconds(1.0)),
        Think(constant=Seconds(0.25)),
    ]


def test_what_is_switched_off_is_named_with_its_line(tmp_path: Path) -> None:
    conversion = converted(group(sampler("a") + element("JSR223Sampler", "b", enabled="false")), tmp_path)
    assert [(part.order, part.what) for part in conversion.dropped] == [(6, 'JSR223 Sampler "b"')]


def test_a_file_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "rows.csv").write_text("secret\n")
    rows = element("CSVDataSet", filename="../rows.csv", variableNames="word")
    conversion = converted(group(sampler("a", "/${word}") + rows), tmp_path / "inner")
    (feed,) = conversion.plan.feeds.values()
    assert feed.file is not None
    assert feed.file.content == b"word\nword\n"
    assert any("rows.csv" in part.how for part in conversion.altered)


def test_rows_are_read_with_the_delimiter_that_the_test_says(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a;1\nb;2\n")
    rows = element("CSVDataSet", filename="rows.csv", variableNames="n,v", delimiter=";", recycle="true")
    (feed,) = converted(group(sampler("a", "/${n}") + rows), tmp_path).plan.feeds.values()
    assert feed.file is not None
    assert feed.file.content == b"n,v\na,1\nb,2\n"


def test_requests_of_several_groups_never_need_the_same_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\nb\n")
    rows = element("CSVDataSet", filename="rows.csv", variableNames="n", recycle="true")
    below = rows + group(sampler("a", "/${n}")) + group(sampler("b", "/${n}"))
    (feed,) = converted(below, tmp_path).plan.feeds.values()
    assert feed.feed.order == "sequential"


def logins(user: str, password: str, path: str = "") -> str:
    pairs = {"username": user, "password": password, "url": f"http://127.0.0.1:8099/{path}"}
    inner = "".join(property_of(f"Authorization.{key}", value) for key, value in pairs.items())
    listed = f'<elementProp name="">{inner}</elementProp>'
    return (
        '<AuthManager testclass="AuthManager" testname="logins" enabled="true">'
        f'<collectionProp name="AuthManager.auth_list">{listed}</collectionProp></AuthManager>\n<hashTree/>'
    )


def test_a_login_of_a_row_is_a_column_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("ann,secret\nbob,word\n")
    rows = element("CSVDataSet", filename="rows.csv", variableNames="user,password", recycle="true")
    below = group(rows + logins("${user}", "${password}!") + sampler("a") + sampler("b"))
    conversion = converted(below, tmp_path)
    assert conversion.plan.headers["Authorization"] == "Basic {rows.login}"
    (feed,) = conversion.plan.feeds.values()
    assert feed.file is not None
    header, *lines = feed.file.content.decode().splitlines()
    assert header == "user,password,login"
    assert [base64.b64decode(line.rpartition(",")[2]) for line in lines] == [b"ann:secret!", b"bob:word!"]


def test_a_login_is_sent_to_addresses_that_begin_as_it_says(tmp_path: Path) -> None:
    token = element("RegexExtractor", RegexExtractor__refname="word", RegexExtractor__regex="w=(.*)")
    paths = ("/secret/a", "/secrets", "/other", "/${word}", "/se${word}", "/x${word}")
    samplers = "".join(sampler(path, path, below=token) for path in paths)
    conversion = converted(group(logins("ann", "word", "secret/") + samplers), tmp_path)
    has_login = ["Authorization" in request.headers for request in requests(conversion)]
    assert has_login == [True, False, False, True, True, False]


def test_a_login_that_an_answer_tells_is_left_out(tmp_path: Path) -> None:
    token = element("RegexExtractor", RegexExtractor__refname="word", RegexExtractor__regex="w=(.*)")
    conversion = converted(
        group(sampler("a", below=token) + logins("ann", "${word}") + sampler("b")), tmp_path
    )
    assert TEXTS.login_of_variables in [part.why for part in conversion.dropped]
    assert not any("Authorization" in request.headers for request in requests(conversion))


def test_variables_that_name_themselves_have_an_end(tmp_path: Path) -> None:
    names = "".join(
        f'<elementProp name="{name}">{property_of("Argument.name", name)}'
        f"{property_of('Argument.value', value)}</elementProp>"
        for name, value in (("a", "${b}${b}"), ("b", "${a}${a}"))
    )
    listed = f'<collectionProp name="Arguments.arguments">{names}</collectionProp>'
    variables = f'<Arguments testclass="Arguments">{listed}</Arguments><hashTree/>'
    conversion = converted(variables + group(sampler("s", "/${a}")), tmp_path)
    assert conversion.altered


def test_calls_are_read_with_all_that_is_within_them() -> None:
    (call,) = parsed("${__P(size,${__Random(1,${top})})}")
    assert isinstance(call, TextCall)
    assert (call.name, len(call.arguments)) == ("__P", 2)
    assert parsed("a\\${b} ${open") == ("a${b} ${open",)


@given(st.text("ab${}_(),\\ ", max_size=40))
def test_any_text_is_read(text: str) -> None:
    assert parsed(text)


@pytest.mark.parametrize(
    ("pattern", "group_number", "result"),
    [
        ("a(b)(c)", 2, "a(?:b)(c)"),
        (r"\((x)[(](y)", 1, r"\((x)[(](?:y)"),
        ("(?i)a", 1, "(?i)a"),
        ("a", 2, None),
    ],
)
def test_a_group_is_made_the_only_one(pattern: str, group_number: int, result: str | None) -> None:
    assert of_group(pattern, group_number) == result


def test_patterns_of_java_alone_are_refused() -> None:
    assert not any(map(is_plain_pattern, ("a(?=b)", r"(a)\1", "(", "a++")))
    assert is_plain_pattern(r'name="t" value="([^"]+)"')


def points() -> Iterator[st.SearchStrategy[tuple[float, float]]]:
    yield st.tuples(st.integers(0, 50).map(float), st.integers(0, 9).map(float))


@given(st.lists(st.one_of(*points()), max_size=8).map(sorted))
def test_stages_never_go_back_in_time(line: list[tuple[float, float]]) -> None:
    assert all(stage.over >= 0 and stage.hold >= 0 and stage.to >= 0 for stage in staged(line))


@pytest.mark.parametrize(
    ("codes", "letters"),
    [("97", "a"), ("0x62,99", "bc"), ("0141", "a"), ("x", None), ("-1", None), ("9999999", None), ("", None)],
)
def test_a_letter_of_no_number_is_left_as_it_stands(codes: str, letters: str | None, tmp_path: Path) -> None:
    conversion = converted(group(sampler("a", f"/${{__char({codes})}}")), tmp_path)
    (request,) = requests(conversion)
    if letters is None:
        assert any("__char" in part.what for part in conversion.altered)
    else:
        assert request.get == f"/{letters}"
