"""Values of rows and answers stand in requests as JMeter sends them, or it is listed where they do not."""

import csv
import io
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loadrig.converters import Conversion, TestSource
from loadrig.converters._jmx_dates import written_time
from loadrig.converters._jmx_groups import TEXTS
from loadrig.plan.holes import pieces
from tests.converters.jmx import JMETER, converted, document, element, group, requests
from tests.converters.test_jmeter_requests import argument, headers, http

ROWS = 'path,word\n/products/1?x=2,"p2&x=1 é"\n/b/c,plain\n'


def rows(name: str = "rows.csv", file: str = ROWS, folder: Path | None = None) -> str:
    if folder is not None:
        (folder / name).write_text(file, encoding="utf-8")
    return element("CSVDataSet", filename=name, variableNames="", quotedData="true", recycle="true")


def filled(conversion: Conversion, template: str, row: int = 0) -> str:
    """Return a template with its holes filled from a row of the plan's tables, nothing encoded."""
    values: dict[str, str] = {}
    for name, feed in conversion.plan.feeds.items():
        if feed.file is not None:
            table = list(csv.DictReader(io.StringIO(feed.file.content.decode())))
            values |= {f"{name}.{column}": value for column, value in table[row].items()}
    return "".join(values[text[1:-1]] if is_hole else text for text, is_hole in pieces(template))


def escaped(conversion: Conversion) -> list[str]:
    return [part.what for part in conversion.altered if part.how == TEXTS.value_escaped]


@pytest.mark.parametrize(
    ("arguments", "path", "sent"),
    [
        ("", "/api${path}", "/api/products/1?x=2"),
        ("", "/a?p=${word}&q=1", "/a?p=p2&x=1%20%C3%A9&q=1"),
        (argument("w", "1"), "/api${path}", "/api/products/1?x=2&w=1"),
        (argument("w", "${word}"), "/api", "/api?w=p2%26x%3D1+%C3%A9"),
        (argument("w", "${word}", is_to_encode=False), "${path}", "/products/1?x=2&w=p2&x=1%20%C3%A9"),
        ("", "/a?p=${__urlencode(${word})}", "/a?p=p2%26x%3D1+%C3%A9"),
        ("", "/a/${path}?p=${word}", "/a//products/1?x=2?p=p2&x=1%20%C3%A9"),
    ],
)
def test_values_of_rows_are_sent_as_jmeter_sends_them(
    arguments: str, path: str, sent: str, tmp_path: Path
) -> None:
    conversion = converted(group(rows(folder=tmp_path) + http(arguments, path=path)), tmp_path)
    (request,) = requests(conversion)
    assert request.get is not None
    # What begins a target is sent as it is: all that may differ lies in that column.
    hole = next(iter(pieces(request.get)))
    assert hole[1]
    assert filled(conversion, request.get) == sent
    assert not escaped(conversion)


def test_values_without_special_signs_stay_where_they_stand(tmp_path: Path) -> None:
    below = rows(file="id,word\n1,ann\n2,bob\n", folder=tmp_path) + http(path="/a/${id}?w=${word}")
    conversion = converted(group(below), tmp_path)
    assert requests(conversion)[0].get == "/a/{rows.id}?w={rows.word}"


def test_values_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    extractor = element("RegexExtractor", RegexExtractor__refname="token", RegexExtractor__regex="t=(.*)")
    below = rows("missing.csv") + http(below=extractor) + http(path="/a/${token}")
    conversion = converted(group(below), tmp_path)
    assert requests(conversion)[1].get == "/a/{token}"
    (what,) = escaped(conversion)
    assert what.startswith("{token}")


def test_rows_of_a_file_that_is_not_there_are_listed(tmp_path: Path) -> None:
    table = element("CSVDataSet", filename="missing.csv", variableNames="word")
    conversion = converted(group(table + http(path="/a/${word}")), tmp_path)
    (what,) = escaped(conversion)
    assert what.startswith("{missing.word}")


def test_rows_of_two_files_in_one_path_are_listed(tmp_path: Path) -> None:
    tables = rows(folder=tmp_path) + rows("more.csv", "city\na b/c\n", tmp_path)
    conversion = converted(group(tables + http(path="/a/${city}/${word}")), tmp_path)
    assert len(escaped(conversion)) == 2


@pytest.mark.parametrize(
    ("kind", "value", "is_kept"),
    [
        ("application/json", '{"a": 1}', True),
        ("application/vnd.x+json; charset=UTF-8", "a\\b", True),
        ("application/x-www-form-urlencoded", "a=1&b=2", True),
        ("application/json", "plain", False),
        ("text/xml", '<a b="c"/>', False),
    ],
)
def test_a_text_of_rows_is_sent_as_it_is(kind: str, value: str, is_kept: bool, tmp_path: Path) -> None:
    quoted = value.replace('"', '""')
    table = rows(file=f'word\n"{quoted}"\n', folder=tmp_path)
    below = (
        table
        + headers(("Content-Type", kind))
        + http(argument("", "${word}", is_to_encode=False), method="POST")
    )
    conversion = converted(group(below), tmp_path)
    (request,) = requests(conversion)
    assert request.body == "{rows.word}"
    assert request.headers["Content-Type"] == ("{content_type}" if is_kept else kind)
    if is_kept:
        assert conversion.plan.feeds["content_type"].feed.values == (kind,)


def test_a_value_that_is_encoded_already_is_encoded_anew_in_a_form(tmp_path: Path) -> None:
    table = rows(file="word\nd%C3%A9+j\nb\n", folder=tmp_path)
    below = table + http(argument("w", "${word}", is_to_encode=False), method="POST")
    conversion = converted(group(below), tmp_path)
    body: Any = requests(conversion)[0].body
    assert filled(conversion, body) == "w=dé j"


def test_a_function_that_encodes_rows_is_a_column(tmp_path: Path) -> None:
    table = rows(folder=tmp_path)
    below = table + http(argument("", "u=${__urlencode(${word})}", is_to_encode=False), method="POST")
    conversion = converted(group(below), tmp_path)
    body: Any = requests(conversion)[0].body
    assert filled(conversion, body) == "u=p2%26x%3D1+%C3%A9"


@pytest.mark.parametrize("call", ["${__P(path,a)}", "${__property(path,,a)}"])
def test_a_property_has_the_value_that_is_given(call: str, tmp_path: Path) -> None:
    (tmp_path / "test.jmx").write_text(document(group(http(path=f"/{call}"))), encoding="utf-8")
    with_properties, default = (
        JMETER.convert(TestSource(tmp_path / "test.jmx", properties=properties))
        for properties in ({"path": "b", "other": "c"}, {})
    )
    assert [requests(conversion)[0].get for conversion in (with_properties, default)] == ["/b", "/a"]
    (unused,) = [part.what for part in with_properties.altered if part.how == TEXTS.not_asked]
    assert unused.startswith("-J other")
    assert len([part for part in default.altered if part.how == TEXTS.property_default("a")]) == 1


MOMENT = datetime(2026, 3, 9, 14, 5, 7, 80_000, UTC)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2026-03-09T14:05:07.080Z"),
        ("d/M/yy h:mm a", "9/3/26 2:05 PM"),
        ("EEE, dd MMM yyyy HH:mm:ss Z", "Mon, 09 Mar 2026 14:05:07 +0000"),
        ("EEEE d. MMMM", "Monday 9. March"),
        ("h 'o''clock'", "2 o'clock"),
        ("''yy''", "'26'"),
        ("YMDHMS", "20260309-140507"),
        ("YYYY-ww", None),
        ("yyyy'", None),
        ("", ""),
    ],
)
def test_a_time_is_written_by_a_pattern_of_java(pattern: str, text: str | None) -> None:
    assert written_time(pattern, MOMENT) == text


def test_a_time_of_a_pattern_is_that_of_the_file_and_sets_its_variable(tmp_path: Path) -> None:
    path = tmp_path / "test.jmx"
    path.write_text(document(group(http(path="/${__time(yyyy-MM-dd,day)}?d=${day}"))), encoding="utf-8")
    os.utime(path, (MOMENT.timestamp(), MOMENT.timestamp()))
    conversion = JMETER.convert(TestSource(path))
    assert requests(conversion)[0].get == "/2026-03-09?d=2026-03-09"
    assert [part.how for part in conversion.altered if "__time" in part.what] == [TEXTS.time_of_file]


def test_a_text_that_is_to_be_encoded_is(tmp_path: Path) -> None:
    below = rows(folder=tmp_path) + http(argument("", "a=${word}/"), method="POST")
    conversion = converted(group(below), tmp_path)
    body: Any = requests(conversion)[0].body
    assert filled(conversion, body) == "a%3Dp2%26x%3D1+%C3%A9%2F"
