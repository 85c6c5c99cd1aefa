"""Checks of protocols: keys that HTTP/2, a WebSocket or gRPC has no use for, and what gRPC needs."""

import re
from collections.abc import Mapping

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_check_protocols import PlanCheckProtocolsErrors
from loadrig.plan.draft import Draft
from loadrig.plan.model import Workload
from loadrig.plan.node import Entries, Node, Scalar, at, listed
from loadrig.plan.protocols import protocol_of
from loadrig.plan.protos import compile_protos, messages_of
from loadrig.plan.requests import Protocol, Request

ERRORS = texts_of(PlanCheckProtocolsErrors)

_METHOD = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*/[A-Za-z_]\w*", re.ASCII)

_NO_USE: Mapping[Protocol, Mapping[str, ErrorWords]] = {
    "websocket": {
        "form": ERRORS.websocket_form,
        "body_file": ERRORS.websocket_body_file,
        "follow_redirects": ERRORS.websocket_redirects,
    },
    "grpc": {
        "body": ERRORS.grpc_body,
        "form": ERRORS.grpc_form,
        "body_file": ERRORS.grpc_body_file,
        "follow_redirects": ERRORS.grpc_redirects,
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
            draft.note(_not_together(ERRORS.websocket_login, (at(node, "websocket") or node).span))
    if draft.workload is not None:
        _check_connections(draft, draft.workload)
        _check_sockets(draft, draft.workload)
        _check_beside(draft, draft.workload)
        _check_grpc(draft, draft.workload)


# --- one request ----------------------------------------------------------------------------------


def _check_keys(draft: Draft, node: Node, protocol: Protocol) -> None:
    if not isinstance(node, Entries):
        return
    for key, wording in _NO_USE.get(protocol, {}).items():
        entry = node.entries.get(key)
        if entry is not None and not _is_nothing(entry.node):
            draft.note(_not_together(wording, entry.span))
    if protocol != "websocket":
        return
    for check in listed(at(node, "expect", "values")):
        for part in (check, *listed(at(check, "or"))):
            for kind in ("header", "cookie"):
                if (written := at(part, kind)) is not None:
                    draft.note(_not_together(ERRORS.value_without_header(kind), written.span))
    extract = at(node, "extract")
    for entry in extract.entries.values() if isinstance(extract, Entries) else ():
        for key, kind in (("header", "header"), ("cookie", "cookie"), ("part", "status")):
            if at(entry.node, key) is not None:
                draft.note(_not_together(ERRORS.extract_without_header(entry.key, kind), entry.span))


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
            draft.note(_not_together(ERRORS.websocket_status, status.span))
        elif not low <= status.value <= high:
            draft.note(_no_status(status, protocol, low, high))


def _no_status(node: Scalar, protocol: Protocol, low: int, high: int) -> Problem:
    is_grpc = protocol == "grpc"
    is_http_success = is_grpc and node.text.startswith("2") and len(node.text) == 3
    return Problem.of(
        ERRORS.no_such_status(node.text, is_grpc, low, high, is_http_success),
        code="plan.out-of-range",
        where=node.span,
    )


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _not_together(wording: ErrorWords, where: Span) -> Problem:
    return Problem.of(wording, code="plan.not-together", where=where)


# --- connections ----------------------------------------------------------------------------------


def _check_connections(draft: Draft, work: Workload) -> None:
    if not draft.is_clean("workload", "connections") or not _is_http_clean(draft):
        return
    written = draft.node("workload", "connections", "streams")
    if work.connections.http == "1.1" and written is not None and not _is_nothing(written):
        draft.note(
            _not_together(
                ERRORS.streams_over_http1(work.connections.streams),
                draft.place("workload", "connections", "streams"),
            )
        )
    if work.connections.http == "2" and not work.connections.keep_alive:
        draft.note(_not_together(ERRORS.closed_http2, draft.place("workload", "connections", "keep_alive")))


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
                visitor = ERRORS.visitors[work.arrivals.visitor]
                wording = ERRORS.two_websocket_paths(visitor, sockets[0].path, socket.path)
                draft.note(_not_together(wording, socket.span))


def _check_beside(draft: Draft, work: Workload) -> None:
    """Check that what is sent at once has a step before it, and no WebSocket, which is one visitor's."""
    has_sockets = any(request.protocol == "websocket" for request in work.requests)
    for path, node in draft.requests():
        beside = at(node, "beside")
        if not isinstance(beside, Scalar) or beside.value is not True:
            continue
        if has_sockets:
            draft.note(_not_together(ERRORS.beside_websocket, beside.span))
        elif path[-2] != "steps" or path[-1] == 0:
            draft.note(_not_together(ERRORS.beside_nothing, beside.span))


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
            draft.reader.reject(ERRORS.no_protos(first.path), code="plan.protos", where=first.span)
        return
    are_there = all((draft.folder / name).is_file() for name in work.protos)  # else it is told already
    if draft.is_clean("workload", "protos") and are_there:
        _check_methods(draft, work.protos, named)


def _needs_http2(draft: Draft, call: Request) -> Problem:
    version = draft.node("workload", "connections", "http")
    if version is not None and not _is_nothing(version):
        return _not_together(ERRORS.grpc_over_http1, version.span)
    return Problem.of(ERRORS.http2_missing(call.address), code="plan.not-together", where=call.span)


def _is_method(draft: Draft, call: Request) -> bool:
    """Return whether a method is written as one; note a problem if not."""
    if _METHOD.fullmatch(call.path):
        return True
    service, _, method = call.path.strip("/").replace("/", ".").rpartition(".")
    meant = f"{service}/{method}"
    if not _METHOD.fullmatch(meant):
        meant = "package.Service/Method"
    draft.reader.reject(ERRORS.not_a_method(repr(call.path), meant), code="plan.grpc-method", where=call.span)
    return False


def _check_methods(draft: Draft, protos: tuple[str, ...], calls: list[Request]) -> None:
    try:
        descriptors = compile_protos(draft.folder, protos)
    except ValueError as error:
        draft.reader.reject(
            ERRORS.unreadable_protos(str(error)),
            code="plan.protos",
            where=draft.place("workload", "protos"),
        )
        return
    for call in calls:
        try:
            messages_of(descriptors, call.path)
        except ValueError as error:
            draft.reader.reject(ERRORS.not_unary(str(error)), code="plan.grpc-method", where=call.span)
