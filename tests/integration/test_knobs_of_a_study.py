"""A study as a user starts it, with knobs of several kinds: each trial's server saw its own setting."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base import networks
from tests.integration.started import nothing_left
from tests.probes import namespaces
from tests.servers._daemon import program

__all__ = ["nothing_left"]  # fixtures

pytestmark = pytest.mark.integration

SERVER = """\
import http.server, json, os, sys
from pathlib import Path
seen = {
    "pool": os.environ.get("POOL_SIZE"), "flag": sys.argv[3], "file": Path(sys.argv[2]).read_text(),
    "fin": Path("/proc/sys/net/ipv4/tcp_fin_timeout").read_text().strip(),
}
with open("seen.jsonl", "a") as file:
    file.write(json.dumps(seen) + "\\n")
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

PLAN = """\
loadrig: 1
target:
  command:
    argv: "{python} server.py {{port}} {{file:shop.conf}}"
    files: {{shop.conf: shop.template}}
    knob_flags:
      level: {{flag: "{{}}", words: [low, high]}}
      pool: {{env: POOL_SIZE, low: 1, high: 64}}
      threads: {{low: 1, high: 400}}
      net.ipv4.tcp_fin_timeout: {{sysctl: net.ipv4.tcp_fin_timeout, low: 1, high: 100}}
workload: {{users: 1, requests: [{{get: /}}]}}
knobs: {{level: high, pool: [5, 9], threads: 8, net.ipv4.tcp_fin_timeout: 44}}
trial: {{warm_up: 0s, measure: 1s}}
study: {{find: grid, blocks: 1}}
"""


@pytest.mark.nightly
def test_every_trial_of_a_study_runs_with_its_own_setting_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    nsenter = program("nsenter", "apt-get install util-linux")
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "shop.template").write_text("threads={{threads}}")
    (tmp_path / "plan.yaml").write_text(PLAN.format(python=sys.executable))
    fin = Path("/proc/sys/net/ipv4/tcp_fin_timeout")
    before = fin.read_text()
    with namespaces.program("") as space:
        inside = Path(f"/proc/{space}/ns/net")
        networks.within(inside, lambda: fin.write_text("33"))
        done = subprocess.run(
            [nsenter, "-t", str(space), "-n", sys.executable, "-m", "loadrig.cli", "run", "plan.yaml"],
            cwd=tmp_path, capture_output=True, text=True, timeout=90, check=False,
            env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
        requests = [json.loads(line) for line in (tmp_path / "seen.jsonl").read_text().splitlines()]
        assert done.returncode in (0, 111), done.stderr  # on a machine this small a trial may be void
        assert networks.within(inside, fin.read_text).strip() == "33"
    assert fin.read_text() == before
    assert {request["pool"] for request in requests} == {"5", "9"}
    same = {"flag": "high", "file": "threads=8", "fin": "44"}
    assert [{name: request[name] for name in same} for request in requests] == [same] * len(requests)
    assert len(requests) >= 3
    assert (tmp_path / "shop.template").read_text() == "threads={{threads}}"
