"""A plan made of a test sends what JMeter itself sent, which `recording` has kept: request for request.

Compared are method, path with query, headers but those by which a tool names itself, body, and their order
within a user, who says who it is by a header of the test.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.recording import CASES, at_port, recorded, recording

pytestmark = pytest.mark.integration

RUN_S = 60

MADE = re.compile(
    r"(?P<uuid>[0-9a-f]{8}-[0-9a-f-]{27})|(?<=[?&]r=)[1-6](?=&)|(?<=&s=)[abc]{4}|(?<=&d=)[3-9](?=$)|(?<=t=)\d{13}"
)
"""Values that functions of JMeter make: each has its form, and no other value."""


def sent(name: str, folder: Path) -> list[dict[str, Any]]:
    """Return what the plan of a case sends."""
    with recording() as server:
        case = at_port(CASES / f"{name}.jmx", server.server_port, folder / "test")
        conversion = convert_files(
            [case], members.load("loadrig.converters", "jmeter"), folder / "plan" / "plan.yaml"
        )
        words = [sys.executable, "-m", "loadrig.cli", "run", str(conversion.path), "-o", str(folder / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        return server.requests


def by_user(requests: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    users: dict[str, list[dict[str, Any]]] = {}
    for request in requests:
        users.setdefault(request["headers"].get("x-user", ""), []).append(request)
    return users


def test_every_kind_of_request_is_sent_as_jmeter_sends_it(tmp_path: Path) -> None:
    assert sent("shop", tmp_path) == recorded("shop")


@pytest.mark.nightly
def test_requests_of_javas_own_client_have_its_headers(tmp_path: Path) -> None:
    assert sent("java", tmp_path) == recorded("java")


@pytest.mark.nightly
def test_values_of_rows_are_sent_as_jmeter_sends_them(tmp_path: Path) -> None:
    assert sent("values", tmp_path) == recorded("values")


@pytest.mark.nightly
def test_requests_of_a_first_loop_alone_are_made_in_it_as_by_jmeter(tmp_path: Path) -> None:
    assert sent("once", tmp_path) == recorded("once")


def test_values_below_controllers_are_those_of_the_rounds_of_jmeter(tmp_path: Path) -> None:
    assert sent("rounds", tmp_path) == recorded("rounds")


def test_forms_with_files_are_sent_as_jmeter_sends_them(tmp_path: Path) -> None:
    assert sent("upload", tmp_path) == recorded("upload")


@pytest.mark.nightly
def test_values_that_selectors_of_jsoup_and_jodd_take_are_sent_as_by_jmeter(tmp_path: Path) -> None:
    assert sent("selectors", tmp_path) == recorded("selectors")


def test_loops_of_controllers_are_made_as_often_as_by_jmeter(tmp_path: Path) -> None:
    assert sent("loops", tmp_path) == recorded("loops")


@pytest.mark.nightly
def test_conditions_ask_whether_there_is_a_value_as_jmeter_does(tmp_path: Path) -> None:
    assert sent("presence", tmp_path) == recorded("presence")


@pytest.mark.parametrize("name", ["cached", "validated", "cleared"])
def test_a_cache_spares_the_requests_that_it_spares_in_jmeter(name: str, tmp_path: Path) -> None:
    assert sent(name, tmp_path) == recorded(name)


@pytest.mark.nightly
def test_each_of_several_users_makes_the_requests_of_a_thread_in_its_order(tmp_path: Path) -> None:
    assert by_user(sent("users", tmp_path)) == by_user(recorded("users"))


@pytest.mark.nightly
def test_each_thread_takes_the_parts_of_interleave_controllers_in_their_turn(tmp_path: Path) -> None:
    assert by_user(sent("turns", tmp_path)) == by_user(recorded("turns"))


@pytest.mark.nightly
def test_what_is_picked_by_chance_has_the_shares_of_jmeter(tmp_path: Path) -> None:
    counts, theirs = (
        Counter(request["path"] for request in requests)
        for requests in (sent("chance", tmp_path), recorded("chance"))
    )
    assert counts["/always"] == theirs["/always"] == counts["/one"] == theirs["/one"] == 80
    assert counts["/left"] + counts["/right"] == theirs["/left"] + theirs["/right"] == 80
    # 80 draws at a half have a standard deviation of 4.5, at a fifth of 3.6: four of them are let pass.
    assert abs(counts["/left"] - 40) < 18
    assert abs(counts["/seldom"] - 16) < 15
    assert set(counts) == set(theirs)


def test_functions_make_values_of_the_same_form(tmp_path: Path) -> None:
    ours, theirs = (
        [
            (request["method"], MADE.sub("#", request["path"]), request["headers"], request["body"])
            for request in requests
            # A plan evaluates no scripts and no formats of time; both are noted as sent as they stand.
            if not request["path"].startswith(("/script", "/time"))
        ]
        for requests in (sent("functions", tmp_path), recorded("functions"))
    )
    assert ours == theirs
