"""HTTP/2, WebSockets and gRPC in plans: what is meant where nothing is said, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.base.errors import PlanError
from loadrig.plan.explain import sentences
from loadrig.plan.load import read
from loadrig.plan.model import Connections, Plan
from loadrig.plan.quick import quick_plan, read_quick

PROTO = """\
syntax = "proto3";
package shop;
import "common/money.proto";
service Shop {
  rpc Find(Query) returns (Found);
  rpc Watch(Query) returns (stream Found);
}
message Query { string word = 1; }
message Found { repeated string name = 1; Money price = 2; }
"""
MONEY = 'syntax = "proto3";\npackage shop;\nmessage Money { int64 cents = 1; }\n'


def plan(workload: str, folder: Path = Path()) -> Plan:
    """A plan with this workload, beside a load that is the same in all of them."""
    text = f"loadrig: 1\ntarget: {{external: http://127.0.0.1:8000}}\nworkload:\n  users: 10\n{workload}"
    return read(text, str(folder / "plan.yaml"))


def refused(workload: str, folder: Path = Path()) -> list[str]:
    with pytest.raises(PlanError) as caught:
        plan(workload, folder)
    return [f"{problem.code} {problem.what}" for problem in caught.value.problems]


def connections(written: str) -> Connections:
    return plan(f"  connections: {written}\n  requests: [{{get: /}}]\n").workload.connections


@pytest.fixture
def protos(tmp_path: Path) -> Path:
    (tmp_path / "shop.proto").write_text(PROTO, encoding="utf-8")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "money.proto").write_text(MONEY, encoding="utf-8")
    return tmp_path


# --- HTTP/2 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["1.1", '"1.1"', "1.10"])
def test_http_1_1_may_be_written_as_a_number_or_a_text(written: str) -> None:
    found = connections(f"{{http: {written}}}")
    assert (found.http, found.streams) == ("1.1", 1)


@pytest.mark.parametrize("written", ["2", '"2"', "2.0"])
def test_http_2_may_be_written_as_a_number_or_a_text(written: str) -> None:
    found = connections(f"{{http: {written}}}")
    assert (found.http, found.streams) == ("2", 100)


@pytest.mark.parametrize(
    "written",
    ["3", '"3"', "1", "1.0", "1.2", "h2", "HTTP/2", "true", "[2]", "{version: 2}", "-2", ".nan", '""'],
)
def test_another_version_is_refused_at_its_place(written: str) -> None:
    with pytest.raises(PlanError) as caught:
        connections(f"{{http: {written}}}")
    (problem,) = caught.value.problems
    assert problem.code == "plan.http-version"
    assert problem.where is not None
    assert problem.where.line == 5
    assert "http: " in problem.mend


def test_a_plan_that_does_not_say_speaks_http_1_1() -> None:
    assert connections("{most: 20}") == Connections(most=connections("{most: 20}").most)
    assert connections("{http: ~}").http == "1.1"


def test_the_version_can_be_set_over_a_plan() -> None:
    plain = plan("  requests: [{get: /}]\n")
    again = read(
        plain.text, plain.path, {"workload.connections.http": "2", "workload.connections.streams": "4"}
    )
    assert (again.workload.connections.http, again.workload.connections.streams) == ("2", 4)
    assert read(again.text, plain.path) == again


def test_streams_are_for_http_2() -> None:
    assert connections("{http: 2, streams: 8}").streams == 8
    assert refused("  connections: {streams: 8}\n  requests: [{get: /}]\n") == [
        "plan.not-together several streams on a connection need HTTP/2, and the plan speaks HTTP/1.1"
    ]


def test_users_share_connections_of_http_2() -> None:
    shared = plan("  connections: {http: 2, streams: 5, most: 2}\n  requests: [{get: /}]\n")
    assert "Over HTTP/2, up to 5 requests at once on a connection." in sentences(shared)
    too_few = refused("  connections: {http: 2, streams: 4, most: 2}\n  requests: [{get: /}]\n")
    assert too_few == ["plan.connections-too-few 2 connections are too few for 10 users"]


def test_the_flags_of_http_2_become_keys_of_the_plan() -> None:
    quick = read_quick(quick_plan("http://127.0.0.1:8000/", http2=True, streams="8"))
    assert (quick.workload.connections.http, quick.workload.connections.streams) == ("2", 8)
    assert read_quick(quick_plan("http://127.0.0.1:8000/", http2=True)).workload.connections.streams == 100


@pytest.mark.parametrize(
    ("flags", "flag", "mend"),
    [
        ({"streams": "8"}, "--streams", "add --http2, or leave --streams out"),
        ({"http2": True, "streams": "0"}, "--streams", "write a value at least 1"),
        ({"http2": True, "streams": "many"}, "--streams", "write 200, 10k or 1m"),
        ({"http2": True, "keep_alive": False}, "--close", "leave out either --close or --http2"),
    ],
)
def test_a_problem_of_http_2_is_told_of_its_flag(flags: dict[str, Any], flag: str, mend: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_quick(quick_plan("http://127.0.0.1:8000/", **flags))
    assert [(str(problem.where), problem.mend) for problem in caught.value.problems] == [(flag, mend)]


# --- WebSockets ---------------------------------------------------------------------------------------


def test_a_websocket_is_a_route_that_is_asked_by_messages() -> None:
    found = plan(
        "  requests:\n"
        "    - {websocket: /chat, json: {say: hello}, expect: {json: {$.heard: true}}, weight: 3}\n"
        "    - {get: /}\n"
    )
    (chat,), _ = (scenario.steps for scenario in found.workload.scenarios)
    assert (chat.protocol, chat.method, chat.path, chat.name) == (
        "websocket",
        "GET",
        "/chat",
        "websocket /chat",
    )
    assert found.workload.connections.http == "1.1"
    said = sentences(found)
    assert "Requests: 75 % websocket /chat, 25 % GET /; no pause between them." in said
    assert "Each user opens a WebSocket of its own with its first message, and keeps it." in said


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("ws://h/chat", "plan.path ws://h/chat is a whole address"),
        ("chat", "plan.path the path 'chat' does not begin with /"),
        ("/{room}", "plan.hole nothing fills the hole {room}"),
    ],
)
def test_the_path_of_a_websocket_is_checked_and_may_have_holes(path: str, problem: str) -> None:
    assert refused(f"  requests: [{{websocket: '{path}'}}]\n") == [problem]


def test_a_user_with_a_websocket_needs_a_connection_more() -> None:
    both = "  requests: [{websocket: /chat, body: hello}, {get: /}]\n"
    assert plan(both).workload.connections_each == 2
    assert refused("  connections: {most: 19}\n" + both) == [
        "plan.connections-too-few 19 connections are too few for 10 users"
    ]
    alone = plan("  connections: {most: 10}\n  requests: [{websocket: /chat, body: hello}]\n")
    assert alone.workload.connections_each == 1


def test_beside_websockets_no_connection_of_http_2_is_shared() -> None:
    both = "  connections: {http: 2, streams: 5}\n  requests: [{websocket: /chat}, {get: /}]\n"
    assert "Over HTTP/2, one request at a time on a connection." in sentences(plan(both))
    assert refused(both.replace("streams: 5", "streams: 5, most: 4")) == [
        "plan.connections-too-few 4 connections are too few for 10 users"
    ]


def test_a_user_has_one_websocket_and_so_one_path() -> None:
    assert refused("  requests: [{websocket: /a}, {websocket: /b}, {websocket: /a}]\n") == [
        "plan.not-together a user has one WebSocket, and it cannot be both /a and /b"
    ]
    arrivals = (
        "loadrig: 1\ntarget: {external: http://127.0.0.1:8000}\n"
        "workload:\n  rate: 10\n  requests: [{websocket: /a}, {websocket: /b}]\n"
    )
    assert len(read(arrivals, "plan.yaml").workload.requests) == 2


# --- gRPC ---------------------------------------------------------------------------------------------


def test_a_plan_of_grpc_alone_speaks_http_2(protos: Path) -> None:
    found = plan("  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find, json: {word: oak}}]\n", protos)
    (call,) = found.workload.scenarios[0].steps
    assert (call.protocol, call.method, call.path, call.name) == (
        "grpc",
        "POST",
        "shop.Shop/Find",
        "grpc shop.Shop/Find",
    )
    assert found.workload.protos == ("shop.proto",)
    assert (found.workload.connections.http, found.workload.connections.streams) == ("2", 100)


def test_a_websocket_beside_grpc_leaves_it_at_http_2(protos: Path) -> None:
    requests = "  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}, {websocket: /chat}]\n"
    assert plan(requests, protos).workload.connections.http == "2"


def test_a_plan_of_both_must_say_http_2(protos: Path) -> None:
    both = "  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}, {get: /}]\n"
    assert refused(both, protos) == [
        "plan.not-together grpc shop.Shop/Find needs HTTP/2, and the plan speaks HTTP/1.1"
    ]
    assert plan("  connections: {http: 2}\n" + both, protos).workload.connections.http == "2"


def test_what_a_proto_imports_is_looked_for_beside_it(protos: Path) -> None:
    inner = protos / "plans"
    inner.mkdir()
    plan("  protos: ../shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", inner)
    (protos / "common" / "money.proto").unlink()
    (problem,) = refused("  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", protos)
    assert problem.startswith("plan.protos the protos cannot be read: ")
    assert "money.proto" in problem


def test_a_mistake_in_a_proto_is_told_with_its_file_and_line(protos: Path) -> None:
    (protos / "shop.proto").write_text(PROTO.replace("message Query {", "message Query"), encoding="utf-8")
    (problem,) = refused("  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", protos)
    assert problem.startswith("plan.protos ")
    assert "shop.proto:8" in problem


@pytest.mark.parametrize("method", ["shop.Shop/Fnd", "shop.Shoe/Find", "Shop/Find", "shop.Shop/Watch"])
def test_a_method_that_is_not_there_or_streams_is_refused(method: str, protos: Path) -> None:
    requests = f"  protos: shop.proto\n  requests: [{{grpc: {method}}}, {{grpc: shop.Shop/Find}}]\n"
    (problem,) = refused(requests, protos)
    assert problem.startswith("plan.grpc-method ")
    assert method.rpartition("/")[2] in problem or method.rpartition("/")[0] in problem
