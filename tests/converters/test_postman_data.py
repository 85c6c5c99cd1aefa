"""Data files of newman's runs: what each value becomes, which variable hides which, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.converters import Conversion, TestSource, convert_files
from loadrig.converters._pm_data import MOST_ROWS, read_rows
from loadrig.language.en.converters.postman import ConvertersPostmanTexts
from loadrig.plan.written import WrittenRequest
from tests.converters.test_postman import collection, script

POSTMAN = members.load("loadrig.converters", "postman")
HERE = "http://127.0.0.1"


def data_source(folder: Path, content: object, name: str = "") -> TestSource:
    text = content if isinstance(content, str) else json.dumps(content)
    path = folder / (name or ("data.csv" if isinstance(content, str) else "data.json"))
    path.write_text(text, encoding="utf-8", newline="")
    return TestSource(path)


def converted(document: Any, folder: Path, *contents: object) -> Conversion:
    path = folder / "c.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    sources = tuple(data_source(folder, content, f"{number}.data") for number, content in enumerate(contents))
    conversion: Conversion = POSTMAN.convert(TestSource(path, sources))
    return conversion


def requests_of(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


def rows_of(conversion: Conversion) -> list[list[str]]:
    (content,) = {draft.file.content for draft in conversion.plan.feeds.values() if draft.file}
    lines = content.decode().splitlines()[1:]
    return [[cell.strip('"') for cell in line.split(",")] for line in lines]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7890", "7890"), ("-7890", "-7890"), ("+5", "5"), ("007", "7"), ('"007"', "007"), ("1.50", "1.5"),
        (".5", "0.5"), ("1.", "1"), ("-0.0", "0"), ("1e3", "1000"), ("0x10", "0"), ("0b11", "0"),
        ("Infinity", "Infinity"), ("1e999", "1e999"), ("9" * 400, "Infinity"), ("12abc", "12abc"),
        ("1_000", "1_000"), ("\u0661", "\u0661"), ("true", "true"), ("1e21", "1e+21"), ("1e-7", "1e-7"),
        ("0.000001", "0.000001"), ("1.25e-5", "0.0000125"),
        ("123456789012345678901234", "1.2345678901234569e+23"),
        (' "a ""b""" ', 'a "b"'), (' a "b" c ', 'a "b" c'), ("", ""), ('""', ""), ('"a\nb"', "a\nb"),
    ],
)  # fmt: skip
def test_a_value_of_a_csv_file_is_what_newman_makes_of_it(written: str, value: str, tmp_path: Path) -> None:
    assert read_rows(data_source(tmp_path, f"\ufeffa, b\n{written},x\n")) == [{"a": value, "b": "x"}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (2.5, "2.5"), (True, "true"), (None, None), ("x", "x"), ({"a": 1}, "[object Object]"),
        ([1, [2, None], True], "1,2,,true"), (10**400, "Infinity"), (1e21, "1e+21"), (-1.5e-9, "-1.5e-9"),
    ],
)  # fmt: skip
def test_a_value_of_a_json_file_is_written_as_javascript_writes_it(
    value: Any, text: str | None, tmp_path: Path
) -> None:
    assert read_rows(data_source(tmp_path, [{"a": value}, 1])) == [{"a": text}, {}]


def test_records_of_other_lengths_have_what_they_have(tmp_path: Path) -> None:
    rows = read_rows(data_source(tmp_path, "a,a,b\r\n1,2,3,4\r\n\r\n5\r\n"))
    assert rows == [{"a": "2", "b": "3"}, {"a": ""}, {"a": "5"}]


def test_each_loop_has_the_next_row_in_all_its_requests(tmp_path: Path) -> None:
    document = collection(*[f"{HERE}/{{{{a}}}}/{{{{b}}}}"] * 2, f"{HERE}/")
    conversion = converted(document, tmp_path, "a,b\n1,2\n3,4\n")
    assert [request.get for request in requests_of(conversion)] == [
        "/{data.a}/{data.b}", "/{data.a}/{data.b}", "/",
    ]  # fmt: skip
    (draft,) = conversion.plan.feeds.values()
    assert (draft.feed.order, draft.feed.per) == ("sequential", "loop")
    assert rows_of(conversion) == [["1", "2"], ["3", "4"]]
    assert conversion.carried[ConvertersPostmanTexts.rows] == 2


def test_what_is_the_same_in_all_rows_is_fixed(tmp_path: Path) -> None:
    conversion = converted(collection("{{host}}/{{a}}"), tmp_path, f"host,a\n{HERE},1\n{HERE},2\n")
    assert conversion.plan.server == HERE
    assert requests_of(conversion)[0].get == "/{data.a}"


def test_rows_hide_other_files_and_what_scripts_give_to_them(tmp_path: Path) -> None:
    document = collection(
        *[f"{HERE}/{{{{a}}}}/{{{{b}}}}"] * 2, variable=[{"key": "a", "value": "of the file"}]
    )
    document["item"][0]["event"] = [
        script("pm.environment.set('a', 'x'); pm.environment.set('b', pm.response.json().b)")
    ]
    conversion = converted(document, tmp_path, "a,b\n1,2\n3,4\n")
    assert [request.get for request in requests_of(conversion)] == ["/{data.a}/{data.b}"] * 2
    assert all(not request.extract for request in requests_of(conversion))


def test_what_a_script_sets_for_itself_hides_the_rows(tmp_path: Path) -> None:
    document = collection(*[f"{HERE}/{{{{a}}}}/{{{{b}}}}"] * 2)
    document["item"][0]["event"] = [
        script("pm.variables.set('a', 'x'); pm.variables.set('b', pm.response.json().b)")
    ]
    paths = [request.get for request in requests_of(converted(document, tmp_path, "a,b\n1,2\n3,4\n"))]
    assert paths == ["/{data.a}/{data.b}", "/x/{b}"]


def test_a_row_without_a_variable_has_what_other_files_say(tmp_path: Path) -> None:
    document = collection(f"{HERE}/{{{{a}}}}/{{{{b}}}}", variable=[{"key": "a", "value": "file"}])
    conversion = converted(document, tmp_path, [{"a": 1, "b": "{{a}}"}, {"b": None}, {}])
    assert rows_of(conversion) == [["1", "1"], ["file", "{{b}}"], ["file", "{{b}}"]]


def test_a_feed_of_rows_has_a_name_of_its_own(tmp_path: Path) -> None:
    document = collection(f"{HERE}/{{{{data}}}}/{{{{a}}}}/{{{{b}}}}")
    document["item"][0]["event"] = [script("pm.environment.set('data', pm.response.json().x)")]
    (request,) = requests_of(converted(document, tmp_path, "a,b\n1,2\n3,4\n"))
    assert request.get == "/{data}/{data2.a}/{data2.b}"


@pytest.mark.parametrize(
    ("request_", "is_altered"),
    [
        ({"url": f"{HERE}/?q={{{{a}}}}"}, True),
        ({"url": HERE, "header": [{"key": "A", "value": "{{a}}"}]}, False),
        ({"url": HERE, "method": "POST", "body": {"mode": "raw", "raw": "{{a}}"}}, False),
        ({"url": HERE, "method": "POST", "body": {
            "mode": "raw", "raw": "{{a}}", "options": {"raw": {"language": "json"}}}}, True),
        ({"url": HERE, "method": "POST", "body": {
            "mode": "urlencoded", "urlencoded": [{"key": "a", "value": "{{a}}"}]}}, True),
    ],
)  # fmt: skip
def test_signs_that_are_escaped_are_noted_where_they_are(
    request_: Any, is_altered: bool, tmp_path: Path
) -> None:
    altered = converted(collection(request_), tmp_path, ["x", {"a": '"/"'}]).altered
    assert any(part.how == ConvertersPostmanTexts.row_escaped for part in altered) == is_altered


def test_a_data_file_that_nothing_needs_is_left_out_by_its_name(tmp_path: Path) -> None:
    conversion = converted(collection(f"{HERE}/"), tmp_path, "a\n1\n")
    assert [part.why for part in conversion.dropped] == [ConvertersPostmanTexts.no_column_used]
    assert conversion.plan.feeds == {}


def test_a_list_of_variables_is_globals_and_no_rows(tmp_path: Path) -> None:
    variables = [{"key": "a", "value": "1", "type": "text"}, {"key": "b", "value": "2", "enabled": False}]
    conversion = converted(collection(f"{HERE}/{{{{a}}}}"), tmp_path, variables)
    assert [request.get for request in requests_of(conversion)] == ["/1"]
    rows = converted(collection(f"{HERE}/{{{{key}}}}"), tmp_path, [{"key": "a", "value": "1"}, {"key": "b"}])
    assert [request.get for request in requests_of(rows)] == ["/{data.key}"]


def refusal(content: str, folder: Path, name: str = "data.csv") -> tuple[str, int]:
    """Return the code of the refusal of a data file, and its line."""
    (folder / "c.json").write_text(json.dumps(collection(f"{HERE}/{{{{a}}}}")), encoding="utf-8")
    paths = [folder / "c.json", data_source(folder, content, name).path]
    with pytest.raises(PlanError) as caught:
        convert_files(paths, POSTMAN, folder / "out")
    (problem,) = caught.value.problems
    assert problem.mend
    assert problem.where is not None
    assert problem.where.file == str(folder / name)
    assert not (folder / "out").exists()
    return problem.code, problem.where.line


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 0), ("a,b", 0), ("a,b\n", 0), ("[]", 0), ("[", 1), ("[{]", 1), ("{}", 0), ('{"a": 1}', 0),
        ('a,b\n1,2\n"x\n', 3), ('a,b\n"x"y,2\n', 2), ('a,b\n"x\ny', 2),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_rows_is_refused_at_its_place(content: str, line: int, tmp_path: Path) -> None:
    assert refusal(content, tmp_path) == ("import.bad-test", line)


def test_more_rows_than_fit_and_a_second_file_are_refused(tmp_path: Path) -> None:
    assert refusal("a\n" + "1\n" * (MOST_ROWS + 1), tmp_path) == ("import.bad-test", 0)
    with pytest.raises(PlanError) as caught:
        converted(collection(f"{HERE}/"), tmp_path, "a\n1\n", "a\n2\n")
    assert caught.value.problems[0].code == "import.bad-test"


@given(st.text('a1,"\n\r \t{}[]:.-e\ufeff', max_size=60))
def test_any_text_is_rows_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    source = data_source(tmp_path_factory.mktemp("data"), text)
    rows: object = ()
    code = ""
    try:
        rows = read_rows(source)
    except PlanError as error:
        code = error.problems[0].code
    assert code == "import.bad-test" if rows == () else (rows is None or rows)
