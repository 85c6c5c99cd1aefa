"""Values that the statements of a k6 script change are sent as k6 would send them, or are listed."""

from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import Conversion
from tests.converters.lists import converted, requests

pytest.importorskip("tree_sitter_javascript")

K6 = members.load("loadrig.converters", "k6")
HEAD = "import http from 'k6/http';\nimport { sleep, group } from 'k6';\nconst B = 'http://127.0.0.1';\n"


def of_body(body: str, folder: Path, before: str = "") -> Conversion:
    script = f"{HEAD}{before}\nexport default function () {{\n  http.get(B + '/first');\n  {body}\n}}\n"
    return converted(K6, script, folder, "script.js")


def is_listed(conversion: Conversion) -> bool:
    return any(part.order for part in conversion.dropped)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let u = '/a'; u += '?x=1'; http.get(B + u);", ["/a?x=1"]),
        ("let n = 1; n++; n += 2; --n; n *= 3; http.get(`${B}/${n}`);", ["/9"]),
        ("let o = {}; o.u = '/a'; o['v'] = o.u + '/b'; http.get(B + o.v);", ["/a/b"]),
        ("let o = { p: {} }; o.p.u = '/a'; http.get(B + o.p.u);", ["/a"]),
        ("const o = { u: '/a' }; const p = o; p.u = '/b'; http.get(B + o.u);", ["/b"]),
        ("const o = { u: '/a' }; const p = { ...o }; p.u = '/b'; http.get(B + o.u);", ["/a"]),
        ("const o = { u: '/a' }; delete o.u; http.get(B + o.u);", []),
        ("const a = ['/a']; a.push('/b'); a.unshift('/c'); a[3] = '/d'; http.get(B + a[0] + a[2] + a[3]);",
         ["/c/b/d"]),
        ("const a = ['/a', '/b']; const u = a.pop(); http.get(B + u); http.get(B + a.shift());", ["/b"]),
        ("const o = {}; Object.assign(o, { u: '/a' }); http.get(B + o.u);", ["/a"]),
        ("let u, v; u = v = '/a'; http.get(B + v); u = '/b', v = '/c'; http.get(B + u + v);", ["/a", "/b/c"]),
        ("let u = '/a'; { let u = '/b'; http.get(B + u); } http.get(B + u);", ["/b", "/a"]),
        ("let u = '/a'; group('g', () => { u += '/b'; }); http.get(B + u);", ["/a/b"]),
        ("const o = { u: '/a' }; fill(o); http.get(B + o.u);", ["/filled"]),
        ("let u = '/a'; if (__VU > 1) { u = '/b'; } http.get(B + u);", []),
        ("let u = '/a'; for (let i = 0; i < 3; i++) { u = '/' + i; } http.get(B + u);", ["/2"]),
        ("for (let i = 4; i >= 0; i -= 2) http.get(`${B}/${i}`);", ["/4", "/2", "/0"]),
        ("for (var i = 0; i < 2; i++) {} http.get(`${B}/${i}`);", ["/2"]),
        ("let i = '/a'; for (let i = 0; i < 1; i++) { B; } http.get(B + i);", ["/a"]),
        ("for (const u of ['/a', '/b']) { http.get(B + u); }", ["/a", "/b"]),
        ("const a = ['/a']; for (const u of a) for (let i = 0; i < 2; i++) http.get(B + u + i);",
         ["/a0", "/a1"]),
        ("for (let i = 0; i < __VU; i++) { http.get(`${B}/${i}`); }", []),
        ("for (let i = 0; i < 9; i++) { if (i > 2) break; http.get(`${B}/${i}`); }", []),
        ("for (let i = 0; i < 9; i++) { http.get(`${B}/${i}`); i += __VU; }", []),
        ("let n = 3; for (let i = 0; i < n; i++) { n = 1; http.get(`${B}/${i}`); }", []),
        ("for (let i = 0; i < 1e9; i++) { http.get(`${B}/${i}`); }", []),
        ("const a = ['/a']; for (const u of a) { a.push(u); http.get(B + u); }", []),
        ("['/a', '/b'].forEach((u, i) => http.get(B + u + i));", ["/a0", "/b1"]),
        ("let n = 0; ['/a', '/b'].forEach((u) => { n += 1; }); http.get(B + '/' + n);", ["/2"]),
        ("const a = ['/a']; a.forEach((u) => { a.push(u); http.get(B + u); });", []),
        ("other().forEach((u) => { http.get(B + u); });", []),
        ("for (const k in { a: 1 }) { http.get(B + k); }", []),
        ("let u = '/a'; try { u = '/b'; } catch (e) { u = '/c'; } http.get(B + u);", []),
        ("const o = { u: '/a' }; const p = [o]; if (__VU > 1) { o.u = '/b'; } http.get(B + p[0].u);", []),
        ("const o = { u: '/a' }; unknown(o); http.get(B + o.u);", []),
        ("let [u] = ['/a']; u = '/b'; [u] = ['/c']; http.get(B + u);", ["/c"]),
        ("const u = __VU > 1 ? visit('/x') : 0;", []),
        ("__VU > 1 && sleep(3);", []),
        ("const u = unsure(); http.get(B + '/' + u);", []),
    ],
)  # fmt: skip
def test_a_value_that_statements_change_is_carried_or_listed(
    body: str, expected: list[str], tmp_path: Path
) -> None:
    before = (
        "function fill(o) { o.u = '/filled'; }\nfunction visit(u) { http.get(B + u); }\n"
        "function unsure() { return __ITER + 1; }"
    )
    conversion = of_body(body, tmp_path, before)
    assert [request.get for request in requests(conversion)] == ["/first", *expected]
    assert is_listed(conversion) == (not expected or "shift()" in body)


@pytest.mark.parametrize(
    "use",
    [
        "const ok = {};",
        "if (!{}) {{ return; }}",
        "rate.add(!{});",
        "if ({}) {{ sleep(1); }}",
        "{} || fail('x');",
    ],
)
def test_a_check_is_carried_whatever_the_script_does_with_its_result(use: str, tmp_path: Path) -> None:
    check = "check(r, { 'status': (a) => a.status === 201 })"
    script = f"const r = http.get(B + '/a'); {use.format(check)} http.get(B + '/b');"
    conversion = of_body(script, tmp_path, before="import { check, fail } from 'k6';")
    _, checked, behind = requests(conversion)
    assert (checked.expect.status, behind.get) == ((201,), "/b")
    assert all(part.what.startswith(("if", "rate", "fail", "sleep")) for part in conversion.dropped)


def test_what_each_round_of_a_loop_leaves_out_is_listed_once(tmp_path: Path) -> None:
    body = "for (let i = 0; i < 5; i++) { http.get(`${B}/${i}`); if (__VU > 1) sleep(1); }"
    conversion = of_body(body, tmp_path)
    assert len(requests(conversion)) == 6
    assert len([part for part in conversion.dropped if part.order]) == 1


def test_headers_that_a_script_adds_and_deletes_are_sent_as_they_are_then(tmp_path: Path) -> None:
    body = (
        "const p = { headers: { A: '1' } }; p.headers['B'] = '2'; http.get(B, p);"
        "delete p.headers.A; http.get(B, p);"
    )
    _, first, second = requests(of_body(body, tmp_path))
    assert (first.headers, second.headers) == ({"A": "1", "B": "2"}, {"B": "2"})


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("let n = 0;", "n++; http.get(`${B}/${n}`);"),
        ("const o = { u: '/a' };", "http.get(B + o.u); o.u = '/b';"),
        ("const a = [];", "a.push(1); http.post(B, JSON.stringify(a));"),
        ("let u = '/a'; if (__ENV.X) { u = '/b'; }", "http.get(B + u);"),
    ],
)
def test_a_value_that_outlives_an_iteration_and_changes_is_computed(
    before: str, body: str, tmp_path: Path
) -> None:
    conversion = of_body(body, tmp_path, before)
    assert [request.get for request in requests(conversion)] == ["/first"]
    assert is_listed(conversion)


def test_functions_have_names_of_their_own(tmp_path: Path) -> None:
    before = "function visit(u) { http.get(B + u); u = '/z'; }\nfunction two() { http.get(B + v); }"
    conversion = of_body("let u = '/a', v = '/v'; visit('/b'); http.get(B + u); two();", tmp_path, before)
    assert [request.get for request in requests(conversion)] == ["/first", "/b", "/a"]
    assert len(conversion.dropped) == 1


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("JSON.stringify({ a: 1, b: undefined, 2: 'x', c: [undefined] })", '{{"2":"x","a":1,"c":[null]}}'),
        ("'' + 1e-7", "1e-7"),
        ("'' + 1.5e-10", "1.5e-10"),
        ("'' + 0.000001", "0.000001"),
        ("'' + 1e21", "1e+21"),
        ("'' + 123e18", "123000000000000000000"),
        ("'' + -0.5", "-0.5"),
        ("'' + 12.25", "12.25"),
        ("'' + 100", "100"),
        ("'' + 0", "0"),
    ],
)
def test_texts_are_as_javascript_writes_them(code: str, text: str, tmp_path: Path) -> None:
    _, request = requests(of_body(f"http.post(B, {code});", tmp_path))
    assert request.body == text
