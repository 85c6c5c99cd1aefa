"""Words of a server while it is loaded, from its log to the terminal, the page and the trial's JSON."""

import json
import sys
from pathlib import Path

import pytest

from loadrig.report.sections.server_logs import TITLE
from loadrig.testing.leftovers import nothing_left_behind
from tests.integration.dying import command

pytestmark = pytest.mark.integration

BODY = "no connection for you"
PRINTED = "request <number> has failed"

SERVER = """\
import http.server, logging, sys

logging.basicConfig(
    filename="shop.log", format="%(asctime)s %(levelname)s %(name)s %(message)s", level=logging.INFO
)
log = logging.getLogger("shop")
asked = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def do_GET(self):
        global asked
        asked += 1
        status, body = 200, b"ok"
        if asked % 3 == 0:
            status, body = 500, b"BODY"
            log.error(
                "QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00 for "
                "postgres://shop:hunter2!x@db/shop"
            )
            print("PRINTED".replace("<number>", str(asked)), file=sys.stderr, flush=True)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

PLAN = """\
loadrig: 1
name: talking
target: {{command: {{argv: [{python}, shop.py, "{{port}}"], ready: /}}}}
workload: {{rate: 90/1s, requests: [{{get: /, expect: 200}}]}}
trial: {{warm_up: {{at_least: 0s, at_most: 0.2s}}, measure: {{at_least: 2s, at_most: 2s}}}}
"""


def test_what_a_server_says_under_load_is_told_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = SERVER.replace("BODY", BODY).replace("PRINTED", PRINTED)
    (tmp_path / "shop.py").write_text(program, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN.format(python=sys.executable), encoding="utf-8")
    with nothing_left_behind():
        answer = command(capsys, "run", "plan.yaml", "--out", "out")
    trial = json.loads((tmp_path / "out/trials/0001/result.json").read_text(encoding="utf-8"))
    logs = trial["server_logs"]["server"]
    (fact,) = logs["facts"]
    assert (fact["system"], fact["resource"], fact["what"]) == ("sqlalchemy", "pool", "timed_out")
    assert fact["numbers"] == {"size": 5, "overflow": 10, "timeout_s": 30}
    failed = trial["outcomes"]["http_5xx"]
    # The log has those of the warm-up too, and a failure of the last second may not be in it any more.
    assert 0 < failed / 2 < fact["count"] < 3 * failed
    by_source = {template["source"]: template for template in logs["templates"]}
    assert by_source["shop.log"]["level"] == "error"
    (printed,) = (template for name, template in by_source.items() if name != "shop.log")
    assert printed["text"] == PRINTED
    assert any(example["detail"].endswith(BODY) for example in trial["examples"])
    assert fact["text"] in answer.out
    assert TITLE in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert PRINTED.encode() in everything
    assert b"hunter2" not in everything
