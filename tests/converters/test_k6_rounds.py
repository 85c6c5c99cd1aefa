"""Loops of a k6 script that answers end become rounds of a plan's steps, and all others are listed."""

from pathlib import Path

import pytest

from loadrig.base.units import Count
from loadrig.converters._k6_rounds import ROUNDS, TEXTS
from loadrig.plan.passages import Condition, Repeat
from loadrig.plan.requests import Extract
from tests.converters.lists import requests
from tests.converters.test_k6_branches import made_if, of_body

pytest.importorskip("tree_sitter_javascript")

STATE = Extract(json="$.state", optional=True)
DONE, NOT_DONE = Condition("state", equal="done"), Condition("state", other="done")


def repeats(body: str, folder: Path) -> dict[str, Repeat]:
    """Return the rounds of the plan by the paths of their first requests."""
    steps = requests(of_body(f"let r;\n{body}\nhttp.get(U + '/e');", folder))
    return {str(step.get): step.repeat for step in steps if step.repeat is not None}


@pytest.mark.parametrize(
    ("loop", "at_most"),
    [
        ("do { r = http.get(U + '/b'); } while (r.json().state !== 'done');", ROUNDS),
        ("do r = http.get(U + '/b'); while (!(r.json().state === 'done'))", ROUNDS),
        ("let n = 0; do { r = http.get(U + '/b'); n++ } while (n < 7 && r.json().state !== 'done');", 7),
        ("let n = 9; do { n -= 2; r = http.get(U + '/b'); } while (r.json().state !== 'done' && n > 0);", 5),
        ("while (true) { r = http.get(U + '/b'); if (r.json().state === 'done') break; }", ROUNDS),
        ("let n = 0; while (n < 3) { n += 1; r = http.get(U + '/b'); if (r.json().state === 'done') break }",
         3),
        ("for (let i = 0; i < 4; i++) { r = http.get(U + '/b'); if (r.json('state') === 'done') break; }",
         4),
        ("for (let i = 0; i >= 0; i++) { r = http.get(U + '/b'); if (r.json('state') === 'done') break; }",
         ROUNDS),
    ],
)  # fmt: skip
def test_a_loop_that_asks_behind_its_requests_ends_by_what_they_say(
    loop: str, at_most: int, tmp_path: Path
) -> None:
    assert repeats(loop, tmp_path) == {"/b": Repeat(until=(DONE,), at_most=Count(at_most))}


def test_a_loop_that_asks_before_its_requests_asks_one_variable_of_both(tmp_path: Path) -> None:
    body = """let job = http.get(U + '/b');
const first = job;
while (job.json().state !== 'done') { sleep(2); job = http.get(U + '/c'); http.get(U + '/d'); }
if (first.json().state === 'done') { http.get(U + '/f'); }"""
    conversion = of_body(body, tmp_path)
    _, before, polled, behind, asked = requests(conversion)
    (shared,) = polled.extract
    assert before.extract == {shared: STATE, "state": STATE}
    going = (Condition(shared, other="done"),)
    assert polled.repeat == Repeat(going=going, through="GET /d", at_most=Count(ROUNDS))
    assert polled.extract == {shared: STATE}
    assert asked.when is not None
    assert asked.when.holds == (DONE,)
    assert behind.think is not None
    assert behind.think.constant == 2.0
    noted = [part.how for part in conversion.altered if part.order in (7, 8)]
    assert TEXTS.pause_of_round in noted
    assert TEXTS.ends_after(ROUNDS) in noted


def test_behind_a_loop_its_last_answer_is_known_where_it_is_made_in_any_case(tmp_path: Path) -> None:
    sure = "do { r = http.get(U + '/b'); } while (r.status === 202);\nhttp.get(U + `/c/${r.json().id}`);"
    assert "/c/{id}" in made_if(of_body(f"let r;\n{sure}", tmp_path))
    unsure = (
        "let r = res;\nwhile (r.status === 202) { r = http.get(U + '/b'); }\nhttp.get(U + `/c/${r.status}`);"
    )
    (tmp_path / "unsure").mkdir()
    conversion = of_body(unsure, tmp_path / "unsure")
    assert list(made_if(conversion)) == ["/a", "/b"]
    assert [part.order for part in conversion.dropped] == [8]


def test_loops_and_branches_are_in_each_other(tmp_path: Path) -> None:
    body = """let r;
if (res.status === 200) {
  do {
    r = http.get(U + '/b');
    if (r.json().state === 'busy') { http.get(U + '/c'); }
  } while (r.json().state === 'busy');
  if (r.json().state === 'busy') { http.get(U + '/d'); }
  http.get(U + '/e');
}
http.get(U + '/f');"""
    conversion = of_body(body, tmp_path)
    ok, busy = "status is 200", "state is busy"
    assert made_if(conversion) == {
        "/a": [],
        "/b": [ok],
        "/c": [ok, busy],
        "/d": [ok, busy],
        "/e": [ok],
        "/f": [],
    }
    assert requests(conversion)[1].repeat == Repeat(
        until=(Condition("state", other="busy"),), through="GET /c", at_most=Count(ROUNDS)
    )
    assert conversion.dropped == ()


@pytest.mark.parametrize(
    "loop",
    [
        "while (Math.random() < 0.5) { http.get(U + '/b'); }",
        "do { r = http.get(U + '/b'); if (r.status === 404) return; } while (r.status === 202);",
        "do { r = http.get(U + '/b'); if (r.status === 404) continue; } while (r.status === 202);",
        "while (true) { http.get(U + '/b'); }",
        "while (true) { r = http.get(U + '/b'); if (r.status === 200) break; http.get(U + '/c'); }",
        "while (true) { r = http.get(U + '/b'); if (r.status === 200) { http.get(U + '/c'); break; } }",
        "while (res.status === 200) { r = http.get(U + '/b'); if (r.status === 200) break; }",
        "for (;;) { r = http.get(U + '/b'); if (r.status === 200) break; }",
        "for (let i = 5; i < 4; i++) { r = http.get(U + '/b'); if (r.status === 200) break; }",
        "let n = data.n; do { n++; r = http.get(U + '/b'); } while (n < 4 && r.status === 202);",
        "let n = 0; do { r = http.get(U + '/b'); } while (n < 4 && r.status === 202);",
        "do { sleep(1); } while (res.status === 202);",
        "r = res; while (r.status === 202) { r = http.get(U + '/b'); r = data; }",
        "do { do { r = http.get(U + '/b'); } while (r.status === 202); } while (r.status === 201);",
    ],
)
def test_other_loops_are_listed_as_a_whole(loop: str, tmp_path: Path) -> None:
    conversion = of_body(f"let r;\n{loop}\nhttp.get(U + '/e');", tmp_path)
    assert list(made_if(conversion)) == ["/a", "/e"]
    assert [part.order for part in conversion.dropped] == [7]
    assert not [part for part in conversion.altered if part.order == 7]
