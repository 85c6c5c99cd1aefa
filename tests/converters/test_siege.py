"""Lists of URLs for siege become the requests of a plan."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.converters import TestSource, converter_of
from tests.converters.lists import converted, lines_of, read_or_refused, refused, requests

SIEGE = members.load("loadrig.converters", "siege")
CASES = Path(__file__).parent / "cases" / "siege"


def test_lines_become_steps_in_their_order() -> None:
    conversion = SIEGE.convert(TestSource(CASES / "urls.txt"))
    assert len(conversion.plan.scenarios) == 1
    steps = requests(conversion)
    assert [step.get or step.post or step.put for step in steps] == [
        "/shop/",
        "/shop/items?id=1&lang=ko",
        "/shop/login",
        "/orders",
        "/plain",
    ]
    assert steps[2].body == "user=jeff&word=ha{{ha}}"
    assert steps[2].headers == {"Content-Type": "application/x-www-form-urlencoded"}
    assert steps[3].body == '{{"a": 1}}'
    assert steps[3].headers == {"Content-Type": "application/json"}
    assert [part.order for part in conversion.dropped] == [9, 11, 12, 13]
    assert conversion.plan.arrivals.level == 25


def test_a_long_list_becomes_routes_by_their_shares() -> None:
    conversion = SIEGE.convert(TestSource(CASES / "long-list.txt"))
    assert [request.get for request in requests(conversion)] == ["/items/{items.id}?page={items.page}"]
    assert conversion.plan.scenarios[0].weight == 300
    assert len(lines_of(conversion)["long-list-items.csv"]) == 301


@pytest.mark.parametrize(
    ("name", "text", "is_read"),
    [
        ("a.txt", "http://127.0.0.1/\nhttps://127.0.0.1/a POST x=1\n", True),
        ("a.txt", "127.0.0.1/a\n", False),
        ("urls.txt", "127.0.0.1/a\n", True),
        ("a.txt", "A=1\n", False),
        ("a.txt", "GET http://127.0.0.1/\n", False),
        ("a.txt", "see http://127.0.0.1/\n", False),
    ],
)
def test_a_list_is_recognised_by_its_lines(name: str, text: str, is_read: bool, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert (converter_of(path) is SIEGE) == is_read


def test_variables_of_variables_have_an_end(tmp_path: Path) -> None:
    lines = ["a0=xxxxxxxxxx", *(f"a{n + 1}=$(a{n})$(a{n})" for n in range(60))]
    conversion = converted(SIEGE, "\n".join([*lines, "http://127.0.0.1/$(a60)"]), tmp_path)
    assert len(requests(conversion)[0].get or "") < 20_000


@pytest.mark.parametrize(
    "content", [b"", b"# nothing\n", b"A=1\n", b"ftp://127.0.0.1/\n", b"\0\0\0\n", b"http://127.0.0.1/%ff\n"]
)
def test_a_list_without_a_request_makes_no_plan(content: bytes, tmp_path: Path) -> None:
    assert refused(SIEGE, content, tmp_path, "urls.txt")[0] == "import.nothing-in-it"


def test_a_line_of_megabytes_is_refused(tmp_path: Path) -> None:
    content = b"http://127.0.0.1/\nhttp://127.0.0.1/" + b"a" * 3_000_000
    assert refused(SIEGE, content, tmp_path, "urls.txt") == ("import.bad-test", 2)


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), length=st.floats(0, 1))
def test_a_list_that_is_cut_or_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: float, byte: int, length: float
) -> None:
    content = bytearray((CASES / "urls.txt").read_bytes())
    content[int(place * len(content))] = byte
    cut = bytes(content[: int(length * len(content)) + 1])
    assert read_or_refused(SIEGE, cut, tmp_path_factory.mktemp("cut"), "urls.txt").startswith("import.")
