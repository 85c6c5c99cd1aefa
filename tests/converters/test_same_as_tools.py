"""Plans made of tests of Locust, vegeta and k6 send what those tools sent, as it was recorded.

Recorded are Locust 2 (one user, once) and vegeta 12 (`attack -rate 20 -duration 1s`), each against the server
of `recording`; of vegeta each different request once, without its own `X-Vegeta-Seq`.
Of k6 they are versions 1.3.0 and 1.8.1, built from their source and run by `recording` itself.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.recording import PORT_IN_CASES, RECORDED_OF_K6, recording

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

HERE = Path(__file__).parent
RUN_S = 60


def recorded(tool: str, name: str) -> list[dict[str, Any]]:
    lines = (HERE / "recorded" / tool / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sent(tool: str, name: str, limit: str, folder: Path) -> list[dict[str, Any]]:
    """Return what the plan of a case sends until a limit, or until the end that the case itself names."""
    with recording() as server:
        (folder / "test" / "beside").mkdir(parents=True)
        source = HERE / "cases" / tool
        for file in (source / name, *(source / "beside").glob("*")):
            content = file.read_bytes().replace(str(PORT_IN_CASES).encode(), str(server.server_port).encode())
            (folder / "test" / file.relative_to(source)).write_bytes(content)
        member = members.load("loadrig.converters", tool)
        conversion = convert_files([folder / "test" / name], member, folder / "plan" / "plan.yaml")
        if limit:
            text = conversion.path.read_text(encoding="utf-8")
            limited = text.replace("\nworkload:\n", f"\nworkload:\n  limit: {limit}\n")
            conversion.path.write_text(limited, encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(conversion.path), "-o", str(folder / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        return server.requests


def test_a_user_sends_what_locusts_user_sends(tmp_path: Path) -> None:
    assert sent("locust", "every.py.txt", "{loops: 1}", tmp_path) == recorded("locust", "every")


@pytest.mark.parametrize("name", ["targets.txt", "targets.json"])
def test_each_target_is_sent_as_vegeta_sends_it(name: str, tmp_path: Path) -> None:
    ours = {json.dumps(request) for request in sent("vegeta", name, "{requests: 150}", tmp_path)}
    assert ours == {json.dumps(request) for request in recorded("vegeta", name)}


@pytest.mark.parametrize("name", RECORDED_OF_K6)
def test_a_user_sends_what_k6_sends(name: str, tmp_path: Path) -> None:
    theirs = recorded("k6", name)
    for request in theirs:
        if request["path"] == "/landed":  # k6 names the page before, which a plan's redirects do not
            del request["headers"]["referer"]
    assert sent("k6", f"{name}.js", "", tmp_path) == theirs
