"""Requests of JMeter: their character sets, headers and connections are as JMeter sends them, or listed."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.converters import Conversion
from loadrig.converters._jmx_groups import TEXTS
from loadrig.converters._jmx_headers import ROOM_TEXTS
from loadrig.plan.written import WrittenRequest
from tests.converters.jmx import converted, element, group, property_of, requests, sampler

BASE: dict[str, object] = {
    "HTTPSampler__domain": "127.0.0.1", "HTTPSampler__port": 8099, "HTTPSampler__path": "/a",
}  # fmt: skip


def http(arguments: str = "", below: str = "", **properties: object) -> str:
    """Return a sampler with arguments."""
    keys = {**BASE, **{f"HTTPSampler__{name}": value for name, value in properties.items()}}
    inner = "".join(property_of(key.replace("__", "."), value) for key, value in keys.items())
    listed = f'<collectionProp name="Arguments.arguments">{arguments}</collectionProp>'
    return (
        '<HTTPSamplerProxy testclass="HTTPSamplerProxy" testname="a" enabled="true">'
        f'<elementProp name="HTTPsampler.Arguments">{listed}</elementProp>{inner}</HTTPSamplerProxy>\n'
        f"<hashTree>{below}</hashTree>\n"
    )


def argument(name: str, value: str, is_to_encode: bool = True) -> str:
    keys: dict[str, Any] = {
        "HTTPArgument.always_encode": str(is_to_encode).lower(), "Argument.name": name,
        "Argument.value": value, "Argument.metadata": "=",
    }  # fmt: skip
    return f'<elementProp name="{name}">{"".join(map(property_of, keys, keys.values()))}</elementProp>'


def headers(*pairs: tuple[str, str]) -> str:
    rows = "".join(
        f'<elementProp name="">{property_of("Header.name", name)}{property_of("Header.value", value)}'
        "</elementProp>"
        for name, value in pairs
    )
    return (
        '<HeaderManager testclass="HeaderManager" testname="headers" enabled="true">'
        f'<collectionProp name="HeaderManager.headers">{rows}</collectionProp></HeaderManager>\n<hashTree/>\n'
    )


def request_of(below: str, folder: Path) -> tuple[WrittenRequest, Conversion]:
    conversion = converted(group(below), folder)
    (request,) = requests(conversion)
    return request, conversion


def test_a_query_is_written_in_the_character_set_of_the_test(tmp_path: Path) -> None:
    below = http(argument("q", "café"), contentEncoding="ISO-8859-1")
    assert request_of(below, tmp_path)[0].get == "/a?q=caf%E9"


def test_a_form_and_its_type_are_in_the_character_set_of_the_test(tmp_path: Path) -> None:
    below = http(argument("q", "café €"), contentEncoding="latin1", method="POST")
    request, conversion = request_of(below, tmp_path)
    assert request.body == "q=caf%E9+%3F"
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=ISO-8859-1"
    assert not conversion.dropped


def test_a_text_of_another_character_set_is_sent_as_its_bytes(tmp_path: Path) -> None:
    below = http(argument("", "café", is_to_encode=False), contentEncoding="ISO-8859-1", method="POST")
    request, conversion = request_of(below, tmp_path)
    (file,) = conversion.plan.files
    assert (request.body_file, file.content) == (file.name, b"caf\xe9")
    assert request.headers["Content-Type"] == "text/plain; charset=ISO-8859-1"


@pytest.mark.parametrize(("charset", "value"), [("UTF-16", "x"), ("none-such", "x"), ("latin1", "${word}")])
def test_what_is_sent_in_utf_8_instead_is_listed(charset: str, value: str, tmp_path: Path) -> None:
    token = element("RegexExtractor", RegexExtractor__refname="word", RegexExtractor__regex="w=(.*)")
    below = http(argument("q", value), token, contentEncoding=charset)
    how = [part.how for part in request_of(below, tmp_path)[1].altered]
    assert TEXTS.other_charset(charset) in how or TEXTS.values_in_other_charset("ISO-8859-1") in how


def test_a_form_that_is_encoded_already_is_encoded_anew(tmp_path: Path) -> None:
    below = http(argument("q", "é%20+ x", is_to_encode=False), method="POST")
    assert request_of(below, tmp_path)[0].body == "q=%C3%A9+++x"


def test_a_header_that_a_manager_has_twice_is_listed(tmp_path: Path) -> None:
    request, conversion = request_of(headers(("X-A", "1"), ("x-a", "2")) + http(), tmp_path)
    assert request.headers == {"x-a": "1, 2"}
    assert ROOM_TEXTS.headers_joined in [part.how for part in conversion.altered]
    assert not conversion.dropped


def test_a_header_of_an_inner_manager_replaces_that_of_an_outer(tmp_path: Path) -> None:
    below = headers(("X-A", "1")) + http(below=headers(("X-A", "2")))
    request, conversion = request_of(below, tmp_path)
    assert request.headers == {"X-A": "2"}
    assert not conversion.dropped


@pytest.mark.parametrize(
    ("host", "port", "sent"),
    [
        ("shop.example", 8000, "shop.example:8000"),
        ("shop.example:9", 8000, "shop.example:9"),
        ("shop.example:80", 8000, "shop.example"),
        ("shop.example", "", "shop.example"),
        ("127.0.0.1", 8000, None),
        (f"shop.example:{'9' * 5000}", "", f"shop.example:{'9' * 5000}"),
    ],
)
def test_a_host_has_the_port_of_its_request(
    host: str, port: object, sent: str | None, tmp_path: Path
) -> None:
    request, _ = request_of(headers(("Host", host)) + http(port=port), tmp_path)
    assert request.headers.get("Host") == sent


def test_a_host_that_variables_make_is_listed(tmp_path: Path) -> None:
    token = element("RegexExtractor", RegexExtractor__refname="word", RegexExtractor__regex="w=(.*)")
    request, conversion = request_of(headers(("Host", "${word}")) + http(below=token), tmp_path)
    assert request.headers["Host"] == "{word}"
    assert TEXTS.host_without_port in [part.how for part in conversion.altered]


def test_a_proxy_and_a_source_address_are_listed(tmp_path: Path) -> None:
    below = http(proxyHost="proxy.example", proxyPort="3128", ipSource="10.0.0.9")
    dropped = request_of(below, tmp_path)[1].dropped
    assert [part.why for part in dropped] == [TEXTS.not_of_requests] * 2
    names = (TEXTS.proxy, TEXTS.source_address)
    assert all(part.what.startswith(name) for part, name in zip(dropped, names, strict=True))


def test_a_wait_for_connections_is_that_of_the_plan(tmp_path: Path) -> None:
    below = http(connect_timeout=1500)
    conversion = converted(group(below + below), tmp_path)
    assert conversion.plan.connect_timeout_s == 1.5
    assert TEXTS.connect_timeouts_differ not in [part.how for part in conversion.altered]
    conversion = converted(group(below + http() + http(connect_timeout=300)), tmp_path)
    assert conversion.plan.connect_timeout_s == 1.5
    assert TEXTS.connect_timeouts_differ in [part.how for part in conversion.altered]
    assert converted(group(http()), tmp_path).plan.connect_timeout_s is None


def defaults(*arguments: str) -> str:
    listed = f'<collectionProp name="Arguments.arguments">{"".join(arguments)}</collectionProp>'
    return (
        '<ConfigTestElement guiclass="HttpDefaultsGui" testclass="ConfigTestElement" testname="d">'
        f'<elementProp name="HTTPsampler.Arguments">{listed}</elementProp></ConfigTestElement>\n<hashTree/>\n'
    )


def test_arguments_of_the_defaults_come_behind_those_of_the_request(tmp_path: Path) -> None:
    below = defaults(argument("tok", "1")) + http(argument("x", "1"), method="POST")
    request, _ = request_of(below, tmp_path)
    assert request.form == {"x": "1", "tok": "1"}
    assert list(request.form) == ["x", "tok"]


def test_a_text_stays_the_body_beside_arguments_of_the_defaults(tmp_path: Path) -> None:
    """JMeter 5.6.3 sends `raw1`: the value of the argument behind the text, and no form."""
    raw = http(argument("", "raw", is_to_encode=False), method="POST", postBodyRaw="true")
    request, _ = request_of(defaults(argument("tok", "1")) + raw, tmp_path)
    assert (request.body, request.form) == ("raw1", {})


@pytest.mark.parametrize(("value", "path"), [("two", "/2"), ("nope", "/default"), ("1", "/2"), ("7", "/1")])
def test_a_switch_without_a_match_makes_its_default(value: str, path: str, tmp_path: Path) -> None:
    below = sampler("one", "/1") + sampler("two", "/2") + sampler("Default", "/default")
    switch = element("SwitchController", "switch", below, SwitchController__value=value)
    assert request_of(switch, tmp_path)[0].get == path
