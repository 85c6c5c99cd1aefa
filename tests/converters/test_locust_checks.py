"""Checks of answers in a locustfile become what a request expects, or are said to be left out."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.converters import Conversion
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.plan.requests import Expect
from tests.converters.lists import converted, requests

LOCUST = members.load("loadrig.converters", "locust")
HEAD = "from locust import FastHttpUser, HttpUser, task\nclass A(HttpUser):\n    host = 'http://127.0.0.1'\n"


def of_checks(folder: Path, *lines: str, call: str = "get('/', catch_response=True)") -> Conversion:
    body = "".join(f"            {line}\n" for line in lines)
    text = f"{HEAD}    @task\n    def a(self):\n        with self.client.{call} as r:\n{body}"
    return converted(LOCUST, text, folder, "locustfile.py")


def is_left_out(conversion: Conversion) -> bool:
    return any(part.why == ConvertersLocustTexts.no_checks for part in conversion.dropped)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("r.status_code != 201", {"status": (201,)}),
        ("r.status_code not in (204, 200)", {"status": (200, 204)}),
        ("not r.ok", {}),
        ("'in stock' not in r.text", {"contains": ("in stock",)}),
        ("r.elapsed.total_seconds() > 0.5", {"time": 0.5}),
        ("r.json()['a'][0] != 'x'", {"json": {"$.a[0]": "x"}}),
        ("r.js['ok'] is not True", {"json": {"$.ok": True}}),
        ("r.status_code != 200 or 'a' not in r.text", {"status": (200,), "contains": ("a",)}),
    ],
)
def test_what_an_answer_has_to_be_is_expected(test: str, expected: dict[str, Any], tmp_path: Path) -> None:
    conversion = of_checks(tmp_path, f"if {test}:", "    r.failure('no')")
    assert [step.expect for step in requests(conversion)] == [Expect(**expected)]
    assert not is_left_out(conversion)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("r.status_code == 201, 'why'", {"status": (201,)}),
        ("r.status_code in (204, 200)", {"status": (200, 204)}),
        ("r.ok and r.js['a'][0] == 'x'", {"json": {"$.a[0]": "x"}}),
        ("'in stock' in r.text", {"contains": ("in stock",)}),
        ("r.elapsed.total_seconds() < 0.5", {"time": 0.5}),
    ],
)
def test_what_a_rest_asserts_is_expected(test: str, expected: dict[str, Any], tmp_path: Path) -> None:
    text = f"""{HEAD.replace("(HttpUser)", "(FastHttpUser)")}    @task
    def a(self):
        with self.rest("GET", "/") as r:
            assert {test}
        with self.rest("GET", "/b") as r:
            assert r.js or r.ok
"""
    conversion = converted(LOCUST, text, tmp_path, "locustfile.py")
    assert [step.expect for step in requests(conversion)] == [Expect(**expected), Expect()]
    assert [part.why for part in conversion.dropped] == [ConvertersLocustTexts.no_checks]


def test_conditions_after_each_other_are_all_expected(tmp_path: Path) -> None:
    conversion = of_checks(
        tmp_path,
        "if r.status_code != 200:", "    r.failure('status')",
        "elif r.elapsed.total_seconds() > 2:", "    r.failure('slow')",
        "if 'a' not in r.text:", "    r.failure('text')",
    )  # fmt: skip
    assert [step.expect for step in requests(conversion)] == [
        Expect(status=(200,), time=2.0, contains=("a",))  # type: ignore[arg-type]
    ]
    assert not is_left_out(conversion)


@pytest.mark.parametrize(
    "lines",
    [
        ("if r.status_code == 404:", "    r.success()"),
        ("if r.status_code != 200:", "    r.failure('no')", "else:", "    r.success()"),
        ("if r.status_code != 200:", "    self.count += 1", "    r.failure('no')"),
        ("if r.status_code != self.good:", "    r.failure('no')"),
        ("if r.status_code != True:", "    r.failure('no')"),
        ("if r.status_code not in ():", "    r.failure('no')"),
        ("if r.text != 'a':", "    r.failure('no')"),
        ("if '' not in r.text:", "    r.failure('no')"),
        ("if r.json()[x] != 1:", "    r.failure('no')"),
        ("if r.json()['a'] != None:", "    r.failure('no')"),
        ("if r.status_code != 200 and r.text:", "    r.failure('no')"),
        ("if other.status_code != 200:", "    other.failure('no')"),
        ("if not other.ok:", "    r.failure('no')"),
        ("assert r.status_code == 200",),
    ],
)
def test_what_only_running_the_file_would_tell_is_left_out(lines: tuple[str, ...], tmp_path: Path) -> None:
    conversion = of_checks(tmp_path, *lines)
    assert [step.expect for step in requests(conversion)] == [Expect()]
    assert is_left_out(conversion)


def test_checks_are_of_the_request_that_they_stand_below(tmp_path: Path) -> None:
    conversion = of_checks(
        tmp_path, "self.client.get('/b')", "if r.status_code != 201:", "    r.failure('no')"
    )
    assert [(step.get, step.expect.status) for step in requests(conversion)] == [("/", (201,)), ("/b", ())]


def test_what_is_no_request_has_no_checks(tmp_path: Path) -> None:
    task = (
        "self.client.get('/')\n        with open('x') as r:\n            if r.status_code != 2: r.failure()\n"
    )
    text = f"{HEAD}    @task\n    def a(self):\n        {task}"
    conversion = converted(LOCUST, text, tmp_path, "locustfile.py")
    assert [step.expect for step in requests(conversion)] == [Expect()]
