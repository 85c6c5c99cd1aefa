"""Branches of a k6 script that answers decide become conditions of a plan, and all others are listed."""

from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import Conversion, convert_files
from loadrig.plan.passages import Comparison, Condition
from loadrig.plan.requests import Extract
from tests.converters.lists import converted, requests

pytest.importorskip("tree_sitter_javascript")

K6 = members.load("loadrig.converters", "k6")
HEAD = """import http from 'k6/http';
import { check, fail, sleep, group } from 'k6';
const U = 'http://127.0.0.1';
"""
STATUS = Extract(part="status", default="0")


def of_body(body: str, folder: Path, before: str = "") -> Conversion:
    script = (
        f"{HEAD}{before}export default function (data) {{\nconst res = http.get(`${{U}}/a`);\n{body}\n}}\n"
    )
    (folder / "test.js").write_text(script, encoding="utf-8")
    # Written and read anew, so each of these plans is one that `loadrig check` lets pass.
    convert_files([folder / "test.js"], K6, folder / "plan.yaml")
    return converted(K6, script, folder, "test.js")


def made_if(conversion: Conversion) -> dict[str, list[str]]:
    """Return what must hold before each request, by its path: alternatives with `|`, one text for each."""
    guards: dict[str, list[str]] = {}
    through, guard = "", list[str]()
    for step in requests(conversion):
        if step.when is not None:
            guard = ["|".join(map(_shown, condition.comparisons)) for condition in step.when.holds]
            through = step.when.through or str(step.name)
        guards[str(step.get or step.post)] = guard
        if step.name == through:
            guard = []
    return guards


def _shown(part: Comparison) -> str:
    if part.having is not None:
        key, is_so = part.having
        return f"{part.variable} {key if is_so else f'not {key}'}"
    if part.number is not None:
        order, number = part.number
        return f"{part.variable} {order} {number:g}"
    return (
        f"{part.variable} is {part.equal}" if part.equal is not None else f"{part.variable} not {part.other}"
    )


@pytest.mark.parametrize(
    ("condition", "holds", "otherwise"),
    [
        ("res.status === 200", ["status is 200"], ["status not 200"]),
        ("res.status !== 200", ["status not 200"], ["status is 200"]),
        ("200 == res.status", ["status is 200"], ["status not 200"]),
        ("res.status >= 200 && res.status < 300", ["status at_least 200", "status below 300"],
         ["status below 200|status at_least 300"]),
        ("400 <= res.status", ["status at_least 400"], ["status below 400"]),
        ("!(res.status === 200 || res.status === 304)", ["status not 200", "status not 304"],
         ["status is 200|status is 304"]),
        ("[200, 201].includes(res.status)", ["status is 200|status is 201"],
         ["status not 200", "status not 201"]),
        ("res.status", ["status not 0"], ["status is 0"]),
        ("res.json().state === 'done'", ["state is done"], ["state not done"]),
        ("res.json('n') > 2", ["n above 2"], ["n at_most 2"]),
        ("res.json().on === true && res.status == 200", ["on is true", "status is 200"],
         ["on not true|status not 200"]),
        ("res.json().token", ["token is_true"], ["token not is_true"]),
        ("!res.json('token')", ["token not is_true"], ["token is_true"]),
        ("res.json().a != null", ["a is_set"], ["a not is_set"]),
        ("undefined == res.json().a", ["a not is_set"], ["a is_set"]),
        ("res.json().a === null", ["a is_null"], ["a not is_null"]),
        ("res.json().a !== null", ["a not is_null"], ["a is_null"]),
        ("res.json().a === undefined", ["a not is_set", "a not is_null"], ["a is_set|a is_null"]),
        ("res.json().a !== undefined", ["a is_set|a is_null"], ["a not is_set", "a not is_null"]),
        ("res.json().a === ''", ["a is "], ["a not "]),
        ("typeof res.json().a !== 'undefined'", ["a is_set|a is_null"], ["a not is_set", "a not is_null"]),
        ("'a' in res.json()", ["a is_set|a is_null"], ["a not is_set", "a not is_null"]),
        ("res.json().hasOwnProperty('a')", ["a is_set|a is_null"], ["a not is_set", "a not is_null"]),
        ("res.headers['X-Id']", ["x_id is_true"], ["x_id not is_true"]),
        ("res.headers['X-Id'] !== undefined", ["x_id is_set"], ["x_id not is_set"]),
        ("res.headers.Location == '/b'", ["location is /b"], ["location not /b"]),
        ("res.body", ["text is_true"], ["text not is_true"]),
        ("res.body.match(/id=(\\d+)/)", ["match is_set"], ["match not is_set"]),
        ("res.body.match(/id=(\\d+)/) !== null", ["match is_set"], ["match not is_set"]),
        ("res.html().find('input[name=csrf]').attr('value')", ["csrf is_true"], ["csrf not is_true"]),
        ("res.body.includes('a.b')", ["text is a.b"], ["text not a.b"]),
        ("check(res, { ok: (r) => r.status === 200 })", ["status is 200"], ["status not 200"]),
    ],
)  # fmt: skip
def test_a_branch_is_made_where_its_condition_holds_and_its_else_elsewhere(
    condition: str, holds: list[str], otherwise: list[str], tmp_path: Path
) -> None:
    body = f"if ({condition}) {{ http.get(U + '/b'); http.get(U + '/c'); }} else http.get(U + '/d');\n"
    conversion = of_body(f"{body}http.get(U + '/e');", tmp_path)
    expected = {"/a": [], "/b": holds, "/c": holds, "/d": otherwise, "/e": []}
    assert made_if(conversion) == expected
    assert [part.order for part in conversion.dropped] == []


@pytest.mark.parametrize(
    "condition",
    [
        "res.json().state === '3'",  # which the number 3 is not
        "res.body === null",
        "typeof res.json().state === 'string'",
        "res.json().list.length > 0",
        "res.timings.duration < 500",
        "res.status === data.status",
        "res.headers['x-a'] === 'b'",  # k6 has no name of a header in small letters
        "Math.random() < 0.5 && res.status === 200",
        "check(res, { ok: (r) => r.status === 200 && r.timings.duration < 500 })",
        " && ".join(f"res.status !== {number}" for number in range(500, 517)),
        "!(" + " && ".join("(res.status === 1 || res.status === 2)" for _ in range(5)) + ")",
        "!" * 20 + "(res.status === 200)",
    ],
)
def test_a_condition_that_a_plan_cannot_say_is_listed(condition: str, tmp_path: Path) -> None:
    conversion = of_body(f"if ({condition}) {{ http.get(U + '/b'); }}\nhttp.get(U + '/c');", tmp_path)
    assert made_if(conversion) == {"/a": [], "/c": []}
    assert 6 in [part.order for part in conversion.dropped]
    assert requests(conversion)[0].extract == {}


@pytest.mark.parametrize(
    "end", ["return;", "fail('no');", "throw new Error('no');", "{ console.error(res.body); fail('no') }"]
)
def test_what_is_behind_an_end_is_made_only_where_there_is_none(end: str, tmp_path: Path) -> None:
    body = f"if (res.status !== 200) {end}\nhttp.get(U + '/b');\ngroup('g', () => {{ http.get(U + '/c'); }});"
    assert made_if(of_body(body, tmp_path)) == {"/a": [], "/b": ["status is 200"], "/c": ["status is 200"]}


def test_a_failure_ends_the_iteration_and_a_return_its_function_alone(tmp_path: Path) -> None:
    before = """
function one(res) { if (res.status === 404) return; http.get(U + '/b'); }
function two(res) { if (res.status >= 500) fail('no'); http.get(U + '/c'); }
function three(res) { if (res.status === 403) { return null; } http.get(U + '/d'); return 1; }
"""
    body = "one(res);\ntwo(res);\nthree(res);\nif (res.status === 201) { two(res); }\nhttp.get(U + '/e');"
    conversion = of_body(body, tmp_path, before)
    guards = made_if(conversion)
    assert guards.pop("/c") == ["status below 500", "status is 201"]  # the second time
    assert guards == {
        "/a": [],
        "/b": ["status not 404"],
        "/d": ["status below 500"],
        "/e": ["status below 500"],
    }
    # What is returned is not known behind such an end, and within a branch a failure ends more than it.
    assert [part.order for part in conversion.dropped] == [6, 7]


def test_a_check_that_must_hold_decides_about_what_is_behind_it(tmp_path: Path) -> None:
    body = """check(res, { ok: (r) => r.status === 200 }) || fail('no');
const isLong = check(res, { has: (r) => r.body.includes('x') }), isNew = res.status === 201;
if (!isLong || isNew) { http.get(U + '/b'); }
http.get(U + '/c');"""
    conversion = of_body(body, tmp_path)
    ok = "status is 200"
    assert made_if(conversion) == {"/a": [], "/b": [ok, "text not x|status is 201"], "/c": [ok]}
    (first, *_) = requests(conversion)
    assert (first.expect.status, first.expect.contains) == ((200,), ("x",))
    assert first.extract == {"status": STATUS, "text": Extract(regex="x", default="")}


def test_branches_within_branches_are_conditions_of_both(tmp_path: Path) -> None:
    body = """if (res.status === 200) {
  const inner = http.get(U + '/b');
  if (inner.status === 200) { http.get(U + '/c'); } else if (inner.status === 404) { http.get(U + '/d'); }
  http.get(U + `/e/${inner.json().id}/${res.status}`);
}"""
    conversion = of_body(body, tmp_path)
    ok = "status is 200"
    assert made_if(conversion) == {
        "/a": [], "/b": [ok], "/c": [ok, "status_2 is 200"],
        "/d": [ok, "status_2 not 200", "status_2 is 404"],
        "/e/{id}/{status}": [ok],
    }  # fmt: skip
    assert requests(conversion)[1].extract == {"status_2": STATUS, "id": Extract(json="$.id")}


def test_what_only_some_branches_change_is_unknown_behind_them(tmp_path: Path) -> None:
    body = """let path = '/b'; const list = ['x'];
if (res.status === 200) { path = '/c'; list.push('y'); http.get(U + path + list[1]); }
else { http.get(U + path); }
http.get(U + path);
http.get(U + list[0]);
http.get(U + '/d');"""
    conversion = of_body(body, tmp_path)
    assert list(made_if(conversion)) == ["/a", "/cy", "/d"]
    assert [part.order for part in conversion.dropped] == [8, 9, 10]


def test_what_is_taken_for_a_branch_alone_need_not_be_in_other_answers(tmp_path: Path) -> None:
    body = "const at = res.json(); if (res.status === 201) { http.get(U + `/b/${at.id}`); }\n"
    body += "http.get(U + `/c/${at.n}`);"
    (first, *_) = requests(of_body(body, tmp_path))
    assert first.extract == {
        "status": STATUS,
        "id": Extract(json="$.id", default=""),
        "n": Extract(json="$.n"),
    }


def test_a_value_that_is_asked_for_and_sent_is_taken_once(tmp_path: Path) -> None:
    body = "const { token } = res.json(); if (token) { http.get(U + `/b/${token}`); }"
    first, second = requests(of_body(body, tmp_path))
    assert first.extract == {"token": Extract(json="$.token", optional=True)}
    assert second.get == "/b/{token}"


def test_an_answer_itself_is_always_there(tmp_path: Path) -> None:
    assert made_if(of_body("if (!res) { return; }\nhttp.get(U + '/b');", tmp_path)) == {"/a": [], "/b": []}


def test_pauses_and_checks_stand_where_they_are_made(tmp_path: Path) -> None:
    body = """if (res.status === 200) {
  sleep(1);
  check(res, { fast: (r) => r.timings.duration < 500 });
  http.get(U + '/b');
  sleep(2);
}
sleep(3);
http.get(U + '/c');"""
    conversion = of_body(body, tmp_path)
    pauses = [step.think.constant if step.think else 0.0 for step in requests(conversion)]
    assert pauses == [3.0, 2.0, 0.0]
    assert requests(conversion)[0].expect.time is None
    assert [part.order for part in conversion.dropped] == [7, 8]
    assert 12 in [part.order for part in conversion.altered]


def test_a_setup_has_no_branches_and_keeps_what_it_returns(tmp_path: Path) -> None:
    before = """export function setup() {
  const res = http.post(U + '/login');
  if (res.status !== 200) { fail('no'); }
  return { token: res.json().token };
}
"""
    conversion = of_body("if (res.status === 200) http.get(U + `/b?t=${data.token}`);", tmp_path, before)
    assert made_if(conversion) == {"/a": [], "/b?t={token}": ["status is 200"]}
    assert conversion.plan.login is not None
    assert conversion.plan.login.extract == {"token": Extract(json="$.token")}
    assert [part.order for part in conversion.dropped] == [6]


def test_requests_that_ask_about_one_that_is_left_out_are_left_out(tmp_path: Path) -> None:
    body = "const other = http.get('ftp://127.0.0.1/x');\nif (other.status === 200) { http.get(U + '/b'); }"
    conversion = of_body(body, tmp_path)
    assert list(made_if(conversion)) == ["/a"]
    assert [part.order for part in conversion.dropped] == [6, 7]


def test_conditions_are_written_as_a_plan_has_them(tmp_path: Path) -> None:
    conversion = of_body("if (res.status < 400) http.get(U + '/b');", tmp_path)
    when = requests(conversion)[1].when
    assert when is not None
    assert when.holds == (Condition("status", below=400.0),)
