"""Caches of users on a real server: what is fresh is no request, and 304 is a good answer."""

import json
import socket
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import LoadSectionTexts
from tests.integration import servers
from tests.integration.program import loadrig

pytestmark = pytest.mark.integration

PLAN = """\
loadrig: 1
target: {{external: "http://127.0.0.1:{port}"}}
workload:
  users: 2
  limit: {{loops: 5}}
  {cache}
  think: 1ms
  steps:
    - {{get: /page, extract: {{id: {{json: $.id}}}}}}
    - {{get: /fresh, expect: {{status: 200, contains: id}}}}
    - {{get: /asked, expect: {{status: 200, contains: id}}, extract: {{tag: {{json: $.id}}}}}}
    - {{get: "/by/{{tag}}"}}
trial: {{warm_up: 0s, measure: 10s}}
unwatched: all
"""
USERS, LOOPS = 2, 5
HEADERS = {"/fresh": "Cache-Control: max-age=3600", "/asked": 'ETag: "a"'}


class CachingServer:
    """Answers with an id of its own each time, and counts what it is asked. `?` marks a condition."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, connection: socket.socket, head: bytes) -> None:
        path = head.split()[1].decode()
        is_conditional = b'If-None-Match: "a"' in head
        with self._lock:
            self.asked["/by" if path.startswith("/by/") else path + "?" * is_conditional] += 1
            number = self.asked.total()
        header = HEADERS.get(path, "Cache-Control: no-store")
        body = "" if is_conditional else json.dumps({"id": number})
        status = "304 Not Modified" if is_conditional else "200 OK"
        length = "" if is_conditional else f"Content-Length: {len(body)}\r\n"
        connection.sendall(f"HTTP/1.1 {status}\r\n{header}\r\n{length}\r\n{body}".encode())


def run(cache: str, folder: Path) -> tuple[Counter[str], dict[str, Any]]:
    server = CachingServer()
    with servers.serving_heads(server.answer, keep_open=True) as port:
        (folder / "plan.yaml").write_text(PLAN.format(port=port, cache=cache), encoding="utf-8")
        ended = loadrig("run", "plan.yaml", "--json", "--out", "out", cwd=folder)
    # A busy machine may make it void; it is then as complete.
    assert ended.code in (0, 111, 112), ended.err
    result: dict[str, Any] = json.loads(ended.out)
    return server.asked, result


def test_what_is_fresh_is_asked_for_once_and_the_rest_is_asked_about(tmp_path: Path) -> None:
    asked, result = run("cache: reuse", tmp_path)
    again = USERS * (LOOPS - 1)
    assert asked == {"/page": 10, "/fresh": USERS, "/asked": USERS, "/asked?": again, "/by": 10}
    assert result["outcomes"] == {"ok": asked.total()}
    assert result["status"] == {"200": asked.total() - again, "304": again}
    assert result["load"]["from_cache"] == again
    assert result["load"]["requests"] == asked.total()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert texts_of(LoadSectionTexts).needed_no_request(str(again)) in page


@pytest.mark.nightly
def test_a_cache_of_a_loop_begins_each_anew(tmp_path: Path) -> None:
    asked, result = run("cache: {fresh: validate, lasts: loop}", tmp_path)
    assert asked == {"/page": 10, "/fresh": 10, "/asked": 10, "/by": 10}
    assert "from_cache" not in result["load"]
