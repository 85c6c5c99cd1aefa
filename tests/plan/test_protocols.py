"""HTTP/2, WebSockets and gRPC in plans: what is meant where nothing is said, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError, Problem
from loadrig.plan.explain import sentences
from loadrig.plan.load import read
from loadrig.plan.model import Connections, Plan
from loadrig.plan.quick import quick_plan, read_quick
from tests.wording import holding, numbers

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
    """Return a plan with this workload, beside a load that is the same in all of them."""
    text = f"loadrig: 1\ntarget: {{external: http://127.0.0.1:8000}}\nworkload:\n  users: 10\n{workload}"
    return read(text, str(folder / "plan.yaml"))


def problems(workload: str, folder: Path = Path()) -> tuple[Problem, ...]:
    with pytest.raises(PlanError) as caught:
        plan(workload, folder)
    return caught.value.problems


def refused(workload: str, folder: Path = Path()) -> list[tuple[str, str]]:
    """Return the code of each problem and its place, as line:column."""
    return [(problem.code, str(problem.where).partition(":")[2]) for problem in problems(workload, folder)]


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
    http_plan = connections(f"{{http: {written}}}")
    assert (http_plan.http, http_plan.streams) == ("1.1", 1)


@pytest.mark.parametrize("written", ["2", '"2"', "2.0"])
def test_http_2_may_be_written_as_a_number_or_a_text(written: str) -> None:
    http_plan = connections(f"{{http: {written}}}")
    assert (http_plan.http, http_plan.streams) == ("2", 100)


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
    assert refused("  connections: {streams: 8}\n  requests: [{get: /}]\n") == [("plan.not-together", "5:17")]


def test_users_share_connections_of_http_2() -> None:
    shared = plan("  connections: {http: 2, streams: 5, most: 2}\n  requests: [{get: /}]\n")
    (sentence,) = holding(sentences(shared), "HTTP/2")
    assert numbers(sentence) == [2, 5]
    too_few = refused("  connections: {http: 2, streams: 4, most: 2}\n  requests: [{get: /}]\n")
    assert too_few == [("plan.connections-too-few", "5:38")]


def test_the_flags_of_http_2_become_keys_of_the_plan() -> None:
    quick = read_quick(quick_plan("http://127.0.0.1:8000/", http2=True, streams="8"))
    assert (quick.workload.connections.http, quick.workload.connections.streams) == ("2", 8)
    assert read_quick(quick_plan("http://127.0.0.1:8000/", http2=True)).workload.connections.streams == 100


@pytest.mark.parametrize(
    ("flags", "flag", "code"),
    [
        ({"streams": "8"}, "--streams", "plan.not-together"),
        ({"http2": True, "streams": "0"}, "--streams", "plan.out-of-range"),
        ({"http2": True, "streams": "many"}, "--streams", "plan.wrong-unit"),
        ({"http2": True, "keep_alive": False}, "--close", "plan.not-together"),
    ],
)
def test_a_problem_of_http_2_is_told_of_its_flag(
    flags: dict[str, Any], flag: str, code: str, snapshot: SnapshotAssertion
) -> None:
    with pytest.raises(PlanError) as caught:
        read_quick(quick_plan("http://127.0.0.1:8000/", **flags))
    (problem,) = caught.value.problems
    assert (str(problem.where), problem.code) == (flag, code)
    # The mend names flags, as the user typed flags.
    assert problem.mend == snapshot


# --- WebSockets ---------------------------------------------------------------------------------------


def test_a_websocket_is_a_route_that_is_asked_by_messages() -> None:
    chat_plan = plan(
        "  requests:\n"
        "    - {websocket: /chat, json: {say: hello}, expect: {json: {$.heard: true}}, weight: 3}\n"
        "    - {get: /}\n"
    )
    (chat,), _ = (scenario.steps for scenario in chat_plan.workload.scenarios)
    assert (chat.protocol, chat.method, chat.path, chat.name) == (
        "websocket",
        "GET",
        "/chat",
        "websocket /chat",
    )
    assert chat_plan.workload.connections.http == "1.1"
    plan_sentences = sentences(chat_plan)
    assert len(holding(plan_sentences, "75 % websocket /chat", "25 % GET /")) == 1
    assert len(holding(plan_sentences, "WebSocket")) == 1


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("ws://h/chat", ("plan.path", "5:26")),
        ("chat", ("plan.path", "5:26")),
        ("/{room}", ("plan.hole", "5:28")),
    ],
)
def test_the_path_of_a_websocket_is_checked_and_may_have_holes(path: str, problem: tuple[str, str]) -> None:
    assert refused(f"  requests: [{{websocket: '{path}'}}]\n") == [problem]


def test_a_user_with_a_websocket_needs_a_connection_more() -> None:
    both = "  requests: [{websocket: /chat, body: hello}, {get: /}]\n"
    assert plan(both).workload.connections_each == 2
    assert refused("  connections: {most: 19}\n" + both) == [("plan.connections-too-few", "5:17")]
    alone = plan("  connections: {most: 10}\n  requests: [{websocket: /chat, body: hello}]\n")
    assert alone.workload.connections_each == 1


def test_beside_websockets_no_connection_of_http_2_is_shared() -> None:
    both = "  connections: {http: 2, streams: 5}\n  requests: [{websocket: /chat}, {get: /}]\n"
    (sentence,) = holding(sentences(plan(both)), "HTTP/2")
    assert numbers(sentence) == [2]
    too_few = refused(both.replace("streams: 5", "streams: 5, most: 4"))
    assert too_few == [("plan.connections-too-few", "5:38")]


def test_a_user_has_one_websocket_and_so_one_path() -> None:
    assert refused("  requests: [{websocket: /a}, {websocket: /b}, {websocket: /a}]\n") == [
        ("plan.not-together", "5:32")
    ]
    arrivals = (
        "loadrig: 1\ntarget: {external: http://127.0.0.1:8000}\n"
        "workload:\n  rate: 10\n  requests: [{websocket: /a}, {websocket: /b}]\n"
    )
    assert len(read(arrivals, "plan.yaml").workload.requests) == 2


# --- gRPC ---------------------------------------------------------------------------------------------


def test_a_plan_of_grpc_alone_speaks_http_2(protos: Path) -> None:
    grpc_plan = plan(
        "  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find, json: {word: oak}}]\n", protos
    )
    (call,) = grpc_plan.workload.scenarios[0].steps
    assert (call.protocol, call.method, call.path, call.name) == (
        "grpc",
        "POST",
        "shop.Shop/Find",
        "grpc shop.Shop/Find",
    )
    assert grpc_plan.workload.protos == ("shop.proto",)
    assert (grpc_plan.workload.connections.http, grpc_plan.workload.connections.streams) == ("2", 100)


def test_a_websocket_beside_grpc_leaves_it_at_http_2(protos: Path) -> None:
    requests = "  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}, {websocket: /chat}]\n"
    assert plan(requests, protos).workload.connections.http == "2"


def test_a_plan_of_both_must_say_http_2(protos: Path) -> None:
    both = "  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}, {get: /}]\n"
    (problem,) = problems(both, protos)
    assert problem.code == "plan.not-together"
    assert "grpc shop.Shop/Find" in problem.what
    assert plan("  connections: {http: 2}\n" + both, protos).workload.connections.http == "2"


def test_what_a_proto_imports_is_looked_for_beside_it(protos: Path) -> None:
    inner = protos / "plans"
    inner.mkdir()
    plan("  protos: ../shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", inner)
    (protos / "common" / "money.proto").unlink()
    (problem,) = problems("  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", protos)
    assert problem.code == "plan.protos"
    assert "money.proto" in problem.what


def test_a_mistake_in_a_proto_is_told_with_its_file_and_line(protos: Path) -> None:
    (protos / "shop.proto").write_text(PROTO.replace("message Query {", "message Query"), encoding="utf-8")
    (problem,) = problems("  protos: shop.proto\n  requests: [{grpc: shop.Shop/Find}]\n", protos)
    assert problem.code == "plan.protos"
    assert "shop.proto:8" in problem.what


@pytest.mark.parametrize("method", ["shop.Shop/Fnd", "shop.Shoe/Find", "Shop/Find", "shop.Shop/Watch"])
def test_a_method_that_is_not_there_or_streams_is_refused(method: str, protos: Path) -> None:
    requests = f"  protos: shop.proto\n  requests: [{{grpc: {method}}}, {{grpc: shop.Shop/Find}}]\n"
    (problem,) = problems(requests, protos)
    assert problem.code == "plan.grpc-method"
    assert any(part in problem.what for part in method.split("/"))
