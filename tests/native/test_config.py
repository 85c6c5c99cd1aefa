"""Answers of the engine about a config without sending anything."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest

from loadrig._native import check_config, render_requests
from loadrig.base.errors import Problem

Config = dict[str, Any]


def route(**changes: Any) -> Config:
    return {
        "name": "home",
        "class": "service",
        "timeout_s": None,
        "method": "GET",
        "target": "/",
        "headers": [["Host", "127.0.0.1:8000"]],
        "body": None,
        "expect": {
            "status": [],
            "contains": [],
            "matches": [],
            "json": [],
            "size_min": None,
            "size_max": None,
            "time_s": None,
        },
        "extract": [],
        "think": None,
        "redirects": 0,
    } | changes


def config(**changes: Any) -> Config:
    return {
        "version": 1,
        "seed": 1,
        "threads": 1,
        "cpus": [],
        "server": {
            "scheme": "http",
            "host": "127.0.0.1",
            "port": 8000,
            "addresses": ["127.0.0.1:8000"],
            "host_header": "127.0.0.1:8000",
            "unix": None,
            "tls": None,
        },
        "source_addresses": [],
        "connections": {"most": 4, "keep_alive": True},
        "arrivals": {"users": {"line": [[0.0, 4.0]], "loops": None}},
        "stop": {"after_s": 1.0, "requests": None},
        "timeouts": {"request_s": 30.0, "connect_s": 5.0, "drain_s": 30.0},
        "frame_s": 1.0,
        "gap_sample": 200,
        "cookies": True,
        "feeds": [],
        "routes": [route()],
        "scenarios": [{"name": "home", "weight": 1.0, "steps": [0]}],
        "login": None,
        "think": {"constant": 0.0},
    } | changes


def feed(**changes: Any) -> Config:
    return {"name": "word", "order": "sequential", "values": ["a"]} | changes


WRONG: Mapping[str, Config] = {
    "engine.config": config(connections={"moist": 4, "keep_alive": True}),
    "engine.unknown-hole": config(feeds=[feed()], routes=[route(target="/{wrd}")]),
    "engine.template": config(routes=[route(target="/items/{id")]),
    "engine.target": config(routes=[route(target="/search?q=two words")]),
    "engine.header": config(routes=[route(headers=[["X Trace", "1"]])]),
    "engine.name-taken": config(
        feeds=[{"name": "id", "order": "sequential", "counter": 1}],
        routes=[route(name="order", extract=[{"into": "id", "json": "/id"}])],
    ),
    "engine.regex": config(routes=[route(extract=[{"into": "id", "regex": r"id=(\d+"}])]),
    "engine.json-place": config(routes=[route(extract=[{"into": "id", "json": "data.id"}])]),
    "engine.css": config(routes=[route(extract=[{"into": "id", "css": "a[href^=/items/]"}])]),
    "engine.feed-empty": config(feeds=[feed(values=[])]),
    "engine.feed-order": config(feeds=[{"name": "n", "order": "shuffled", "counter": 1}]),
    "engine.fleet-too-large": config(part={"index": 0, "of": 5}),
    "engine.feed-too-short": config(
        feeds=[feed(name="account", order="unique", values=["x"] * 50)],
        arrivals={"users": {"line": [[0.0, 50.0], [60.0, 130.0]], "loops": None}},
    ),
}
"""For each code a config that is refused with it: the one of the example on the code's page."""


def refusal(wrong: Config) -> dict[str, str]:
    answer = check_config(json.dumps(wrong))
    assert answer is not None, "the config is wrong"
    refused: dict[str, str] = json.loads(answer)
    return refused


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_config_is_refused_as_its_page_shows(code: str) -> None:
    refused = refusal(WRONG[code])
    assert {"what", "where", "mend", "code", "words"} <= set(refused)
    assert refused["code"] == code
    printed = Problem(
        what=refused["what"],
        mend=refused["mend"],
        code=code,
        why=f"found by the generator at {refused['where']}",
    )
    page = files("loadrig").joinpath(f"explain/{code}.md").read_text(encoding="utf-8")
    assert printed.render() in page


def test_a_right_config_is_not_refused() -> None:
    assert check_config(json.dumps(config())) is None


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "{}"])
def test_what_is_no_config_is_refused(text: str) -> None:
    answer = check_config(text)
    assert answer is not None
    assert json.loads(answer)["code"] == "engine.config"


def test_the_first_request_of_each_route_is_shown() -> None:
    shown = render_requests(
        json.dumps(
            config(
                feeds=[feed(values=["two words", "b"])],
                routes=[
                    route(target="/search?q={word}&user={user}"),
                    route(
                        name="order",
                        method="POST",
                        target="/orders/{id}",
                        headers=[["Content-Type", "application/json"]],
                        body='{{"word": "{word}"}}',
                        extract=[{"into": "id", "json": "/id"}],
                    ),
                ],
            )
        )
    )
    assert shown == [
        ("home", b"GET /search?q=two%20words&user=0 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n"),
        (
            "order",
            b"POST /orders/{id} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"
            b'{"word": "b"}',
        ),
    ]


def test_requests_of_a_wrong_config_are_not_shown() -> None:
    with pytest.raises(ValueError, match=r"engine\.target"):
        render_requests(json.dumps(WRONG["engine.target"]))
