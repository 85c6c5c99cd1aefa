"""Collections of Postman become plans; what is hostile is refused, or has an end."""

import base64
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.converters import Conversion, TestSource
from loadrig.converters._pm_requests import ROOM_TEXTS, TEXTS
from loadrig.converters._pm_scripts import MOST_LETTERS, read_script
from loadrig.plan.requests import Extract
from loadrig.plan.written import WrittenRequest
from tests.converters.documents import HERE, converted_document, expected_plan, outcome, written_plan
from tests.lengths import length

CASES = HERE / "cases" / "postman"
WRITTEN_S = 1_700_000_000
POSTMAN = members.load("loadrig.converters", "postman")
SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def collection(*requests: Any, **root: Any) -> dict[str, Any]:
    items = [{"name": f"r{number}", "request": request} for number, request in enumerate(requests)]
    return {"info": {"name": "test", "schema": SCHEMA}, "item": items, **root}


def requests_of(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


def converted(document: Any, folder: Path) -> Conversion:
    return converted_document("postman", document, folder)


def script(*lines: str) -> dict[str, Any]:
    return {"listen": "test", "script": {"exec": list(lines)}}


@pytest.mark.parametrize("beside", ["", "beside/test.postman_environment.json"])
def test_its_plan_is_the_expected_one(beside: str, tmp_path: Path) -> None:
    folder = shutil.copytree(CASES, tmp_path / "cases")
    os.utime(folder / "shop.json", (WRITTEN_S, WRITTEN_S))
    others = [folder / beside] if beside else []
    plan = written_plan(folder / "shop.json", "postman", tmp_path, *others)
    assert plan == expected_plan("postman", "shop-environment" if beside else "shop")


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("pm.response.to.have.status(204)", (204,)),
        ("pm.test('a', function(){pm.response.to.have.status(204)})", (204,)),
        ("pm.test(`a`, async () => {\n pm.response\n  .to.have.status(204);\n});", (204,)),
        ("pm.test('a', () => pm.expect(pm.response.code).to.equal(201));", (201,)),
        ("pm.expect(pm.response.code).to.be.oneOf([200, 202]);", (200, 202)),
        ("tests['a'] = responseCode.code == 200;", (200,)),
        ("tests['a'] = (responseCode.code === 200);", (200,)),
        ("pm.test('a', function () { pm.response.to.be.ok; });", (200,)),
        ("if (x) { pm.response.to.have.status(200) }", ()),
        ("if (x)\n  pm.response.to.have.status(200)", ()),
        ("// pm.response.to.have.status(200)", ()),
        ("/* pm.response.to.have.status(200)", ()),
        ("x = 'pm.response.to.have.status(200)'", ()),
        ("pm.response.to.have.status('OK')", ()),
        ("pm.sendRequest({url: 1}, function () { pm.response.to.have.status(200); });", ()),
        ("x && pm.response.to.have.status(200)", ()),
    ],
)
def test_a_status_is_carried_where_it_is_checked_in_any_case(text: str, statuses: tuple[int, ...]) -> None:
    assert read_script(text).statuses == statuses


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("pm.environment.set('x', pm.response.json().a.b[0])", Extract(json="$.a.b[0]")),
        ("let d = pm.response.json();\npm.globals.set(\"x\", d['a']);", Extract(json="$.a")),
        ("var d = JSON.parse(responseBody); postman.setEnvironmentVariable('x', d['a b']['c/d'])",
         Extract(json="/a b/c~1d")),
        ("pm.variables.set('x', pm.response.headers.get('Location'))", Extract(header="Location")),
        ("const t = pm.response.json().a; pm.environment.set('x', t.b)", Extract(json="$.a.b")),
        ("pm.environment.set('x', pm.response.code)", Extract(part="status")),
        ("if (pm.response.code === 200) { const d = pm.response.json(); pm.environment.set('x', d.a); }",
         Extract(json="$.a")),
        ("pm.test('a', () => { if (responseCode.code == 201) {pm.globals.set('x', pm.response.json().a)} })",
         Extract(json="$.a")),
        ("if (pm.response.code !== 200) { pm.environment.set('x', pm.response.json().a) }", None),
        ("if (pm.response.code === 200) { if (y) { pm.environment.set('x', pm.response.json().a) } }", None),
        ("let d = pm.response.json(); d = other; pm.environment.set('x', d.a)", None),
        ("pm.environment.set('x', other.a)", None),
        ("pm.environment.set('x', pm.response.json().a + 1)", None),
        ("pm.environment.set('x', pm.response.json().find(y => y.a))", None),
        ("for (const y of z) pm.environment.set('x', pm.response.json().a)", None),
    ],
)  # fmt: skip
def test_a_value_is_taken_from_a_plain_place(text: str, place: Extract | None) -> None:
    assert read_script(text).extracts == ({"x": place} if place else {})


def test_what_is_left_of_a_script_is_named() -> None:
    assert read_script("a();\nb()").left_out == ["a()", "b()"]


@given(st.text("pm.test('a(){}[];\n\"`/*=>if \\", max_size=60))
def test_any_script_is_read(text: str) -> None:
    assert read_script(text).extracts == {}


def test_a_variable_is_what_the_file_says_until_an_answer_sets_it(tmp_path: Path) -> None:
    document = collection(*["http://127.0.0.1/{{v}}"] * 3, variable=[{"key": "v", "value": "first"}])
    document["item"][1]["event"] = [script("pm.environment.set('v', pm.response.json().v)")]
    paths = [request.get for request in requests_of(converted(document, tmp_path))]
    assert paths == ["/first", "/first", "/{v}"]


def test_a_variable_whose_answer_is_left_out_has_a_value(tmp_path: Path) -> None:
    document = collection({"url": "http://127.0.0.1/", "method": "BREW"}, *["http://127.0.0.1/{{v}}"] * 2)
    document["item"][0]["event"] = [script("pm.environment.set('v', pm.response.json().v)")]
    assert converted(document, tmp_path).plan.feeds["v"].feed.values == ("v",)
    assert outcome("postman", json.dumps(document).encode(), tmp_path) == ""


def test_an_environment_stands_above_the_collection_and_globals_below(tmp_path: Path) -> None:
    document = collection("http://127.0.0.1/{{a}}/{{b}}/{{c}}", variable=[{"key": "b", "value": "2"}])
    document["variable"].append({"key": "c", "value": "2"})
    (tmp_path / "c.json").write_text(json.dumps(document), encoding="utf-8")
    for name, scope, keys in (("g.json", "globals", "abc"), ("e.json", "environment", "c")):
        values = [{"key": key, "value": scope[0], "enabled": True} for key in keys]
        content = {"values": values, "_postman_variable_scope": scope}
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    companions = tuple(TestSource(tmp_path / name) for name in ("e.json", "g.json"))
    conversion = POSTMAN.convert(TestSource(tmp_path / "c.json", companions))
    assert requests_of(conversion)[0].get == "/g/2/e"


def test_a_secret_without_a_value_is_a_hole_of_its_own_name(tmp_path: Path) -> None:
    variables = [{"key": "PATH", "value": "", "type": "secret"}]
    request = {"url": "http://127.0.0.1/", "header": [{"key": "A", "value": "{{PATH}} {env:HOME}"}]}
    (converted_request,) = requests_of(converted(collection(request, variable=variables), tmp_path))
    assert converted_request.headers == {"A": "{env:SECRET_PATH} {{env:HOME}}"}


@pytest.mark.parametrize(
    ("login", "header"),
    [
        ({"type": "bearer", "bearer": {"token": "t"}}, "Bearer t"),
        ({"type": "bearer", "bearer": []}, "Bearer {env:SECRET_BEARER_TOKEN}"),
        ({"type": "basic", "basic": {"username": "a", "password": ""}}, "Basic {env:SECRET_BASIC_LOGIN}"),
        ({"type": "oauth2", "oauth2": [{"key": "accessToken", "value": "t"}]}, "Bearer t"),
        ({"type": "hawk", "hawk": []}, None),
        ({"type": "noauth"}, None),
        (None, None),
    ],
)
def test_a_login_that_a_folder_hands_down_is_a_header(login: Any, header: str | None, tmp_path: Path) -> None:
    inner = collection("http://127.0.0.1/")["item"]
    document = collection(item=[{"name": "folder", "item": inner, "auth": login}])
    (request,) = requests_of(converted(document, tmp_path))
    assert request.headers.get("Authorization") == header


def test_a_file_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    body = {"mode": "file", "file": {"src": "../secret.txt"}}
    conversion = converted(
        collection({"url": "http://127.0.0.1/", "method": "PUT", "body": body}), tmp_path / "inner"
    )
    assert conversion.plan.files == ()
    assert conversion.dropped


# --- hostile --------------------------------------------------------------------------------------

GOOD = json.dumps(collection("http://127.0.0.1/")).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 50,
        b"[]",
        b"{}",
        GOOD[:-5],
        GOOD.replace(b"127", b"\xff"),
        b"\xff\xfe" + GOOD,
        b"[" * 100_000,
        b'{"item": ' * 60 + b"[]" + b"}" * 60 + b"x",
        b'{"item": [' * 200 + b"]}" * 200,
        b'{"item": [1e999]}',
        b'{"values": [], "_postman_variable_scope": "environment"}',
        b'{"requests": [], "order": []}',
    ],
)
def test_what_is_no_collection_is_refused(content: bytes, tmp_path: Path) -> None:
    assert outcome("postman", content, tmp_path) == "import.bad-test"


def test_a_collection_without_requests_makes_no_plan(tmp_path: Path) -> None:
    assert outcome("postman", json.dumps(collection()).encode(), tmp_path) == "import.nothing-in-it"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "document",
    [
        collection("http://127.0.0.1/{{a}}", variable=[{"key": "a", "value": "{{a}}{{a}}"}]),
        collection(
            "http://127.0.0.1/{{a}}",
            variable=[{"key": "a", "value": "{{b}}"}, {"key": "b", "value": "{{a}}"}],
        ),
        collection(
            *["http://127.0.0.1/{{a0}}"] * 20,
            variable=[{"key": f"a{n}", "value": f"{{{{a{n + 1}}}}}" * 10} for n in range(20)],
        ),
        collection("http://127.0.0.1/" + "{{" * 50_000),
        collection("http://127.0.0.1/", event=[script("pm.test('" + "(" * MOST_LETTERS)]),
        collection("http://127.0.0.1/", event=[script("/*" * (MOST_LETTERS // 2 - 1))]),
        collection("http://127.0.0.1/", event=[script("pm.environment.set('x'," * 800)]),
        collection("http://127.0.0.1/", event=[script("\n" * (MOST_LETTERS - 1) + "a")]),
        collection("http://127.0.0.1/", event=[script("d.a" * 6_000)]),
        collection(*["http://127.0.0.1/"] * length(1_000, 5_000)),
        collection("{{{host}}}:{{port}}/a{b}://c", "http://127.0.0.1/http://a/?b=http://c"),
        collection(*[f"http://127.0.0.1/{{{{v{n}}}}}" for n in range(length(250, 1_000))]),
    ],
    ids=range(12),
)
def test_a_small_collection_that_means_very_much_has_an_end(document: Any, tmp_path: Path) -> None:
    assert outcome("postman", json.dumps(document).encode(), tmp_path) in ("", "import.plan-refused")


@given(place=st.integers(0, 10**6), value=st.sampled_from([None, 7, [], {}, "x", [[]], True, "\ud800\r\n{{"]))
def test_values_of_any_type_anywhere_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: Any
) -> None:
    document = json.loads((CASES / "shop.json").read_text(encoding="utf-8"))
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        part = waiting.pop()
        for key in list(part) if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], dict | list):
                waiting.append(part[key])
    part, key = places[place % len(places)]
    part[key] = value
    code = outcome("postman", json.dumps(document).encode(), tmp_path_factory.mktemp("any"))
    assert code in ("", "import.bad-test", "import.nothing-in-it")


@pytest.mark.parametrize("mode", ["urlencoded", "formdata"])
def test_a_form_without_fields_sends_no_type(mode: str, tmp_path: Path) -> None:
    body = {"mode": mode, mode: [{"key": "a", "value": "b", "disabled": True}]}
    request = {"method": "POST", "url": "http://127.0.0.1:8000/a", "body": body}
    (written,) = requests_of(converted(collection(request), tmp_path))
    assert (written.post, dict(written.headers), written.body) == ("/a", {}, None)


@pytest.mark.parametrize("name", ["key", "id"])
def test_a_variable_of_a_path_is_named_by_its_key_or_its_id(name: str, tmp_path: Path) -> None:
    url = {
        "protocol": "http",
        "host": ["127", "0", "0", "1"],
        "port": "8000",
        "path": ["status", ":code"],
        "variable": [{name: "code", "value": "201"}],
    }
    (written,) = requests_of(converted(collection({"method": "GET", "url": url}), tmp_path))
    assert written.get == "/status/201"


@pytest.mark.parametrize(
    ("path", "is_told"), [("/a?q={{b}}", False), ('/a?q="b"', True), ("/a b", True), ("/a?q=%22", False)]
)
def test_signs_that_are_encoded_all_the_same_are_told(path: str, is_told: bool, tmp_path: Path) -> None:
    document = collection({"url": f"http://127.0.0.1:8000{path}"})
    document["item"][0]["protocolProfileBehavior"] = {"disableUrlEncoding": True}
    conversion = converted(document, tmp_path)
    assert any(part.how == TEXTS.encoded_all_the_same for part in conversion.altered) is is_told


@pytest.mark.parametrize(
    ("host", "server"),
    [
        ("127.1:81", "127.0.0.1:81"),
        ("0x7f.1", "127.0.0.1"),
        ("2130706433:9", "127.0.0.1:9"),
        ("1.2.3", "1.2.0.3"),
        ("999.1", "999.1"),
        ("a.1", "a.1"),
    ],
)
def test_an_address_of_few_numbers_is_a_whole_one(host: str, server: str, tmp_path: Path) -> None:
    conversion = converted(collection({"url": f"http://{host}/get"}), tmp_path)
    assert conversion.plan.server == f"http://{server}"


IN_PARTS = {"protocol": "http", "host": "127.0.0.1", "port": "8000", "path": "get"}


@pytest.mark.parametrize(
    ("url", "pair"),
    [
        ("http://us%20er:w%3Ard@127.0.0.1:8000/get", "us er:w:rd"),
        ("http://user@127.0.0.1:8000/get", "user:"),
        ("http://:word@127.0.0.1:8000/get", ":word"),
        ("http://u:{{pw}}@127.0.0.1:8000/get", "u:se cret"),
        ("http://u:p:q@r@127.0.0.1:8000/get", "u:p:q@r"),
        ({**IN_PARTS, "auth": {"user": "user", "password": "word"}}, "user:word"),
    ],
)
def test_a_login_in_an_address_is_sent_as_newman_sends_it(url: Any, pair: str, tmp_path: Path) -> None:
    variable = [{"key": "pw", "value": "se cret"}]
    conversion = converted(collection({"method": "GET", "url": url}, variable=variable), tmp_path)
    (written,) = requests_of(conversion)
    assert written.get == "/get"
    assert written.headers == {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    assert (conversion.plan.server, conversion.dropped) == ("http://127.0.0.1:8000", ())


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({"header": [{"key": "authorization", "value": "Own"}]}, "Own"),
        ({"auth": {"type": "bearer", "bearer": {"token": "t"}}}, "Bearer t"),
    ],
)
def test_another_login_than_that_of_the_address_comes_first(more: Any, value: str, tmp_path: Path) -> None:
    request = {"method": "GET", "url": "http://u:p@127.0.0.1:8000/get", **more}
    (written,) = requests_of(converted(collection(request), tmp_path))
    assert list(written.headers.values()) == [value]


def test_a_login_in_an_address_that_nothing_fixes_is_named(tmp_path: Path) -> None:
    conversion = converted(collection({"url": "http://u:{{unknown}}@127.0.0.1:8000/get"}), tmp_path)
    (written,) = requests_of(conversion)
    assert (written.headers, conversion.plan.server) == ({}, "http://127.0.0.1:8000")
    assert len(conversion.dropped) == 1
    assert "unknown" not in conversion.dropped[0].what


def test_a_header_that_stands_twice_is_sent_with_both_values(tmp_path: Path) -> None:
    pairs = [("X-A", "1"), ("Cookie", "a=1"), ("x-a", "{{b}}"), ("Cookie", "b=2")]
    headers = [{"key": key, "value": text} for key, text in pairs]
    request = {"url": "http://127.0.0.1:8000/", "header": headers}
    conversion = converted(collection(request, variable=[{"key": "b", "value": "2"}]), tmp_path)
    (written,) = requests_of(conversion)
    assert written.headers == {"x-a": "1, 2", "Cookie": "a=1; b=2"}
    assert len([part for part in conversion.altered if part.how == ROOM_TEXTS.headers_joined]) == 2


@pytest.mark.parametrize(
    ("headers", "kind"), [([], "text/plain"), ([{"key": "content-type", "value": "a/b"}], "a/b")]
)
def test_a_file_is_sent_with_the_type_that_postman_gives_it(headers: Any, kind: str, tmp_path: Path) -> None:
    (tmp_path / "up.json").write_text("{}", encoding="utf-8")
    body = {"mode": "file", "file": {"src": "up.json"}}
    request = {"method": "POST", "url": "http://127.0.0.1:8000/", "header": headers, "body": body}
    (written,) = requests_of(converted(collection(request), tmp_path))
    assert [value for name, value in written.headers.items() if name.lower() == "content-type"] == [kind]


def test_a_file_that_is_not_there_has_no_type(tmp_path: Path) -> None:
    body = {"mode": "file", "file": {"src": "up.json"}}
    request = {"method": "POST", "url": "http://127.0.0.1:8000/", "body": body}
    (written,) = requests_of(converted(collection(request), tmp_path))
    assert not written.headers
