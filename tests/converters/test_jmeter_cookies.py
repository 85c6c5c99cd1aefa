"""Cookies that a test of JMeter fixes go to the hosts and paths that they are for, and to no others."""

from pathlib import Path

import pytest

from loadrig.converters import Conversion
from loadrig.converters._jmx_groups import TEXTS
from tests.converters.jmx import converted, element, group, property_of, requests, sampler


def cookies(below: str = "", **properties: str) -> str:
    inner = "".join(property_of(f"CookieManager.{key}", value) for key, value in properties.items())
    return (
        '<CookieManager testclass="CookieManager" testname="cookies" enabled="true">'
        f'<collectionProp name="CookieManager.cookies">{below}</collectionProp>{inner}</CookieManager>\n'
        "<hashTree/>\n"
    )


def cookie(domain: str, path: str = "", secure: str = "false", specified: str = "true") -> str:
    keys = {
        "value": "SECRET", "domain": domain, "path": path, "secure": secure,
        "path_specified": "true", "domain_specified": specified,
    }  # fmt: skip
    inner = "".join(property_of(f"Cookie.{key}", value) for key, value in keys.items())
    return f'<elementProp name="sess" elementType="Cookie" testname="sess">{inner}</elementProp>'


def sent(conversion: Conversion) -> list[bool]:
    """Return for each request whether the cookie is sent with it."""
    plan = conversion.plan
    return ["Cookie" in {**plan.headers, **request.headers} for request in requests(conversion)]


@pytest.mark.parametrize(
    ("host", "of_cookie", "is_sent"),
    [
        ("127.0.0.1", cookie("sso.example.com"), False),
        ("127.0.0.1", cookie(""), False),
        ("127.0.0.1", cookie("127.0.0.1"), True),
        ("10.127.0.0.1", cookie("127.0.0.1", specified="false"), False),
        ("1.0.0.1", cookie("0.0.1"), False),
        ("shop.example", cookie("Shop.Example"), True),
        ("a.shop.example", cookie(".shop.example"), True),
        ("a.shop.example", cookie("shop.example", specified="false"), False),
        ("badshop.example", cookie("shop.example"), False),
        ("shop.example", cookie("a.shop.example"), False),
        ("shop.example", cookie("shop.example", secure="true"), False),
    ],
)
def test_a_cookie_is_sent_to_its_host_alone(host: str, of_cookie: str, is_sent: bool, tmp_path: Path) -> None:
    below = cookies(of_cookie) + sampler("a", host=host) + sampler("b", host="other.example")
    assert sent(converted(group(below), tmp_path)) == [is_sent, False]


def test_a_cookie_is_sent_below_its_path_alone(tmp_path: Path) -> None:
    paths = ("/3", "/3/a", "/3?x=1", "/30", "/", "/4/3")
    samplers = "".join(sampler(path, path) for path in paths)
    conversion = converted(group(cookies(cookie("127.0.0.1", "/3/")) + samplers), tmp_path)
    assert sent(conversion) == [True, True, True, False, False, False]


def test_a_cookie_is_not_sent_where_variables_make_the_address(tmp_path: Path) -> None:
    token = element("RegexExtractor", RegexExtractor__refname="word", RegexExtractor__regex="w=(.*)")
    paths = ("/3/${word}", "/${word}", "/4${word}")
    samplers = "".join(sampler(path, path, below=token) for path in paths)
    conversion = converted(group(cookies(cookie("127.0.0.1", "/3")) + samplers), tmp_path)
    assert sent(conversion) == [True, False, False]
    assert [part.why for part in conversion.dropped] == [TEXTS.cookie_of_open_address]
    whole = converted(group(cookies(cookie("127.0.0.1")) + sampler("a", host="${host}")), tmp_path)
    assert sent(whole) == [False]


def test_cookies_of_longer_paths_come_first(tmp_path: Path) -> None:
    names = {"a": "", "b": "/", "c": "/3", "d": "/3/"}
    several = "".join(
        cookie("127.0.0.1", path).replace('name="sess"', f'name="{name}"') for name, path in names.items()
    )
    (request,) = requests(converted(group(cookies(several) + sampler("x", "/3/x")), tmp_path))
    assert [pair.partition("=")[0] for pair in request.headers["Cookie"].split("; ")] == list("dcba")


@pytest.mark.parametrize(
    ("loops", "properties", "same_user", "is_listed"),
    [
        (-1, {"clearEachIteration": "true"}, "true", True),
        (1, {"clearEachIteration": "true"}, "true", False),
        (-1, {"clearEachIteration": "false"}, "false", False),
        (-1, {"clearEachIteration": "true", "controlledByThreadGroup": "true"}, "true", False),
        (5, {"controlledByThreadGroup": "true"}, "false", True),
    ],
)
def test_cookies_that_are_cleared_in_each_loop_are_listed(
    loops: int, properties: dict[str, str], same_user: str, is_listed: bool, tmp_path: Path
) -> None:
    below = cookies(**properties) + sampler("login") + sampler("b")
    conversion = converted(group(below, loops=loops, same_user_on_next_iteration=same_user), tmp_path)
    assert (TEXTS.cookies_of_all_loops in [part.how for part in conversion.altered]) == is_listed
