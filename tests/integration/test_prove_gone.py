"""A proof of a server that was cold when it was diagnosed: by then it is warm, and nothing tells of it."""

import json
from pathlib import Path

import pytest

from tests.integration.program import loadrig

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

COLD = '''\
"""A server that is slow for the three seconds after its first request."""

import time

began = None


def app(environ, start_response):
    global began
    if environ["PATH_INFO"] != "/health":
        began = began or time.monotonic()
        time.sleep(0.15 if time.monotonic() - began < 3 else 0.01)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
'''

PLAN = """\
loadrig: 1
name: cold
target:
  gunicorn: {app: "cold:app", ready: /health}
knobs: {worker_class: gthread, workers: 1, threads: 16, keepalive: 10}
workload:
  rate: 30/1s
  requests: [{name: page, get: /, expect: 200}]
goals: ["p95 < 100ms"]
trial:
  warm_up: {at_least: 0s, at_most: 0s}
  measure: {at_least: 10s, at_most: 10s}
prove: {after_run: false, knobs: {threads: 32}, budget: 60s}
"""

TRIES = 3
"""A neighbour who takes the server's core is a reason to accuse nobody: then it is run once more."""


def test_what_is_over_by_then_is_neither_proved_nor_cleared(tmp_path: Path) -> None:
    (tmp_path / "cold.py").write_text(COLD, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, encoding="utf-8")
    for number in range(TRIES):
        run = f"run{number}"
        ran = json.loads(loadrig("run", "plan.yaml", "--out", run, "--json", cwd=tmp_path).out)
        if [one["cause"] for one in ran["findings"]][:1] == ["warm_up"]:
            break
    assert [one["cause"] for one in ran["findings"]][:1] == ["warm_up"], ran["diagnosis"]
    done = loadrig("diagnose", run, "--prove", "--json", cwd=tmp_path, timeout_s=150)
    assert done.code == 0, done.err
    told = json.loads((tmp_path / run / "proof" / "proof.json").read_text(encoding="utf-8"))
    assert told["experiments"]
    assert told["ended"] == "gone"
    assert told["findings"] == ran["findings"]
    assert "was over by then" in loadrig("diagnose", run, cwd=tmp_path).out
