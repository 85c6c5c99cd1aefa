"""The five cases proved: each lab with `--prove` ends with its cause named and its mend verified.

With LOADRIG_TRUTHS=ci only the shortest, as CI has an hour.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.exits import Exit
from loadrig.labs import needs
from loadrig.labs.find import find
from loadrig.labs.format import SICK
from tests.stolen import STOLEN, Watch

CASES = {
    "cpu-limit": "CPU of server",
    "redis-connections": "pool",
    "token-storm": "expiry",
    "chi-gzip": "compress",
    "tomcat-db": "CPU of mariadb",
    "gunicorn-leak:gthread": "max_requests",
}
"""NAME[:PLAN], and what the experiment changes that proves it."""

WITHIN_S = 360.0
"""Five minutes, and what building the lab for the first time takes."""

TRIES = 3
"""What neighbours on this machine have spoilt says nothing: it is run again."""


def chosen() -> list[str]:
    return ["cpu-limit"] if os.environ.get("LOADRIG_TRUTHS") == "ci" else list(CASES)


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(TRIES * WITHIN_S + 30)
@pytest.mark.parametrize("which", chosen())
def test_a_case_is_proved_and_its_mend_verified(which: str, tmp_path: Path) -> None:
    name, _, plan = which.partition(":")
    lacking = needs.missing(find(name).for_plan(plan or SICK))
    if lacking:
        pytest.skip(f"lab {name}: not here: {', '.join([*lacking.programs, *lacking.modules, *lacking.why])}")
    argv = [sys.executable, "-m", "loadrig.cli", "lab", "run", which, "--short", "--prove", "--json"]
    for _ in range(TRIES):
        watch = Watch()
        done = subprocess.run(
            argv, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S, check=False
        )
        assert done.stdout, done.stderr
        document = json.loads(done.stdout)
        # Where the hypervisor was the disturber, the whole test is repeated once it is quiet.
        if (done.returncode != Exit.VOID and is_proved(document)) or watch.share > STOLEN:
            break
    proof = document["proof"]
    assert document["right"], document["answer"]
    said = [one["says"] for one in proof["experiments"]]
    assert proof["findings"][0]["verdict"] == "named", (said, proof["skipped"])
    assert any(one["title"].startswith(CASES[which]) and one["proves"] for one in proof["experiments"]), said
    assert proof["fix"]["is_verified"], proof["fix"]


def is_proved(document: dict[str, Any]) -> bool:
    proof = document["proof"] or {}
    return bool(document["right"] and (proof.get("fix") or {}).get("is_verified"))
