"""Requests as a server sees them: recorded from any tool, and made comparable.

`python -m tests.converters.recording JMETER_HOME` runs JMeter over the cases named in RECORDED and writes
`recorded/jmeter/*.jsonl` anew; `python -m tests.converters.recording k6 PROGRAM` does it with k6.
"""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from typing import Any, TypeVar

HERE = Path(__file__).parent
CASES, RECORDINGS = HERE / "cases" / "jmeter", HERE / "recorded" / "jmeter"

RECORDED = (
    *("shop", "users", "chance", "turns", "functions", "upload", "java", "values", "once", "rounds"),
    *("selectors", "loops", "presence", "cached", "validated", "cleared"),
)
"""Cases that JMeter 5.6.3 was run over."""

RECORDED_OF_K6 = ("every", "values", "rounds")
"""Cases that k6 was run over: the first by version 1.3.0, the others by version 1.8.1."""

PORT_IN_CASES = 8099

OF_THE_TOOL = frozenset(("host", "user-agent", "connection", "content-length", "accept-encoding"))
"""Headers by which a tool names itself or its connection. Of a body's length the body tells."""

JSON_ANSWER = b'{"token": "t-77", "items": [{"id": 5}], "ok": true}'
SHOP_ANSWER = b"""<!doctype html><title>Shop &amp; more</title><meta name=csrf-token content="m&lt;1">
<form id=search><input name=q value=""></form>
<form id=login class="main big"><input type=hidden value="t&quot;1" name="csrf">
<input name="user[name]" value=ann></form>
<ul><li class=first><a href="/items/1">One <b>item</b></a><li><a href="/items/2" title=x>Two<br>lines</a>
<li class="last x"><a href="/items/3">Three</a></ul><table><tr><td>1<td>2<tr><td>3<td><p>four</table>"""
"""Page from which values are taken by selectors."""

VALUES_ANSWER = b"""{"text": "a", "empty": "", "zero": 0, "one": 1, "digit": "0", "no": false, "yes": true,
"word": "false", "none": null, "list": [], "object": {}}"""
"""Values that JavaScript takes as true, and others."""

CACHED_ANSWERS = {
    "hour": (("Cache-Control", "private, max-age=3600"), ("ETag", '"h"')),
    "tag": (("Cache-Control", "no-cache"), ("ETag", 'W/"t"')),
    "date": (("Cache-Control", "no-cache"), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")),
    "both": (
        ("Cache-Control", "max-age=0"),
        ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("ETag", '"b"'),
    ),
    "expires": (("Expires", "Wed, 21 Oct 2099 07:28:00 GMT"), ("ETag", '"e"')),
    "expired": (("Expires", "Sun, 06 Nov 1994 08:49:37 GMT"), ("ETag", '"d"')),
    "zero": (("Expires", "0"), ("ETag", '"z"')),
    "older": (("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),),
    "never": (("Cache-Control", "no-store, max-age=3600"), ("ETag", '"n"')),
    "star": (("Cache-Control", "max-age=3600"), ("Vary", "*"), ("ETag", '"s"')),
    "vary": (("Cache-Control", "max-age=3600"), ("Vary", "Accept-Language"), ("ETag", '"v"')),
}
"""Headers of answers below /cached, by which they may be kept; what is asked about has not changed."""

DONE_AT = 3
"""Requests of a job after which its answer says that it is done."""

HTML_ANSWER = b'<form><input type="hidden" name="csrf" value="abc123"></form> id=42; [left]mid[right]'


BOUNDARY = re.compile(r"(?<=boundary=)[^;]+")
"""Line between the parts of a form, which each tool makes up."""


def _with_one_boundary(body: str, kind: str) -> str:
    match = BOUNDARY.search(kind)
    return body.replace(match[0], "#") if match else body


class RecordingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "RecordingServer"

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        body = self.body()
        if not self.headers.get("User-Agent", "").startswith("loadrig-probe"):
            self.server.note(self.command, self.path, self.headers.items(), body)
        status, headers, content = self.reply(body)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def reply(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:  # noqa: ARG002 - others echo it
        """Return status, headers and content of the answer to this request."""
        path = self.path.partition("?")[0]
        is_page = path.startswith("/html")
        headers = [("Content-Type", "text/html" if is_page else "application/json")]
        if path.startswith("/redirect"):
            return 302, [*headers, ("Location", "/landed")], b""
        if path.startswith("/login"):
            headers.append(("Set-Cookie", "sid=s1; Path=/"))
        if (cached := CACHED_ANSWERS.get(path.removeprefix("/cached/"))) is not None:
            is_asked_about = self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since")
            return 304 if is_asked_about else 200, [*headers, *cached], b"" if is_asked_about else JSON_ANSWER
        if path.startswith("/job"):
            asked = sum(request["path"] == self.path for request in self.server.requests)
            return (
                200,
                headers,
                json.dumps({"n": asked, "state": "done" if asked >= DONE_AT else "busy"}).encode(),
            )
        if path.startswith("/values"):
            return 200, headers, VALUES_ANSWER
        page = SHOP_ANSWER if path == "/html/shop" else HTML_ANSWER
        return 200, headers, page if is_page else JSON_ANSWER

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(chunks)

    def __getattr__(self, name: str) -> Any:
        """Answer every method, also those that only some tools know."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)


class RecordingServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        super().__init__(address, RecordingHandler)
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def note(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> None:
        request = self.noted(method, path, headers, body)
        with self._lock:
            self.requests.append(request)

    def noted(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> dict[str, Any]:
        """Return a request as it is compared."""
        own = {
            name.lower(): value
            for name, value in headers
            if name.lower() not in OF_THE_TOOL and (name.lower(), value) != ("accept", "*/*")
        }
        return {
            "method": method,
            "path": path,
            "headers": {name: BOUNDARY.sub("#", value) for name, value in sorted(own.items())},
            "body": _with_one_boundary(body.decode("latin-1"), own.get("content-type", "")),
        }


ServerKind = TypeVar("ServerKind", bound=BaseServer)


@contextmanager
def serving(server: ServerKind) -> Iterator[ServerKind]:
    """Let a server of the standard library serve on a thread of its own, and close it."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def recording() -> AbstractContextManager[RecordingServer]:
    return serving(RecordingServer())


def at_port(case: Path, port: int, folder: Path) -> Path:
    """Return a copy of a case whose server is at a port, with what lies beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "beside").mkdir(exist_ok=True)
    for file in (case.parent / "beside").iterdir():
        (folder / "beside" / file.name).write_bytes(file.read_bytes())
    copy = folder / case.name
    text = case.read_text(encoding="utf-8").replace(str(PORT_IN_CASES), str(port))
    copy.write_text(text, encoding="utf-8")
    return copy


def recorded(name: str) -> list[dict[str, Any]]:
    lines = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def main(home: Path, folder: Path) -> None:
    for name in RECORDED:
        with recording() as server:
            case = at_port(CASES / f"{name}.jmx", server.server_port, folder / name)
            jar = home / "bin" / "ApacheJMeter.jar"
            subprocess.run(
                ["java", "-jar", str(jar), "-n", "-t", str(case), "-j", str(folder / "jmeter.log")],
                check=True,
                timeout=120,
                cwd=folder,
            )
            lines = [json.dumps(request, ensure_ascii=False) for request in server.requests]
        (RECORDINGS / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main_of_k6(program: Path, folder: Path) -> None:
    for name in RECORDED_OF_K6:
        with recording() as server:
            case = at_port(HERE / "cases" / "k6" / f"{name}.js", server.server_port, folder / name)
            words = [str(program), "run", "--quiet", "--no-usage-report", str(case)]
            subprocess.run(words, check=True, timeout=120, cwd=folder)
            lines = [json.dumps(request, ensure_ascii=False) for request in server.requests]
        text = "\n".join(lines) + "\n"
        (HERE / "recorded" / "k6" / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        if sys.argv[1] == "k6":
            main_of_k6(Path(sys.argv[2]), Path(place))
        else:
            main(Path(sys.argv[1]), Path(place))
