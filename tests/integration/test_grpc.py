"""Unary calls against a real gRPC server: grpcio, with message types from our own compiler."""

import base64
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from loadrig._native import compile_protos
from tests.native.test_config import Config, config, feed, route
from tests.native.test_process import DEADLINE_S, Message, generator

pytestmark = pytest.mark.integration

REQUESTS = 200

PROTO = """\
syntax = "proto3";
package shop.v1;
message Item { string id = 1; int64 count = 2; }
message Order { repeated Item items = 1; string user = 2; }
message Receipt { string order_id = 1; int64 total = 2; bool paid = 3; string padding = 4; }
service Orders { rpc Place(Order) returns (Receipt); rpc Look(Item) returns (Receipt); }
"""

Answer = Callable[[Any, grpc.ServicerContext], Any]


class GrpcShop:
    """The message types as Python's own protobuf has them, and what a server of ours was asked."""

    def __init__(self, folder: Path) -> None:
        (folder / "shop.proto").write_text(PROTO)
        self.descriptor_set = compile_protos([str(folder / "shop.proto")], [str(folder)])
        self.pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(self.descriptor_set).file:
            self.pool.Add(file)
        self.asked: list[Any] = []

    def type(self, name: str) -> Any:
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(f"shop.v1.{name}"))

    @contextmanager
    def serving(self, compression: grpc.Compression | None = None, **answers: Answer) -> Iterator[int]:
        """Yield the port of a server whose methods answer so."""
        service = self.pool.FindServiceByName("shop.v1.Orders")
        handlers = {}
        for name, answer in answers.items():
            method = service.methods_by_name[name]
            handlers[name] = grpc.unary_unary_rpc_method_handler(
                self._noting(answer),
                request_deserializer=self.type(method.input_type.name).FromString,
                response_serializer=self.type(method.output_type.name).SerializeToString,
            )
        server = grpc.server(futures.ThreadPoolExecutor(4), compression=compression)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("shop.v1.Orders", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield port
        finally:
            server.stop(None).wait(DEADLINE_S)

    def _noting(self, answer: Answer) -> Answer:
        def noted(request: Any, context: grpc.ServicerContext) -> Any:
            self.asked.append(request)
            return answer(request, context)

        return noted


@pytest.fixture
def shop(tmp_path: Path) -> GrpcShop:
    return GrpcShop(tmp_path)


def call(method: str, message: str, body: str, **changes: Any) -> Config:
    call_route = route(
        name=method,
        protocol="grpc",
        method="POST",
        target=f"/shop.v1.Orders/{method}",
        headers=[["Host", "shop"], ["content-type", "application/grpc"], ["te", "trailers"]],
        messages=[f"shop.v1.{message}", "shop.v1.Receipt"],
        body=body,
    )
    call_route["expect"] |= changes.pop("expect", {})
    return call_route | changes


def outcomes(shop: GrpcShop, port: int, *calls: Config) -> tuple[Counter[str], list[Message]]:
    """Make REQUESTS requests by four users; return how many came to which outcome, and the examples."""
    whole = config(
        connections={"most": 2, "keep_alive": True, "protocol": "http2", "streams": 4},
        stop={"after_s": DEADLINE_S, "requests": REQUESTS},
        feeds=[feed(name="n", values=["1", "-7", "9007199254740993"])],
        protos=base64.b64encode(shop.descriptor_set).decode(),
        routes=list(calls),
        scenarios=[{"name": "all", "weight": 1.0, "steps": list(range(len(calls)))}],
    )
    whole["server"] |= {"port": port, "addresses": [f"127.0.0.1:{port}"]}
    with generator() as talk:
        talk.say(whole)
        heard = talk.hear()
        assert "ready" in heard, json.dumps(heard)
        talk.say({"start_at_ns": time.monotonic_ns()})
        frames, end = talk.hear_out()
        assert talk.process.wait(DEADLINE_S) == 0
    assert end["why"] == "requests"
    counts: Counter[str] = Counter()
    for frame in frames:
        for row in frame["routes"]:
            counts[row["outcome"]] += row["count"]
    return counts, [example for frame in frames for example in frame["examples"]]


def test_calls_arrive_as_meant_and_their_answers_fill_later_ones(shop: GrpcShop) -> None:
    receipt = shop.type("Receipt")

    def place(order: Any, _: grpc.ServicerContext) -> Any:
        return receipt(order_id=f"o/{order.items[0].count}", total=order.items[0].count)

    place_call = call(
        "Place",
        "Order",
        '{{"user": "ü", "items": [{{"id": "a", "count": "{n}"}}, {{"id": "b"}}]}}',
        extract=[{"into": "order", "json": "$.orderId"}, {"into": "total", "json": "/total"}],
        expect={"json": [["$.paid", False]]},
    )
    look_call = call("Look", "Item", '{{"id": "{order}", "count": "{total}"}}')
    with shop.serving(Place=place, Look=lambda item, _: receipt(order_id=item.id)) as port:
        counts, examples = outcomes(shop, port, place_call, look_call)
    assert (counts, examples) == (Counter(ok=REQUESTS), [])
    placed = [asked for asked in shop.asked if asked.DESCRIPTOR.name == "Order"]
    looked = [asked for asked in shop.asked if asked.DESCRIPTOR.name == "Item"]
    # The last users may end between the two.
    assert len(placed) + len(looked) == REQUESTS
    assert len(looked) >= REQUESTS // 3
    assert {order.user for order in placed} == {"ü"}
    assert {order.items[0].count for order in placed} == {1, -7, 9007199254740993}
    assert {order.items[1].id for order in placed} == {"b"}
    assert all(item.id == f"o/{item.count}" for item in looked)


def test_a_status_other_than_expected_is_an_outcome_of_its_own(shop: GrpcShop) -> None:
    why = "no such order: ü"

    def refuse(_: Any, context: grpc.ServicerContext) -> Any:
        context.abort(grpc.StatusCode.NOT_FOUND, why)

    with shop.serving(Place=refuse) as port:
        counts, examples = outcomes(shop, port, call("Place", "Order", "{{}}"))
        assert counts == Counter(grpc_error=REQUESTS)
        assert {example["detail"] for example in examples} == {f"gRPC status 5 NOT_FOUND: {why}"}
        counts, _ = outcomes(shop, port, call("Place", "Order", "{{}}", expect={"status": [5]}))
        assert counts == Counter(ok=REQUESTS)


def test_a_method_that_the_server_lacks_is_unimplemented(shop: GrpcShop) -> None:
    with shop.serving(Look=lambda *_: shop.type("Receipt")()) as port:
        counts, examples = outcomes(shop, port, call("Place", "Order", "{{}}"))
    assert counts == Counter(grpc_error=REQUESTS)
    assert examples[0]["detail"].startswith("gRPC status 12 UNIMPLEMENTED")


def test_a_wrong_answer_fails_its_check(shop: GrpcShop) -> None:
    with shop.serving(Place=lambda *_: shop.type("Receipt")(total=3)) as port:
        expects = call("Place", "Order", "{{}}", expect={"json": [["/total", "4"]]})
        counts, examples = outcomes(shop, port, expects)
    assert counts == Counter(check_failed=REQUESTS)
    assert examples[0]["detail"] == '/total is "3", not "4"'


def test_an_answer_that_comes_compressed_is_looked_into(shop: GrpcShop) -> None:
    def long_answer(*_: Any) -> Any:
        return shop.type("Receipt")(total=3, padding="x" * 10_000)

    with shop.serving(compression=grpc.Compression.Gzip, Place=long_answer) as port:
        expects = call("Place", "Order", "{{}}", expect={"json": [["/total", "3"]], "size_max": 1_000})
        expects["headers"].append(["grpc-accept-encoding", "gzip"])
        counts, examples = outcomes(shop, port, expects)
    assert (counts, examples) == (Counter(ok=REQUESTS), [])
