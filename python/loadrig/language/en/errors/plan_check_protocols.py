"""Errors of `plan.check_protocols` in English."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords

_TEXT = "write the message as body: or json:"
_MESSAGE = "write json: {…} with the fields of the message"


class PlanCheckProtocolsErrors:
    websocket_form = ErrorWords(what="a form is no message of a websocket", mend=_TEXT)
    websocket_body_file = ErrorWords(
        what="a websocket's message is a text of the plan, not a file", mend=_TEXT
    )
    websocket_redirects = ErrorWords(
        what="a websocket follows no redirects", mend="leave it out; write the last path"
    )
    grpc_body = ErrorWords(what="a grpc request's message is not written as body", mend=_MESSAGE)
    grpc_form = ErrorWords(what="a form is no message of grpc", mend=_MESSAGE)
    grpc_body_file = ErrorWords(what="a grpc request's message is not taken from a file", mend=_MESSAGE)
    grpc_redirects = ErrorWords(what="a grpc request follows no redirects", mend="leave it out")
    websocket_status = ErrorWords(
        what="the messages of a websocket have no status",
        mend="leave it out; check the message with contains:, matches: or json:",
    )
    websocket_login = ErrorWords(
        what="a login cannot be made over a websocket",
        mend="write it as post: or grpc:, and give the token to the websocket as a header",
        why="a login is granted or refused by the status of its answer, and messages have none",
    )
    closed_http2 = ErrorWords(
        what="a connection of HTTP/2 carries many requests, and keep_alive: false allows it one",
        mend="leave keep_alive out, or write http: 1.1",
    )
    grpc_over_http1 = ErrorWords(what="gRPC is spoken over HTTP/2, and http is 1.1", mend="write http: 2")

    visitors: ClassVar[Mapping[str, str]] = {
        "user": "a user",
        "session": "a session",
        "arrival": "an arrival",
    }

    def extract_without_header(self, name: str, kind: str) -> ErrorWords:
        """Return what is said of a variable; kind: header, cookie or status."""
        return ErrorWords(
            what=f"{name} is taken from a {kind}, and the messages of a websocket have none",
            mend="take it from the message: json: or regex:",
        )

    def value_without_header(self, kind: str) -> ErrorWords:
        """Return what is said of a check of a value; kind: header or cookie."""
        return ErrorWords(
            what=f"a {kind} is checked, and the messages of a websocket have none",
            mend="check the message: json: or regex:",
        )

    def no_such_status(
        self, status: str, is_grpc: bool, least: int, greatest: int, is_http_success: bool
    ) -> ErrorWords:
        """Return what is said of a status; is_http_success: one of 200 to 299 where gRPC has 0."""
        return ErrorWords(
            what=f"{status} is no {'gRPC' if is_grpc else 'HTTP'} status",
            mend="leave it out: then only 0 (OK) is good"
            if is_http_success
            else f"write one from {least} to {greatest}",
        )

    def streams_over_http1(self, streams: int) -> ErrorWords:
        return ErrorWords(
            what="several streams on a connection need HTTP/2, and the plan speaks HTTP/1.1",
            mend=f"write connections: {{http: 2, streams: {streams}}}, or leave streams out",
        )

    beside_nothing = ErrorWords(
        what="beside sends a step at once with the one before it, and there is none",
        mend="leave beside out of the first step, of requests: and of the login",
    )
    beside_websocket = ErrorWords(
        what="beside has no meaning where a user has a WebSocket: its messages come one after the other",
        mend="leave beside out, or load the WebSocket in a plan of its own",
    )

    def two_websocket_paths(self, visitor: str, first_path: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{visitor} has one WebSocket, and it cannot be both {first_path} and {path}",
            mend="give all websocket: the same path; load the other in a plan of its own",
        )

    def no_protos(self, method: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing says what the messages of {method} are",
            mend="add to the workload: protos: FILE.proto, the file that declares the service",
        )

    def http2_missing(self, request: str) -> ErrorWords:
        return ErrorWords(
            what=f"{request} needs HTTP/2, and the plan speaks HTTP/1.1",
            mend="add to the workload: connections: {http: 2}",
            why="unless it says otherwise, a plan speaks HTTP/2 only where all its requests are grpc",
        )

    def not_a_method(self, shown: str, meant: str) -> ErrorWords:
        return ErrorWords(what=f"{shown} is not the name of a gRPC method", mend=f"write grpc: {meant}")

    def unreadable_protos(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the protos cannot be read: {reason}", mend="mend the file; `protoc` should accept it, too"
        )

    def not_unary(self, reason: str) -> ErrorWords:
        return ErrorWords(what=reason, mend="name a unary method of a service in the protos")
