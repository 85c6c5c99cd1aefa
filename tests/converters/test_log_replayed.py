"""The plan that replays an access log sends the log's requests: in their order, each by its route."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from loadrig.plan.load import load
from tests.converters.recording import recording
from tests.lengths import length

pytestmark = pytest.mark.integration

RUN_S = 60
SPEED = 2
SECONDS = (0, 0, 0, 1, 4, 4, 4, 4, 5, 5, 9, 10, 10, 10, 10, 12, 12, 12)
"""Whole seconds of the requests: bursts, and pauses between them. They are sent 125 ms apart at least."""


def _asked(number: int) -> tuple[str, str]:
    """Return the method and the path with the query of a request: of four routes, in no regular order."""
    kind = number * 5 % 7
    if kind < 2:
        return "GET", f"/items/{number * 7 % 30}?q={number}&r=%C3%A9,1"
    if kind == 2:
        return "HEAD", f"/items/{number}"
    return ("GET", "/") if kind == 4 else ("DELETE", f"/carts/{number}")


def _common(number: int, second: int) -> str:
    method, target = _asked(number)
    return (
        f'127.0.0.1 - - [10/Oct/2026:13:00:{second:02} +0000] "{method} {target} HTTP/1.1" 200 5 "-" "agent"'
    )


def _json(number: int, second: int) -> str:
    method, target = _asked(number)
    moment = f"2026-10-10T13:00:{second:02}Z"
    return json.dumps({"time": moment, "method": method, "uri": target, "status": 200})


@pytest.mark.parametrize(
    ("generators", "line"), length([(3, _common)], [(1, _common), (3, _common), (1, _json)])
)
def test_the_requests_of_a_log_are_sent_in_its_order_by_their_routes(
    tmp_path: Path, generators: int, line: Callable[[int, int], str]
) -> None:
    log = tmp_path / "access.log"
    lines = (f"{line(number, second)}\n" for number, second in enumerate(SECONDS))
    log.write_text("".join(lines), encoding="utf-8")
    convert_files([log], members.load("loadrig.converters", "access_log"), tmp_path / "plan.yaml")
    plan = tmp_path / "access-replay.yaml"
    with recording() as server:
        text = plan.read_text(encoding="utf-8").replace("127.0.0.1:8000", f"127.0.0.1:{server.server_port}")
        text = text.replace(
            "replay: access-replay.csv", f"replay: {{times: access-replay.csv, speed: {SPEED}}}"
        )
        plan.write_text(text + (f"\nfleet: {generators}\n" if generators > 1 else ""), encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(plan), "-o", str(tmp_path / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        sent = [(request["method"], request["path"]) for request in server.requests]
    assert f"speed: {SPEED}" in text
    assert sent == [_asked(number) for number in range(len(SECONDS))]
    routes = {step.name for step in load(plan).workload.requests}
    assert routes == {"GET /items/*?q&r", "HEAD /items/*", "GET /", "DELETE /carts/*"}
