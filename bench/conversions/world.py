"""Network namespace in which every host is the recording server: names, ports, and TLS."""

import contextlib
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.converters.recording import OF_THE_TOOL, RecordingServer

from bench.conversions.echo import EchoHandler

NAME_PORT = 53
TYPE_A = 1
ANSWER = struct.Struct(">HHHLH4s")
HEADER_BYTES, QUESTION_TAIL_BYTES = 12, 4
NAME_OF_THE_QUESTION = 0xC00C
"""Pointer to the name that was asked for. Source: RFC 1035, section 4.1.4."""

TLS_HANDSHAKE = b"\x16"
"""First byte of a connection that speaks TLS. Source: RFC 8446, section 5.1."""

ALWAYS_IGNORED = frozenset(("host", "connection", "content-length"))
"""Headers of the connection, and those that the rest of a request tells."""

Request = dict[str, Any]


class EveryHost(RecordingServer):
    """Recording server at a port of every address, which notes the host, too. notes: shared by all ports."""

    request_queue_size = 128

    def __init__(
        self, port: int, notes: list[Request], context: ssl.SSLContext, ignored: frozenset[str]
    ) -> None:
        """Listen at a port of every address. ignored: headers that are not noted."""
        super().__init__(("0.0.0.0", port))
        self.requests = notes
        self._context = context
        self._ignored = ignored

    def noted(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> Request:
        """Return a request as it is compared, with its host."""
        host = next((value for name, value in headers if name.lower() == "host"), "")
        request = super().noted(method, path, headers, body)
        own = {name.lower(): value for name, value in headers if name.lower() in OF_THE_TOOL - ALWAYS_IGNORED}
        request["headers"] = {
            name: value
            for name, value in sorted({**own, **request["headers"]}.items())
            if name not in self._ignored
        }
        return {"host": host.lower().removesuffix(":80").removesuffix(":443"), **request}

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer on a connection, encrypted where it begins as TLS does."""
        request.settimeout(30)
        if request.recv(1, socket.MSG_PEEK) != TLS_HANDSHAKE:
            EchoHandler(request, client_address, self)
            return
        with self._context.wrap_socket(request, server_side=True) as wrapped:
            EchoHandler(wrapped, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: tools end in the middle of a connection."""


def isolate(folder: Path) -> None:
    """Make this process's namespaces, of networks and of mounts, such that every address is this machine's.

    Has to run below `unshare --net --mount`, as root.
    """
    servers = folder / "resolv.conf"
    servers.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", encoding="utf-8")
    for words in (
        ("ip", "link", "set", "lo", "up"),
        ("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo"),
        ("mount", "--bind", str(servers), "/etc/resolv.conf"),
    ):
        subprocess.run(words, check=True)


@contextlib.contextmanager
def every_host(ports: Iterable[int], certificate: Path, ignored: frozenset[str]) -> Iterator[list[Request]]:
    """Listen at ports of every host, and yield the list of requests that grows.

    certificate: the folder of cert.pem and key.pem. ignored: headers that are not noted.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    notes: list[Request] = []
    servers: list[ThreadingHTTPServer] = [
        EveryHost(port, notes, context, ignored) for port in sorted({*ports})
    ]
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", NAME_PORT))
    # Daemons: the process ends with its namespace as soon as it has written what it saw.
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=_answer_names, args=(names,), daemon=True).start()
    try:
        yield notes
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def _answer_names(listening: socket.socket) -> None:
    """Answer every question after a name's IPv4 address with 127.0.0.1, and others with nothing."""
    while True:
        question, sender = listening.recvfrom(512)
        listening.sendto(answer_of(question), sender)


def answer_of(question: bytes) -> bytes:
    """Return the answer to a question of DNS. Source: RFC 1035, section 4."""
    end = question.index(b"\0", HEADER_BYTES) + 1
    (kind,) = struct.unpack_from(">H", question, end)
    is_asked = kind == TYPE_A
    head = question[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, int(is_asked), 0, 0)
    asked = question[HEADER_BYTES : end + QUESTION_TAIL_BYTES]
    address = socket.inet_aton("127.0.0.1")
    return head + asked + (ANSWER.pack(NAME_OF_THE_QUESTION, TYPE_A, 1, 60, 4, address) if is_asked else b"")
