"""The plan that replays an access log sends the log's requests: each of them, in their order."""

import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.recording import recording

pytestmark = pytest.mark.integration

RUN_S = 60
LENGTH_S = 12
SPEED = 4


def test_the_requests_of_a_log_are_sent_in_its_order(tmp_path: Path) -> None:
    targets = [f"/{'ab'[n % 2]}/{n * 7 % 30}?q={n}&r=%C3%A9,1" for n in range(3 * LENGTH_S)]
    lines = [
        f'127.0.0.1 - - [10/Oct/2026:13:00:{n // 3:02} +0000] "GET {target} HTTP/1.1" 200 5 "-" "agent"\n'
        for n, target in enumerate(targets)
    ]
    log = tmp_path / "access.log"
    log.write_text("".join(lines), encoding="utf-8")
    convert_files([log], members.load("loadrig.converters", "access_log"), tmp_path / "plan.yaml")
    plan = tmp_path / "access-replay.yaml"
    with recording() as server:
        text = plan.read_text(encoding="utf-8").replace("127.0.0.1:8000", f"127.0.0.1:{server.server_port}")
        text = text.replace(
            "replay: access-replay-times.txt", f"replay: {{times: access-replay-times.txt, speed: {SPEED}}}"
        )
        plan.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(plan), "-o", str(tmp_path / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        sent = [request["path"] for request in server.requests]
    assert f"speed: {SPEED}" in text
    assert sent == targets
