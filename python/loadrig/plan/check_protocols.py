"""Checks of protocols: keys that HTTP/2, a WebSocket or gRPC has no use for, and what gRPC needs."""

import re
from collections.abc import Mapping

from loadrig.base.errors import Problem, Span
from loadrig.plan.draft import Draft
from loadrig.plan.model import Protocol, Request, Workload
from loadrig.plan.node import Entries, Node, Scalar, at, listed
from loadrig.plan.protocols import protocol_of
from loadrig.plan.protos import compile_protos, messages_of

_METHOD = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*/[A-Za-z_]\w*", re.ASCII)

_TEXT = "write the message as body: or json:"
_MESSAGE = "write json: {…} with the fields of the message"
_STAYS = "leave it out"
_NO_USE: Mapping[Protocol, Mapping[str, tuple[str, str]]] = {
    "websocket": {
        "form": ("a form is no message of a websocket", _TEXT),
        "body_file": ("a websocket's message is a text of the plan, not a file", _TEXT),
        "follow_redirects": ("a websocket follows no redirects", "leave it out; write the last path"),
    },
    "grpc": {
        "body": ("a grpc request's message is not written as body", _MESSAGE),
        "form": ("a form is no message of grpc", _MESSAGE),
        "body_file": ("a grpc request's message is not taken from a file", _MESSAGE),
        "follow_redirects": ("a grpc request follows no redirects", _STAYS),
    },
}
"""Keys that have no meaning for a protocol: what to say, and what to write instead."""

STATUSES: Mapping[Protocol, tuple[int, int]] = {"http": (100, 599), "grpc": (0, 16)}
"""Least and greatest status of an answer, by protocol. Messages of a WebSocket have none.

gRPC's: https://grpc.github.io/grpc/core/md_doc_statuscodes.html, OK to UNAUTHENTICATED."""


def check_protocols(draft: Draft) -> None:
    """Check everything about protocols that can be seen without asking a server."""
    for path, node in draft.requests():
        protocol = protocol_of(node)
        _check_keys(draft, node, protocol)
        _check_status(draft, node, protocol)
        if protocol == "websocket" and path == ("workload", "login"):
            draft.note(_no_login(at(node, "websocket") or node))
    if draft.workload is not None:
        _check_connections(draft, draft.workload)
        _check_sockets(draft, draft.workload)
        _check_grpc(draft, draft.workload)


# --- one request ----------------------------------------------------------------------------------


def _check_keys(draft: Draft, node: Node, protocol: Protocol) -> None:
    if not isinstance(node, Entries):
        return
    for key, (what, mend) in _NO_USE.get(protocol, {}).items():
        entry = node.entries.get(key)
        if entry is not None and not _is_nothing(entry.node):
            draft.note(_not_together(what, entry.span, mend))
    extract = at(node, "extract")
    if protocol != "websocket" or not isinstance(extract, Entries):
        return
    for entry in extract.entries.values():
        for kind in ("header", "cookie"):
            if at(entry.node, kind) is not None:
                what = f"{entry.key} is taken from a {kind}, and the messages of a websocket have none"
                mend = "take it from the message: json: or regex:"
                draft.note(_not_together(what, entry.span, mend))


def _check_status(draft: Draft, node: Node, protocol: Protocol) -> None:
    """Check that statuses lie within the protocol's range.

    A bare number, or a list of numbers, is `expect`'s status.
    """
    expect = at(node, "expect")
    written = at(expect, "status") if isinstance(expect, Entries) else expect
    low, high = STATUSES.get(protocol, (0, 0))
    for status in listed(written):
        if (
            not isinstance(status, Scalar)
            or isinstance(status.value, bool)
            or not isinstance(status.value, int)
        ):
            continue
        if protocol == "websocket":
            mend = "leave it out; check the message with contains:, matches: or json:"
            draft.note(_not_together("the messages of a websocket have no status", status.span, mend))
        elif not low <= status.value <= high:
            draft.note(_no_status(status, protocol, low, high))


def _no_status(node: Scalar, protocol: Protocol, low: int, high: int) -> Problem:
    is_http_ok = protocol == "grpc" and node.text.startswith("2") and len(node.text) == 3
    return Problem(
        what=f"{node.text} is no {'gRPC' if protocol == 'grpc' else 'HTTP'} status",
        where=node.span,
        mend="leave it out: then only 0 (OK) is good" if is_http_ok else f"write one from {low} to {high}",
        code="plan.out-of-range",
    )


def _no_login(node: Node) -> Problem:
    return Problem(
        what="a login cannot be made over a websocket",
        where=node.span,
        why="a login is granted or refused by the status of its answer, and messages have none",
        mend="write it as post: or grpc:, and give the token to the websocket as a header",
        code="plan.not-together",
    )


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _not_together(what: str, where: Span, mend: str, why: str = "") -> Problem:
    return Problem(what=what, where=where, why=why, mend=mend, code="plan.not-together")


# --- connections ----------------------------------------------------------------------------------


def _check_connections(draft: Draft, work: Workload) -> None:
    if not draft.is_clean("workload", "connections") or not _is_http_clean(draft):
        return
    written = draft.node("workload", "connections", "streams")
    if work.connections.http == "1.1" and written is not None and not _is_nothing(written):
        draft.note(
            _not_together(
                "several streams on a connection need HTTP/2, and the plan speaks HTTP/1.1",
                draft.place("workload", "connections", "streams"),
                f"write connections: {{http: 2, streams: {work.connections.streams}}}, or leave streams out",
            )
        )
    if work.connections.http == "2" and not work.connections.keep_alive:
        draft.note(
            _not_together(
                "a connection of HTTP/2 carries many requests, and keep_alive: false allows it one",
                draft.place("workload", "connections", "keep_alive"),
                "leave keep_alive out, or write http: 1.1",
            )
        )


def _check_sockets(draft: Draft, work: Workload) -> None:
    """Check that all messages of a visitor's one WebSocket go to one path."""
    visits = [scenario.steps for scenario in work.scenarios]
    # An arrival goes through one scenario. As fast as can be (`rate: 0`), users make the arrivals.
    if work.arrivals.visitor != "arrival" or work.arrivals.is_unpaced:
        visits = [tuple(step for steps in visits for step in steps)]
    for steps in visits:
        sockets = [step for step in steps if step.protocol == "websocket"]
        for socket in sockets[1:]:
            if socket.path != sockets[0].path and socket.span is not None:
                who = work.arrivals.visitor
                what = f"a {who} has one WebSocket, and it cannot be both {sockets[0].path} and {socket.path}"
                mend = "give all websocket: the same path; load the other in a plan of its own"
                draft.note(_not_together(what.replace("a arrival", "an arrival"), socket.span, mend))


def _is_http_clean(draft: Draft) -> bool:
    return draft.is_clean("workload", "connections", "http")


# --- gRPC -----------------------------------------------------------------------------------------


def _check_grpc(draft: Draft, work: Workload) -> None:
    calls = [request for request in work.requests if request.protocol == "grpc"]
    if not calls:
        return
    first = calls[0]
    if work.connections.http == "1.1" and _is_http_clean(draft):
        draft.note(_needs_http2(draft, first))
    named = [call for call in calls if _is_method(draft, call)]
    if not work.protos:
        if draft.is_clean("workload", "protos"):
            draft.reader.problem(
                what=f"nothing says what the messages of {first.path} are",
                where=first.span,
                mend="add to the workload: protos: FILE.proto, the file that declares the service",
                code="plan.protos",
            )
        return
    are_there = all((draft.folder / name).is_file() for name in work.protos)  # else it is told already
    if draft.is_clean("workload", "protos") and are_there:
        _check_methods(draft, work.protos, named)


def _needs_http2(draft: Draft, call: Request) -> Problem:
    version = draft.node("workload", "connections", "http")
    if version is not None and not _is_nothing(version):
        where: Span | None = version.span
        what, why, mend = "gRPC is spoken over HTTP/2, and http is 1.1", "", "write http: 2"
    else:
        where = call.span
        what = f"{call.address} needs HTTP/2, and the plan speaks HTTP/1.1"
        why = "unless it says otherwise, a plan speaks HTTP/2 only where all its requests are grpc"
        mend = "add to the workload: connections: {http: 2}"
    return Problem(what=what, where=where, why=why, mend=mend, code="plan.not-together")


def _is_method(draft: Draft, call: Request) -> bool:
    """Return whether a method is written as one; note a problem if not."""
    if _METHOD.fullmatch(call.path):
        return True
    service, _, method = call.path.strip("/").replace("/", ".").rpartition(".")
    meant = f"{service}/{method}"
    draft.reader.problem(
        what=f"{call.path!r} is not the name of a gRPC method",
        where=call.span,
        mend=f"write grpc: {meant if _METHOD.fullmatch(meant) else 'package.Service/Method'}",
        code="plan.grpc-method",
    )
    return False


def _check_methods(draft: Draft, protos: tuple[str, ...], calls: list[Request]) -> None:
    try:
        descriptors = compile_protos(draft.folder, protos)
    except ValueError as error:
        draft.reader.problem(
            what=f"the protos cannot be read: {error}",
            where=draft.place("workload", "protos"),
            mend="mend the file; `protoc` should accept it, too",
            code="plan.protos",
        )
        return
    for call in calls:
        try:
            messages_of(descriptors, call.path)
        except ValueError as error:
            draft.reader.problem(
                what=str(error),
                where=call.span,
                mend="name a unary method of a service in the protos",
                code="plan.grpc-method",
            )
