"""Descriptions of OpenAPI become plans; what is hostile is refused, or has an end."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.converters import Conversion
from loadrig.converters._oas_parameters import encoded, in_path, in_query
from loadrig.converters._oas_refs import DocumentReferences
from loadrig.converters._oas_samples import MOST_MADE, SchemaSampler
from loadrig.converters._secret_holes import PREFIX, HoleText, secret_variable
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import WrittenRequest
from tests.converters.documents import HERE, converted_document, expected_plan, outcome, written_plan

OPENAPI = members.load("loadrig.converters", "openapi")
HOST = "http://127.0.0.1:8000"
CASES = HERE / "cases" / "openapi"


def description(operation: Any, path: str = "/a", **root: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": {path: {"post": operation}}, **root}


def request_of(conversion: Conversion) -> WrittenRequest:
    (scenario,) = conversion.plan.scenarios
    return scenario.steps[0].request


def sampled(schema: Any, **schemas: Any) -> tuple[Any, SchemaSampler]:
    sampler = SchemaSampler(DocumentReferences({"components": {"schemas": schemas}}))
    return sampler.value(schema, ""), sampler


@pytest.mark.parametrize("file", sorted(CASES.glob("*.*")), ids=lambda path: path.name)
def test_its_plan_is_the_expected_one(file: Path, tmp_path: Path) -> None:
    assert written_plan(file, "openapi", tmp_path) == expected_plan("openapi", file.stem)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "example": "a", "default": "b", "enum": ["c"]}, "a"),
        ({"type": "string", "default": "b", "enum": ["c"]}, "b"),
        ({"type": ["null", "string"], "enum": [None, "c"]}, "c"),
        ({"examples": ["d"]}, "d"),
        ({"const": 0}, 0),
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True}, 4),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "number", "minimum": 0.25, "maximum": 0.75}, 0.5),
        ({"type": "integer", "minimum": 11, "multipleOf": 10}, 20),
        ({"type": "string", "minLength": 6, "maxLength": 6}, "textxx"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "format": "ipv4"}, "192.0.2.1"),
        ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, [True, True]),
        ({"type": "array", "maxItems": 0, "items": {"type": "boolean"}}, []),
        ({"prefixItems": [{"const": 1}], "minItems": 2, "items": {"const": 2}}, [1, 2]),
        ({"properties": {"a": {"const": 1}, "b": {"const": 2, "readOnly": True}}}, {"a": 1}),
        ({"required": ["a"], "properties": {"a": {"const": 1}, "b": {"example": 2}, "c": {}}},
         {"a": 1, "b": 2}),
        ({"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]},
         {"a": 1, "b": 2}),
        ({"anyOf": [{"$ref": "#/nowhere"}, {"type": "null"}, {"const": 3}]}, 3),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {}),
        ({"type": "null"}, None),
    ],
)  # fmt: skip
def test_a_schema_has_the_value_that_it_gives_or_one_of_its_type(schema: Any, value: Any) -> None:
    assert sampled(schema)[0] == value


def test_what_is_made_up_is_named() -> None:
    schema = {
        "properties": {"a": {"type": "string", "pattern": "x+"}, "b": {"type": "string", "example": ""}}
    }
    assert sampled(schema)[1].made == ["a"]
    assert sampled(schema)[1].unlike == ["a"]


@pytest.mark.parametrize("schema", [{"type": "string", "format": "password"}, {"type": "string"}])
def test_a_secret_is_never_made_up(schema: Any) -> None:
    value, sampler = sampled({"properties": {"clientSecret": schema}})
    assert value == {"clientSecret": "{env:SECRET_CLIENT_SECRET}"}
    assert isinstance(value["clientSecret"], HoleText)
    assert sampler.secrets == ["clientSecret"]


@given(st.text(max_size=80))
def test_no_secret_has_the_name_of_a_variable_that_is_there_already(name: str) -> None:
    variable = secret_variable(name)
    assert variable.startswith(PREFIX)
    assert variable.removeprefix(PREFIX).replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("style", "explode", "texts"),
    [
        ("simple", False, ["b", "b,c", "k,v"]),
        ("simple", True, ["b", "b,c", "k=v"]),
        ("label", False, [".b", ".b,c", ".k,v"]),
        ("label", True, [".b", ".b.c", ".k=v"]),
        ("matrix", False, [";a=b", ";a=b,c", ";a=k,v"]),
        ("matrix", True, [";a=b", ";a=b;a=c", ";k=v"]),
    ],
)
def test_styles_of_paths_are_those_of_the_specification(style: str, explode: bool, texts: list[str]) -> None:
    values: list[Any] = ["b", ["b", "c"], {"k": "v"}]
    assert [in_path("a", value, style, explode=explode) for value in values] == texts


@pytest.mark.parametrize(
    ("style", "explode", "texts"),
    [
        ("form", True, ["a=b", "a=b&a=c", "k=v"]),
        ("form", False, ["a=b", "a=b,c", "a=k,v"]),
        ("spaceDelimited", False, ["a=b", "a=b%20c", "a=k%20v"]),
        ("pipeDelimited", False, ["a=b", "a=b%7Cc", "a=k%7Cv"]),
        ("deepObject", True, ["a=b", "a=b&a=c", "a%5Bk%5D=v"]),
    ],
)
def test_styles_of_queries_are_those_of_the_specification(
    style: str, explode: bool, texts: list[str]
) -> None:
    values: list[Any] = ["b", ["b", "c"], {"k": "v"}]
    assert [in_query("a", value, style, explode=explode, encode=encoded) for value in values] == texts


def test_an_address_in_a_path_is_no_other_server(tmp_path: Path) -> None:
    document = description({}, "/proxy/http://a/b")
    assert request_of(converted_document("openapi", document, tmp_path)).post == "/proxy/http%3A//a/b"
    assert outcome("openapi", json.dumps(document).encode(), tmp_path) == ""


def test_aliases_and_merges_of_yaml_are_followed(tmp_path: Path) -> None:
    text = "openapi: 3.0.0\nx-a: &a\n  responses: {'201': {}}\npaths:\n  /a:\n    put:\n      <<: *a\n"
    conversion = converted_document("openapi", text, tmp_path, "a.yaml")
    assert request_of(conversion).expect.status == (201,)


# --- hostile --------------------------------------------------------------------------------------

GOOD = json.dumps(description({"responses": {"200": {}}})).encode()
BOMB = "openapi: 3.0.0\na0: &a0 [x, x, x]\n" + "".join(
    f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 20)
)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "a.json"),
        (b"  \n", "a.yaml"),
        (b"\0" * 50, "a.json"),
        (GOOD[:-5], "a.json"),
        (GOOD[:-5] + b"\xff" + GOOD[-5:], "a.json"),
        (b"\xff\xfe" + GOOD, "a.json"),
        (b"[" * 100_000, "a.json"),
        (b"[" * 100_000, "a.yaml"),
        (b'{"openapi": "3.0.0", "a": ' + b"[" * 300 + b"]" * 300 + b"}", "a.json"),
        (b'{"openapi": "3.0.0", "a": 1e999}', "a.json"),
        (b'{"openapi": "3.0.0", "a": ' + b"9" * 5_000 + b"}", "a.json"),
        (b'{"swagger": "2.0", "paths": {}}', "a.json"),
        (b'{"openapi": "4.0.0", "paths": {}}', "a.json"),
        (b"[]", "a.json"),
        (b"3", "a.yaml"),
        (BOMB.encode(), "a.yaml"),
        (b"openapi: 3.0.0\npaths: &a {b: *a}\n", "a.yaml"),
        (b"openapi: 3.0.0\nopenapi: 3.0.1\n", "a.yaml"),
        (b"openapi: 3.0.0\npaths: !evil {}\n", "a.yaml"),
        (b"openapi: 3.0.0\n---\nopenapi: 3.0.0\n", "a.yaml"),
        (b"openapi: 3.0.0\n" + b"x: aaaaaaaaaaa\n" * 80_000, "a.yaml"),
    ],
)
def test_what_is_no_description_is_refused(content: bytes, name: str, tmp_path: Path) -> None:
    assert outcome("openapi", content, tmp_path, name) == "import.bad-test"


def test_a_description_without_operations_makes_no_plan(tmp_path: Path) -> None:
    assert outcome("openapi", b'{"openapi": "3.0.0", "paths": {}}', tmp_path) == "import.nothing-in-it"


def _body(schema: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "schemas",
    [
        {"A": {"$ref": "#/components/schemas/A"}},
        {"A": {"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/A"}]}},
        {"A": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}},
        {"A": {"type": "array", "items": {"$ref": "#"}}},
        {
            "A": {"oneOf": [{"$ref": "#/components/schemas/B"}]},
            "B": {"anyOf": [{"$ref": "#/components/schemas/A"}]},
        },
        {"A": {"properties": {"a": {"$ref": "#/components/schemas/A0"}}}}
        | {f"A{n}": {"allOf": [{"$ref": f"#/components/schemas/A{n + 1}"}] * 3} for n in range(30)},
        {"A": {"$ref": "#/components/schemas/A0"}}
        | {
            f"A{n}": {"properties": {k: {"$ref": f"#/components/schemas/A{n + 1}"} for k in "abcdefgh"}}
            for n in range(30)
        },
        {"A": {"type": "string", "minLength": 10**12}},
        {"A": {"type": "array", "minItems": 10**12, "items": {}}},
        {"A": {"type": "integer", "minimum": 1e308, "multipleOf": 1e-308}},
    ],
)  # fmt: skip
def test_schemas_that_mean_very_much_have_an_end(schemas: Any, tmp_path: Path) -> None:
    operation = _body({"$ref": "#/components/schemas/A"})
    document = description(operation, components={"schemas": schemas})
    assert outcome("openapi", json.dumps(document).encode(), tmp_path) == ""
    request = request_of(converted_document("openapi", document, tmp_path))
    assert len(json.dumps(request.json)) < 40 * MOST_MADE


def test_references_that_lead_in_a_circle_or_out_are_named(tmp_path: Path) -> None:
    operation = {"parameters": [{"$ref": "#/x/a"}, {"$ref": "file:///etc/passwd"}], "responses": {}}
    circle = {"a": {"$ref": "#/x/b"}, "b": {"$ref": "#/x/a"}}
    dropped = converted_document("openapi", description(operation, x=circle), tmp_path).dropped
    assert len([part for part in dropped if "$ref" in part.what]) == 2


def test_a_foreign_text_names_no_secret_of_this_machine(tmp_path: Path) -> None:
    hole = "{env:HOME}"
    operation = {
        "operationId": hole,
        "parameters": [
            {"name": "q", "in": "query", "required": True, "example": hole},
            {"name": "X-A", "in": "header", "required": True, "example": hole},
            {"name": "c", "in": "cookie", "required": True, "example": hole},
        ],
        "requestBody": {"content": {"application/json": {"example": {hole: hole}}}},
        "security": [{"PATH": [], "HOME": []}],
    }
    schemes = {
        "PATH": {"type": "http", "scheme": "bearer"},
        "HOME": {"type": "apiKey", "in": "header", "name": "K"},
    }
    document = description(operation, f"/{hole}", components={"securitySchemes": schemes})
    request = request_of(converted_document("openapi", document, tmp_path))
    assert "{env:" not in (request.post or "")
    assert request.headers["X-A"] == "{{env:HOME}}"
    assert request.headers["K"] == "{env:SECRET_HOME}"
    assert request.headers["Authorization"] == "Bearer {env:SECRET_PATH}"
    assert request.json == {"{{env:HOME}}": "{{env:HOME}}"}
    assert outcome("openapi", json.dumps(document).encode(), tmp_path) == ""


@pytest.mark.parametrize(
    "name", ["Connection", "Connnection", "Content-Length", "a b", "", "X\r\nY", "Cookies"]
)
def test_headers_that_a_plan_may_not_set_are_dropped(name: str, tmp_path: Path) -> None:
    operation = {"parameters": [{"name": name, "in": "header", "required": True, "example": "a\r\nb"}]}
    assert outcome("openapi", json.dumps(description(operation)).encode(), tmp_path) == ""
    assert not request_of(converted_document("openapi", description(operation), tmp_path)).headers


@pytest.mark.parametrize(
    "url", ["http://a b/", "http://[::1", "http://x:99999/", "ftp://x/", "//evil/x", "http://a@\n/", "é", 7]
)
def test_a_server_that_is_no_address_becomes_this_machine(url: Any, tmp_path: Path) -> None:
    conversion = converted_document("openapi", description({}, servers=[{"url": url}]), tmp_path)
    assert conversion.plan.server == "http://127.0.0.1"
    assert conversion.plan.allow == ()


@given(place=st.integers(0, 10**6), value=st.sampled_from([None, 7, [], {}, "x", [[]], True, "\ud800"]))
def test_values_of_any_type_anywhere_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: Any
) -> None:
    document = json.loads((CASES / "orders.json").read_text(encoding="utf-8"))
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part))
        for key in keys:
            places.append((part, key))
            if isinstance(part[key], dict | list):
                waiting.append(part[key])
    part, key = places[place % len(places)]
    part[key] = value
    code = outcome("openapi", json.dumps(document).encode(), tmp_path_factory.mktemp("any"))
    assert code in ("", "import.bad-test", "import.nothing-in-it")


@pytest.mark.parametrize(
    ("server", "path"),
    [
        ("{{baseUrl}}", "/a"),
        ("{host}/v1", "/v1/a"),
        ("{scheme}://h", "/a"),
        ("v2", "/v2/a"),
        ("/v3/", "/v3/a"),
    ],
)
def test_a_server_without_a_host_leaves_the_path_that_it_tells(
    server: str, path: str, tmp_path: Path
) -> None:
    conversion = converted_document("openapi", description({}, servers=[{"url": server}]), tmp_path)
    assert conversion.plan.server == "http://127.0.0.1"
    assert request_of(conversion).post == path
    assert outcome("openapi", json.dumps(description({}, servers=[{"url": server}])).encode(), tmp_path) == ""


def test_where_all_operations_name_servers_that_of_most_is_loaded(tmp_path: Path) -> None:
    operations = {
        f"/{number}": {"get": {"servers": [{"url": f"http://{host}.example/v1"}]}}
        for number, host in enumerate("abb")
    }
    document = {"openapi": "3.0.0", "paths": operations, "servers": [{"url": "http://root.example"}]}
    conversion = converted_document("openapi", document, tmp_path)
    assert conversion.plan.server == "http://b.example"
    steps = [scenario.steps[0].request.get for scenario in conversion.plan.scenarios]
    assert steps == ["/v1/0", "/v1/1", "/v1/2"]


@pytest.mark.parametrize("level", ["path", "operation"])
def test_an_operation_on_another_server_names_it(level: str, tmp_path: Path) -> None:
    other = {"servers": [{"url": "https://{zone}.example/v2", "variables": {"zone": {"default": "eu"}}}]}
    item = {"get": {}, **other} if level == "path" else {"get": other}
    document = {"openapi": "3.0.0", "paths": {"/a": {"get": {}}, "/b": item}, "servers": [{"url": HOST}]}
    conversion = converted_document("openapi", document, tmp_path)
    steps = [scenario.steps[0].request for scenario in conversion.plan.scenarios]
    assert [(step.get, step.server) for step in steps] == [("/a", None), ("/v2/b", "eu.example")]
    assert conversion.plan.servers == {"eu.example": "https://eu.example"}
    assert conversion.plan.allow == ("eu.example",)
    assert not conversion.dropped


def test_operations_on_more_servers_than_a_plan_has_are_named(tmp_path: Path) -> None:
    paths = {
        f"/{number}": {"get": {"servers": [{"url": f"http://127.0.0.1:{number}"}]}}
        for number in range(1, MOST_SERVERS + 3)
    }
    document = {"openapi": "3.0.0", "paths": {"/a": {"get": {}}, **paths}, "servers": [{"url": HOST}]}
    conversion = converted_document("openapi", document, tmp_path)
    assert len(conversion.plan.servers) == MOST_SERVERS
    assert [part.place for part in conversion.dropped] == [
        f"GET /{number}" for number in (MOST_SERVERS + 1, MOST_SERVERS + 2)
    ]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ({}, "arr=1&arr=2&o=%7B%22k%22%3A+%22a%2Fb%22%7D&s=x%2Fy"),
        ({"arr": {"explode": False}}, "arr=1,2&o=%7B%22k%22%3A+%22a%2Fb%22%7D&s=x%2Fy"),
        ({"arr": {"style": "pipeDelimited"}, "s": {"allowReserved": True}},
         "arr=1%7C2&o=%7B%22k%22%3A+%22a%2Fb%22%7D&s=x/y"),
        ({"o": {"style": "deepObject"}}, "arr=1&arr=2&o%5Bk%5D=a%2Fb&s=x%2Fy"),
        ({"o": {"explode": True}, "arr": {"explode": True}}, "arr=1&arr=2&k=a%2Fb&s=x%2Fy"),
    ],
)  # fmt: skip
def test_a_field_of_a_form_has_the_style_of_its_encoding(
    encoding: dict[str, Any], body: str, tmp_path: Path
) -> None:
    media = {"example": {"arr": [1, 2], "o": {"k": "a/b"}, "s": "x/y"}, "encoding": encoding}
    operation = {"requestBody": {"content": {"application/x-www-form-urlencoded": media}}}
    conversion = converted_document("openapi", description(operation), tmp_path)
    assert request_of(conversion).body == body


def test_a_part_of_a_form_has_the_type_of_its_encoding(tmp_path: Path) -> None:
    encoding = {
        "a": {"contentType": "text/csv, text/plain", "headers": {"X-A": {}}},
        "b": {"contentType": "image/*"},
    }
    media = {"example": {"a": "1,2", "b": "x"}, "encoding": encoding}
    operation = {"requestBody": {"content": {"multipart/form-data": media}}}
    conversion = converted_document("openapi", description(operation), tmp_path)
    body = request_of(conversion).body
    assert isinstance(body, str)
    assert 'name="a"\r\nContent-Type: text/csv\r\n\r\n1,2' in body
    assert 'name="b"\r\n\r\nx' in body
    assert [part.why for part in conversion.dropped] == [OPENAPI.TEXTS.headers_of_parts("a")]


def test_paths_of_another_file_are_named(tmp_path: Path) -> None:
    document = {"openapi": "3.0.0", "paths": {"$ref": "./paths.yaml"}}
    conversion = converted_document("openapi", document, tmp_path)
    assert [(part.place, part.what) for part in conversion.dropped] == [("paths", "$ref ./paths.yaml")]


def test_a_description_of_3_2_is_read_and_its_further_methods_are_named(tmp_path: Path) -> None:
    item: dict[str, Any] = {"get": {}, "query": {}, "additionalOperations": {"COPY": {}}}
    conversion = converted_document("openapi", {"openapi": "3.2.0", "paths": {"/a": item}}, tmp_path)
    assert len(conversion.plan.scenarios) == 1
    assert [part.why.rpartition(" ")[2] for part in conversion.dropped] == ["COPY", "QUERY"]
