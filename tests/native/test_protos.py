"""Tests of what is made of `.proto` files, and of the engine's answers about calls without sending any."""

import base64
import json
from importlib.resources import files
from pathlib import Path

import pytest

from loadrig._native import check_config, compile_protos, grpc_method, render_requests
from loadrig.base.errors import Problem
from tests.native.test_config import Config, config, feed, refusal, route

SHOP = """\
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
message Item { string id = 1; int64 count = 2; string color = 3; }
message Order { repeated Item items = 1; google.protobuf.Timestamp at = 2; }
service Orders {
  rpc Place(Order) returns (Item);
  rpc Watch(Order) returns (stream Item);
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> bytes:
    """Return the descriptor set of SHOP."""
    (tmp_path / "shop.proto").write_text(SHOP)
    return compile_protos([str(tmp_path / "shop.proto")], [str(tmp_path)])


def calling(shop: bytes, body: str, messages: tuple[str, str] = ("shop.v1.Order", "shop.v1.Item")) -> Config:
    call = route(
        name="place",
        protocol="grpc",
        method="POST",
        target="/shop.v1.Orders/Place",
        headers=[["content-type", "application/grpc"], ["te", "trailers"]],
        messages=list(messages),
        body=body,
    )
    protos = base64.b64encode(shop).decode()
    links = {"most": 1, "keep_alive": True, "protocol": "http2"}
    return config(protos=protos, connections=links, feeds=[feed(name="n", values=["7", "8"])], routes=[call])


def test_a_method_is_found_in_compiled_files(shop: bytes) -> None:
    assert grpc_method(shop, "shop.v1.Orders/Place") == ("shop.v1.Order", "shop.v1.Item")


def test_a_method_that_is_not_there_is_told_with_those_that_are(shop: bytes) -> None:
    with pytest.raises(ValueError, match=r"Pay; .* Place, Watch$"):
        grpc_method(shop, "shop.v1.Orders/Pay")
    with pytest.raises(ValueError, match=r"shop\.Orders; .* shop\.v1\.Orders$"):
        grpc_method(shop, "shop.Orders/Place")
    with pytest.raises(ValueError, match="streams its answers"):
        grpc_method(shop, "shop.v1.Orders/Watch")


def test_an_error_in_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.proto"
    wrong.write_text('syntax = "proto3";\nmessage A { B b = 1; }\n')
    with pytest.raises(ValueError, match=r"wrong\.proto:2:13: .*'B'") as raised:
        compile_protos([str(wrong)], [str(tmp_path)])
    assert str(raised.value).startswith(f"{wrong}:2:13: ")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nope\.proto: No such file"):
        compile_protos([str(tmp_path / "nope.proto")], [str(tmp_path)])


def test_a_call_is_shown_with_its_message_in_json(shop: bytes) -> None:
    right = calling(shop, '{{"items": [{{"count": "{n}"}}]}}')
    assert check_config(json.dumps(right)) is None
    head = b"POST /shop.v1.Orders/Place HTTP/1.1\r\ncontent-type: application/grpc\r\nte: trailers\r\n\r\n"
    assert render_requests(json.dumps(right)) == [("place", head + b'{"items": [{"count": "7"}]}')]


@pytest.mark.parametrize(
    ("code", "body", "messages"),
    [
        ("engine.protos", "{{}}", ("shop.v1.Oder", "shop.v1.Item")),
        (
            "engine.grpc-message",
            '{{"items": [{{"id": "{n}", "colour": "red"}}]}}',
            ("shop.v1.Order", "shop.v1.Item"),
        ),
    ],
)
def test_a_wrong_call_is_refused_as_its_page_shows(
    shop: bytes, code: str, body: str, messages: tuple[str, str]
) -> None:
    refused = refusal(calling(shop, body, messages))
    assert refused["code"] == code
    printed = Problem(
        what=refused["what"],
        mend=refused["mend"],
        code=code,
        why=f"found by the generator at {refused['where']}",
    )
    page = files("loadrig").joinpath(f"explain/{code}.md").read_text(encoding="utf-8")
    assert printed.render() in page
