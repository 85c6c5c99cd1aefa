"""Values that a k6 script takes out of a page by a pattern, and statements around requests."""

from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.units import Bytes, Count
from loadrig.converters import Conversion
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.value_checks import ValueCheck
from tests.converters.lists import converted, requests

pytest.importorskip("tree_sitter_javascript")

K6 = members.load("loadrig.converters", "k6")
HEAD = "import http from 'k6/http';\nimport { check, fail, group } from 'k6';\n"
PAGE = "http.get('http://127.0.0.1/form')"


def of_body(body: str, folder: Path) -> Conversion:
    return converted(K6, f"{HEAD}export default () => {{ {body} }}\n", folder, "script.js")


@pytest.mark.parametrize(
    ("value", "name", "pattern"),
    [
        ('p.body.match(\'name="token" value="(.*)"\')[1]', "token", 'name="token" value="(.*)"'),
        (r"p.body.match(/id='(\d+)'/)[1]", "match", r"id='(\d+)'"),
        (r"p.body.match(/href=\/x\/(\d+)/is)[1]", "match", r"(?is)href=\/x\/(\d+)"),
        (r"/\d{4}/u.exec(p.body)[0]", "match", r"\d{4}"),
        ("p.body.match(`(?:a|b)(c)`)?.[1]", "match", "(?:a|b)(c)"),
    ],
)
def test_what_a_pattern_finds_is_extracted(value: str, name: str, pattern: str, tmp_path: Path) -> None:
    body = f"const p = {PAGE}; const t = {value}; http.post('http://127.0.0.1/', `t=${{t}}`);"
    conversion = of_body(body, tmp_path)
    page, post = requests(conversion)
    assert page.extract == {name: Extract(regex=pattern)}
    assert ConvertersK6Texts.goes_on_without in {part.how for part in conversion.altered}
    assert post.body == f"t={{{name}}}"


@pytest.mark.parametrize(
    "value",
    [
        "p.body.match(/(a)(b)/)[2]", "p.body.match(/(a)/)[0]", "p.body.match(/a/)[1]",
        "p.body.match(/a/g)[0]",
        "p.body.match(/(a)(?=b)/)[1]", "p.body.match(x)[1]", "p.body.match(/(a)/)",
        "p.body.match(/(a)/)[1].b", "'a'.match(/(a)/)[1]", "p.match(/(a)/)[1]", "p.body.match()[1]",
    ],
)  # fmt: skip
def test_what_only_running_would_find_is_left_out(value: str, tmp_path: Path) -> None:
    body = f"const p = {PAGE}; const t = {value}; http.post('http://127.0.0.1/', `t=${{t}}`);"
    conversion = of_body(body, tmp_path)
    (page,) = requests(conversion)
    assert page.extract == {}
    assert len(conversion.dropped) == 1


@pytest.mark.parametrize(
    ("value", "name", "place"),
    [
        (
            "p.html().find('form#f input[name=csrf]').first().attr('value')",
            "csrf",
            Extract(css='form#f input[name="csrf"]', attribute="value"),
        ),
        ("p.html('#token').text()", "token", Extract(css="#token")),
        (
            "parseHTML(p.body).find('ul').find('li > a').eq(2).attr('href')",
            "href",
            Extract(css="ul li > a", attribute="href", match=Count(3)),
        ),
        ("p.html().find('input.x').val()", "value", Extract(css="input.x", attribute="value")),
    ],
)
def test_what_a_selector_finds_is_extracted(value: str, name: str, place: Extract, tmp_path: Path) -> None:
    body = f"const p = {PAGE}; const t = {value}; http.post('http://127.0.0.1/', `t=${{t}}`);"
    page, post = requests(of_body(body, tmp_path))
    assert (page.extract, post.body) == ({name: place}, f"t={{{name}}}")


@pytest.mark.parametrize(
    "value",
    ["p.html().text()", "p.html().find('a:contains(x)').text()", "p.html().find('a').eq(1).find('b').text()",
     "p.html().find('a').parent().text()", "p.html().find('a').find('b, c').text()", "p.html('a').attr()"],
)  # fmt: skip
def test_what_no_selector_says_is_left_out(value: str, tmp_path: Path) -> None:
    body = f"const p = {PAGE}; const t = {value}; http.post('http://127.0.0.1/', `t=${{t}}`);"
    (page,) = requests(of_body(body, tmp_path))
    assert page.extract == {}


@pytest.mark.parametrize(
    ("condition", "expect"),
    [
        ("r.body.match(/id=(\\d+);/)", Expect(matches=(r"id=(\d+);",))),
        ("r.body.match(/id=\\d+;/) !== null", Expect(matches=(r"id=\d+;",))),
        ("r.status === 200 && r.body.match('id') != null", Expect(status=(200,), matches=("id",))),
        ("r.body.length > 0", Expect(size_min=Bytes(1))),
        ("r.body.match(/a/) === null", Expect(values=(ValueCheck(regex="a", is_set=False, name="ok"),))),
        ("r.body.match(/a/) !== undefined", Expect()),  # it is null where nothing matches
        ("r.json('a.b') != null", Expect(values=(ValueCheck(json="$.a.b", is_set=True, name="ok"),))),
        ("r.headers['X-Id'] === 'b'", Expect(values=(ValueCheck(header="X-Id", equal="b", name="ok"),))),
        ("r.headers['x-id'] !== undefined", None),  # which no answer has in k6
        ("r.status >= 200 && r.status < 203", Expect(status=(200, 201, 202))),
        ("r.status === 201 || r.json().a === 1", None),
        ("r.status < 500", None),
        ("r.body.length > 5", None),
    ],
)
def test_a_check_asks_what_a_body_must_match(condition: str, expect: Expect | None, tmp_path: Path) -> None:
    conversion = of_body(f"check({PAGE}, {{ ok: (r) => {condition} }});", tmp_path)
    assert requests(conversion)[0].expect == (expect or Expect())
    assert bool(conversion.dropped) == (expect is None)


def test_a_check_of_a_value_that_the_script_has_kept_needs_no_variable(tmp_path: Path) -> None:
    body = f"const p = {PAGE}; const b = p.json(); const q = {PAGE};"
    checks = "check(p, { a: () => b.x != null, c: (r) => r.json().y > q.json().y });"
    conversion = of_body(f"{body} {checks}", tmp_path)
    page, other = requests(conversion)
    assert page.expect == Expect(values=(ValueCheck(json="$.x", is_set=True, name="a"),))
    assert (page.extract, other.extract) == ({}, {})
    assert len(conversion.dropped) == 1


def test_what_no_request_needs_is_not_extracted(tmp_path: Path) -> None:
    (page,) = requests(of_body(f"const p = {PAGE}; const t = p.body.match(/(a)/)[1];", tmp_path))
    assert page.extract == {}


def test_equal_patterns_are_one_variable_and_others_have_numbers(tmp_path: Path) -> None:
    takes = " ".join(f"const t{n} = p.body.match(/{letter}(.)/)[1];" for n, letter in enumerate("aba"))
    body = f"const p = {PAGE}; {takes} http.post('http://127.0.0.1/', `${{t0}}${{t1}}${{t2}}`);"
    page, post = requests(of_body(body, tmp_path))
    assert page.extract == {"match": Extract(regex="a(.)"), "match_2": Extract(regex="b(.)")}
    assert post.body == "{match}{match_2}{match}"


def test_a_group_gives_values_to_variables_around_it_and_keeps_its_own(tmp_path: Path) -> None:
    body = f"""
        let p, q = 'outer';
        group('g', () => {{ let q = 'inner'; p = {PAGE}; }});
        http.post(`http://127.0.0.1/${{q}}`, `t=${{p.body.match(/(a)/)[1]}}`);
    """
    page, post = requests(of_body(body, tmp_path))
    assert page.extract == {"match": Extract(regex="(a)")}
    assert (post.post, post.body) == ("/outer", "t={match}")


def test_a_variable_that_a_group_computes_is_unknown_behind_it(tmp_path: Path) -> None:
    body = f"let q = 'a'; group('g', () => {{ q = other(); {PAGE}; }}); http.get(`http://127.0.0.1/${{q}}`);"
    assert len(requests(of_body(body, tmp_path))) == 1


@pytest.mark.parametrize("behind", ["fail('no')", "console.log('no')"])
def test_a_check_before_what_ends_an_iteration_is_carried(behind: str, tmp_path: Path) -> None:
    body = f"check({PAGE}, {{ ok: (r) => r.status === 200 }}) || {behind};"
    conversion = of_body(body, tmp_path)
    (page,) = requests(conversion)
    assert page.expect.status == (200,)
    assert [part.what for part in conversion.dropped] == [behind]
