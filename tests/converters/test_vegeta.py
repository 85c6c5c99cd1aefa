"""Targets of vegeta become the requests of a plan."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.converters import TestSource, converter_of
from loadrig.converters import _listed as listed_module
from loadrig.plan.arrivals import Rate
from tests.converters.lists import converted, lines_of, read_or_refused, refused, requests
from tests.importers.made import RECORDED

VEGETA = members.load("loadrig.converters", "vegeta")
CASES = Path(__file__).parent / "cases" / "vegeta"
GET = "GET http://127.0.0.1:8099"


def test_targets_become_requests_with_headers_and_bodies() -> None:
    conversion = VEGETA.convert(TestSource(CASES / "targets.txt"))
    by_name = {request.name: request for request in requests(conversion)}
    order = by_name["POST /orders"]
    assert order.body == (CASES / "beside" / "order.json").read_text().replace("{", "{{").replace("}", "}}")
    assert order.headers == {
        "Content-Type": "application/json",
        "X-Trace": "one",
        "Authorization": "Basic dXNlcjpwYXNz",
    }
    assert by_name["PUT /orders/*"].body == "hello\nthere\n"
    assert by_name["GET /items/*?lang"].get == "/items/{items.id}?lang={items.lang}"
    assert lines_of(conversion)["targets-items.csv"] == ["id,lang", "1,en", "2,ko", "2,a&b"]
    assert {part.order for part in conversion.dropped} == {8, 20, 22, 23}
    assert conversion.plan.server == "http://127.0.0.1:8099"
    assert isinstance(conversion.plan.arrivals, Rate)
    assert {request.follow_redirects for request in requests(conversion)} == {10}


def test_objects_of_json_become_requests_each_body_its_own() -> None:
    conversion = VEGETA.convert(TestSource(CASES / "targets.json"))
    bodies = [request.body for request in requests(conversion) if request.post]
    assert json.loads((bodies[0] or "").replace("{{", "{").replace("}}", "}")) == {"n": 0, "t": "\u00e4\n"}
    assert len(bodies) == 6
    assert [file.content for file in conversion.plan.files] == [b"\x00\xff\x01"]


def test_headers_of_the_same_name_are_one(tmp_path: Path) -> None:
    conversion = converted(VEGETA, f"{GET}/\nX-A: one\nx-a: two\n", tmp_path)
    assert requests(conversion)[0].headers == {"X-A": "one, two"}
    assert [part.order for part in conversion.altered] == [0, 1]


def test_targets_are_weighted_by_how_often_they_stand_there(tmp_path: Path) -> None:
    conversion = converted(VEGETA, f"{GET}/a\n{GET}/b\n{GET}/a\n", tmp_path)
    assert [scenario.weight for scenario in conversion.plan.scenarios] == [2, 1]


def test_what_is_too_much_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_module, "MOST_LISTED", 10)
    monkeypatch.setattr(listed_module, "MOST_ROUTES", 3)
    words = ["a", "b", "c", "d", "e"]
    conversion = converted(VEGETA, "".join(f"{GET}/{word}\n" for word in words * 3), tmp_path)
    assert len(requests(conversion)) == 3
    assert len(conversion.dropped) == 3


@pytest.mark.parametrize("path", sorted(RECORDED.iterdir()), ids=lambda path: str(path.name))
def test_results_stay_a_run(path: Path) -> None:
    assert converter_of(path) is None


@pytest.mark.parametrize("name", ["vegeta.json", "vegeta.csv"])
def test_results_of_vegeta_stay_a_run_also_where_its_name_is_given(name: str) -> None:
    assert converter_of(RECORDED / name, "vegeta") is None


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"GET http://127.0.0.1/\nno header\n", 2),
        (b"GET http://127.0.0.1/\nname:\n", 2),
        (b"hello\n", 1),
        (b'{"method":"GET","url":"http://127.0.0.1/"}\n{"method":"GET","ur', 2),
        (b'{"method":"GET","url":5}\n', 1),
        (b'{"method":"GET","url":"http://127.0.0.1/","body":"%%"}\n', 1),
        (b'{"method":"GET","url":"http://127.0.0.1/","header":[1]}\n', 1),
        (b"[" * 100_000, 1),
        (b'{"a":' * 100_000, 1),
        (b"GET http://127.0.0.1/\n" + b"a" * 3_000_000, 2),
        (f"{GET}/\n".encode("utf-16"), 1),
    ],
)
def test_what_is_no_target_is_refused_at_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    assert refused(VEGETA, content, tmp_path, "targets.txt") == ("import.bad-test", line)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"GET /\n", b"GET http://[::1/\nGET http://a:b/\n"])
def test_targets_without_a_request_make_no_plan(content: bytes, tmp_path: Path) -> None:
    assert refused(VEGETA, content, tmp_path, "targets.txt")[0] == "import.nothing-in-it"


def test_a_packed_file_that_is_cut_cannot_be_read(tmp_path: Path) -> None:
    content = gzip.compress(f"{GET}/\n".encode() * 1000)[:-20]
    assert refused(VEGETA, content, tmp_path, "targets.txt.gz")[0] == "import.cannot-read"


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), length=st.floats(0, 1))
@pytest.mark.parametrize("name", ["targets.txt", "targets.json"])
def test_targets_that_are_cut_or_changed_anywhere_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, place: float, byte: int, length: float
) -> None:
    content = bytearray((CASES / name).read_bytes())
    content[int(place * len(content))] = byte
    cut = bytes(content[: int(length * len(content)) + 1])
    assert read_or_refused(VEGETA, cut, tmp_path_factory.mktemp("cut"), name).startswith("import.")
