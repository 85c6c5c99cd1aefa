"""A proof of a server that was cold when it was diagnosed: by then it is warm, and nothing tells of it."""

import json
from pathlib import Path

import pytest

from loadrig.report.words import ENDED
from tests.integration.program import loadrig
from tests.integration.recorded_runs import recorded_run

WARM = """\
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
"""
"""The server as it is by then: no work in it, so that a neighbour cannot make it look as cold as it was."""

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]


# Half a minute for a proof whose verdicts are tested on recorded ones (tests/proving).
@pytest.mark.nightly
def test_what_is_over_by_then_is_neither_proved_nor_cleared(tmp_path: Path) -> None:
    recorded_run("cold", tmp_path)
    before = json.loads(loadrig("diagnose", "run", "--json", cwd=tmp_path).out)
    assert [finding["cause"] for finding in before["findings"]][:1] == ["warm_up"]
    (tmp_path / "cold.py").write_text(WARM, encoding="utf-8")
    done = loadrig("diagnose", "run", "--prove", "--json", cwd=tmp_path, timeout_s=150)
    assert done.code == 0, done.err
    proof = json.loads((tmp_path / "run" / "proof" / "proof.json").read_text(encoding="utf-8"))
    assert proof["experiments"], proof["skipped"]
    assert proof["ended"] == "gone"
    assert proof["findings"] == before["findings"]
    assert ENDED["gone"] in " ".join(loadrig("diagnose", "run", cwd=tmp_path).out.split())
