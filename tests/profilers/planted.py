"""Servers of CPython that burn their CPU time in one kind of work, which a burst must find.

A request takes some tens of milliseconds: answering it and waiting for the next must be little beside that,
also where five other tests have the cores.
"""

import http.client
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from sys import executable, version

from tests.servers._announced import Announced, announced

SHOP = """
import http.server, json, logging, os, re, ssl, sys, zlib

DATA = os.urandom(20_000) * 2
ROWS = {str(n): {"id": n, "tags": ["a", "b"], "text": "some text"} for n in range(400)}
WORD = re.compile("(a+)+$")
LOG = logging.getLogger("shop")
LOG.setLevel("INFO")
LOG.addHandler(logging.FileHandler(os.devnull))


def hot(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) & 0xFFFF
    return x


def by_own():
    return str(hot(500_000)).encode()


def by_json():
    for _ in range(12):
        text = json.dumps(ROWS)
    return text.encode()


def by_zlib():
    for _ in range(40):
        body = zlib.compress(DATA, 9)
    return body


def by_re():
    for _ in range(12):
        WORD.sub("x", "a" * 15 + "b")
    return b"ok"


def by_log():
    for n in range(2_000):
        LOG.info("row %d of %s", n, "table")
    return b"ok"


PAGE = DATA * 100


def by_ssl():
    return PAGE


def by_handshake():
    return b"ok"


work = globals()[f"by_{sys.argv[1]}"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", 1 << 25, True

    def do_GET(self):
        body = work()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# Without threads, whose start is work of its own, a handshake is most of the work of a connection.
Server = http.server.HTTPServer if sys.argv[1] == "handshake" else http.server.ThreadingHTTPServer
server = Server(("127.0.0.1", 0), Handler)
if sys.argv[1] in ("ssl", "handshake"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    if sys.argv[1] == "ssl":
        # CPUs cipher by newer suites faster than they copy.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("ECDHE-RSA-AES256-SHA384")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"listening on {server.server_address[1]}", flush=True)
server.serve_forever()
"""

CLIENTS = 2
"""Connections that are kept busy: one would leave the server idle while the client reads."""


@contextmanager
def burning(work: str, folder: Path) -> Iterator[Announced]:
    """Yield a server that does one kind of work for each request, which a `by_` function of SHOP names."""
    (folder / "shop.py").write_text(SHOP)
    argv = [executable, str(folder / "shop.py"), work]
    with announced(argv, folder, "cpython", version.partition(" ")[0]) as server:
        yield server


@contextmanager
def kept_busy(
    port: int,
    path: str = "/",
    *,
    has_tls: bool = False,
    closes: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Ask a server for a path, again and again over a few connections. closes: over a new one each time."""
    done = threading.Event()

    def ask() -> None:
        unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        connection = (
            http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=unchecked)
            if has_tls
            else http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        )
        while not done.is_set():
            connection.request("GET", path, headers=dict(headers or {}))
            connection.getresponse().read()
            if closes:
                connection.close()
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
