"""HTTP/2, WebSockets and gRPC of a plan, as the generator is told them."""

import base64
import json
from pathlib import Path

from loadrig._native import check_config
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.config import Json
from loadrig.plan.load import read
from tests.house.places import ROOT

CATALOGUE = ROOT / "examples" / "catalogue"


def compiled(workload: str, folder: Path = Path()) -> Json:
    text = f"loadrig: 1\ntarget: {{external: http://127.0.0.1:8000}}\nworkload:\n  users: 64\n{workload}"
    plan = read(text, str(folder / "plan.yaml"))
    return compile_config(plan, Address("127.0.0.1", 8000), seed=1, cpus=(), frame_s=1.0).plain()


def headers(config: Json, route: int = 0) -> dict[str, str]:
    """Return a route's headers by their names in small letters, each of which stands there once."""
    pairs = config["routes"][route]["headers"]
    by_name = {name.lower(): value for name, value in pairs}
    assert len(by_name) == len(pairs)
    return by_name


def test_a_plan_of_http_1_1_says_so_to_the_generator() -> None:
    config = compiled("  requests: [{get: /}]\n")
    assert config["connections"] == {"most": 64, "keep_alive": True, "protocol": "http1", "streams": 1}
    assert config["protos"] is None
    assert (config["routes"][0]["protocol"], config["routes"][0]["messages"]) == ("http", None)
    assert check_config(json.dumps(config)) is None


def test_a_plan_of_http_2_has_streams_and_a_host_but_no_header_of_the_connection() -> None:
    config = compiled("  connections: {http: 2, streams: 8}\n  requests: [{get: /}]\n")
    assert config["connections"] == {"most": 64, "keep_alive": True, "protocol": "http2", "streams": 8}
    assert set(headers(config)) == {"host", "user-agent", "accept", "accept-encoding"}
    assert headers(config)["host"] == "127.0.0.1:8000"
    assert check_config(json.dumps(config)) is None


def test_a_websocket_has_the_headers_of_its_upgrade_and_its_message_as_body() -> None:
    config = compiled(
        "  headers: {X-Tenant: x}\n"
        "  requests:\n"
        '    - {websocket: "/rooms/{n}", json: {say: "hello {n}"}, headers: {Sec-WebSocket-Protocol: chat}}\n'
        '    - {websocket: "/rooms/{n}"}\n'
        "  feeds: {n: {counter: 1}}\n"
    )
    talk, silent = config["routes"]
    assert (talk["protocol"], talk["method"], talk["target"]) == ("websocket", "GET", "/rooms/{n}")
    assert talk["body"] == '{{"say": "hello {n}"}}'
    assert silent["body"] is None
    usual = {"host", "user-agent", "x-tenant"}
    assert set(headers(config)) == usual | {"sec-websocket-protocol", "content-type"}
    assert set(headers(config, 1)) == usual
    assert check_config(json.dumps(config)) is None


def test_a_user_with_a_websocket_may_open_a_connection_more() -> None:
    both = compiled("  requests: [{websocket: /chat}, {get: /}]\n")
    assert both["connections"]["most"] == 128
    assert compiled("  requests: [{websocket: /chat}]\n")["connections"]["most"] == 64


def test_steps_that_are_sent_at_once_are_named_and_may_open_a_connection_each() -> None:
    steps = "[{get: /}, {get: /a}, {get: /b, beside: true}, {get: /c, beside: true}, {get: /d}]"
    config = compiled(f"  steps: {steps}\n")
    assert config["scenarios"][0]["beside"] == (2, 3)
    assert config["connections"]["most"] == 3 * 64
    assert check_config(json.dumps(config)) is None
    assert "beside" not in compiled("  steps: [{get: /}, {get: /a}]\n")["scenarios"][0]


def test_a_feed_says_for_how_long_its_values_hold() -> None:
    config = compiled(
        "  steps: [{get: '/{n}/{w}'}, {get: '/{n}'}]\n"
        "  feeds: {n: {counter: 1, per: loop, order: sequential_per_user}, w: {values: [a]}}\n"
    )
    assert [feed.get("per") for feed in config["feeds"]] == ["loop", None]
    assert check_config(json.dumps(config)) is None


def test_a_call_of_grpc_has_its_own_headers_its_messages_and_their_types() -> None:
    config = compiled(
        "  protos: catalogue.proto\n"
        "  headers: {Content-Type: text/plain, x-tenant: a}\n"
        "  requests:\n"
        '    - {grpc: shop.Catalogue/Find, json: {word: "{n}"}, headers: {x-tenant: b}, expect: [0, 3]}\n'
        "    - {grpc: shop.Catalogue/Find}\n"
        "  feeds: {n: {counter: 1}}\n",
        CATALOGUE,
    )
    find, empty = config["routes"]
    assert (find["protocol"], find["method"], find["target"]) == ("grpc", "POST", "/shop.Catalogue/Find")
    assert list(find["messages"]) == ["shop.Query", "shop.Found"]
    assert (find["body"], empty["body"]) == ('{{"word": "{n}"}}', "{{}}")
    assert find["expect"]["status"] == [0, 3]
    assert headers(config) | {"user-agent": ""} == {
        "host": "127.0.0.1:8000",
        "user-agent": "",
        "x-tenant": "b",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    assert b"catalogue.proto" in base64.b64decode(config["protos"])
    assert check_config(json.dumps(config)) is None


def test_a_server_of_http_1_1_is_told_that_a_connection_is_for_one_request() -> None:
    config = compiled("  connections: {keep_alive: false}\n  requests: [{get: /}, {websocket: /chat}]\n")
    assert headers(config)["connection"] == "close"
    assert "connection" not in headers(config, 1)
