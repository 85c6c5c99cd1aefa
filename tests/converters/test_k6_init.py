"""Statements outside of a k6 script's functions, and expressions whose values its text tells."""

from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import Conversion
from tests.converters.lists import converted, requests

pytest.importorskip("tree_sitter_javascript")

K6 = members.load("loadrig.converters", "k6")
HEAD = "import http from 'k6/http';\nimport { SharedArray } from 'k6/data';\nconst B = 'http://127.0.0.1';\n"


def of_script(before: str, body: str, folder: Path) -> Conversion:
    script = f"{HEAD}{before}\nexport default function () {{\n  http.get(B + '/first');\n  {body}\n}}\n"
    return converted(K6, script, folder, "script.js")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("const o = { u: '/a' }; o.u = '/b'; const U = o.u;", "/b"),
        ("const a = []; for (let i = 1; i <= 3; i++) { a.push(`x${i}`); } const U = '/' + a.join('-');",
         "/x1-x2-x3"),
        ("const { u: U, v = '/v' } = { u: '/a' };", "/a"),
        ("const { u, v = '/v' } = { u: '/a' }; const U = u + v;", "/a/v"),
        ("const [u, { w }] = ['/a', { w: '/b' }]; const U = u + w;", "/a/b"),
        ("const U = path('a', 2); function path(x, n, end = '/z') { const p = `/${x}`; return p + n + end; }",
         "/a2/z"),
        ("const make = (name) => ({ url: '/' + name }); const U = make('x').url;", "/x"),
        ("let n = 1; { n += 1; } const U = n === 2 && n > 1 ? '/two' : '/other';", "/two"),
        ("let U = '/a'; if (U.length == 2) { U = '/b'; } else { U = '/c'; }", "/b"),
        ("let U = '/a'; if (!U) U = '/b'; else if (U !== '/a') U = '/c';", "/a"),
        ("const U = ['b', 'c'].map((x, i) => `/${x}${i}`).concat('/d').join('');", "/b0/c1/d"),
        ("const U = '/' + [{ n: 1, on: false }, { n: 2, on: true }].filter((x) => x.on)[0].n;", "/2"),
        ("const q = { b: 1, a: 2 }; const U = '/?' + Object.entries(q).map(([k, v]) => k + v).join('&');",
         "/?b1&a2"),
        ("const U = '/' + Object.keys({ a: 1, b: 2 }).length;", "/2"),
        ("const U = '/' + 'A-b-c'.toLowerCase().split('-').slice(1).join('') + 'xyz'.substring(2, 1);",
         "/bcy"),
        ("const U = '/' + 'a.b'.replace('.', '_').padStart(5, '0').charAt(1) + ' x '.trim();", "/0x"),
        ("const list = ['/a', ...['/b', '/c']]; const U = list[list.length - 1];", "/c"),
        ("const U = null ?? '/a' || '/b';", "/a"),
        ("let b = '/a'; const l = []; for (let i = 0; i < 2; i++) { b += i; l.push(f()); } const U = l[1];"
         " function f() { return b; }", None),
        ("const b = '/a'; const l = []; for (let i = 0; i < 2; i++) { l.push(f(i)); } const U = l[1];"
         " function f(n) { return b + n; }", "/a1"),
        ("let U; (function () { U = '/a'; });", None),
        ("let U = '/a'; if (__ENV.X) { U = '/b'; }", None),
        ("let U = '/a'; for (const x of other()) { U = x; }", None),
        ("const a = ['/a']; const U = a.sort()[0];", None),
        ("const U = loop(); function loop() { return loop(); }", None),
        ("const U = two(two(two('/a'))); function two(x) { return x + x; }", "/a" * 8),
    ],
)  # fmt: skip
def test_a_value_that_the_script_itself_makes_is_sent(
    before: str, expected: str | None, tmp_path: Path
) -> None:
    conversion = of_script(before, "http.get(B + U);", tmp_path)
    sent = [request.get for request in requests(conversion)]
    assert sent == ["/first", *([expected] if expected else [])]
    assert any(part.order for part in conversion.dropped) == (expected is None)


def test_a_function_that_only_makes_a_value_is_called_within_a_request(tmp_path: Path) -> None:
    before = (
        "const H = { A: '1' }; H.B = '2';\nconst url = (u) => `${B}${u}`;\n"
        "function params(kind) { return { headers: { ...H, K: kind } }; }"
    )
    body = "const user = { n: 'x' }; http.post(url('/a'), JSON.stringify(body(user)), params('k'));"
    conversion = of_script(f"{before}\nfunction body(u) {{ return {{ name: u.n }}; }}", body, tmp_path)
    request = requests(conversion)[1]
    assert (request.post, request.body) == ("/a", '{{"name":"x"}}')
    assert {key: request.headers[key] for key in "ABK"} == {"A": "1", "B": "2", "K": "k"}


def test_a_function_that_changes_what_it_is_given_is_not_taken_for_its_value(tmp_path: Path) -> None:
    before = "function fill(o) { o.u = '/b'; return o; }"
    body = "const o = { u: '/a' }; http.get(B + fill(o).u); http.get(B + o.u);"
    assert [request.get for request in requests(of_script(before, body, tmp_path))] == ["/first"]


def test_entries_of_a_shared_array_that_the_script_writes_out_are_a_feed(tmp_path: Path) -> None:
    before = (
        "const L = new SharedArray('', () => [{ n: 'a' }, { n: 'b' }].map((x) => ({ ...x, p: x.n + x.n })));"
    )
    body = "const x = L[Math.floor(Math.random() * L.length)]; http.get(`${B}/${x.n}/${x.p}`);"
    conversion = of_script(before, body, tmp_path)
    assert requests(conversion)[1].get == "/{L.n}/{L.p}"


def test_a_small_script_whose_functions_call_each_other_often_has_an_end(tmp_path: Path) -> None:
    doubling = "\n".join(f"const f{n} = (x) => f{n - 1}(x) + f{n - 1}(x);" for n in range(1, 30))
    before = f"const f0 = (x) => x;\n{doubling}\nconst U = f29('/a');"
    conversion = of_script(before, "http.get(B + U);", tmp_path)
    assert len(requests(conversion)) == 1
