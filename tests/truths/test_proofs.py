"""The five cases proved: each lab with `--prove` ends with its cause named and its mend verified.

Where neighbours disturbed this machine the experiments may not suffice: then nothing is named, least of all
what is innocent.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.labs import needs
from loadrig.labs.find import find
from loadrig.labs.format import SICK
from tests.labs.judged import OF_THE_MACHINE, outcome, reasons

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

UNSURE = ("exhausted", "budget", "unprovable", "gone")
"""Endings of a proof that say by itself that its experiments do not suffice."""


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(WITHIN_S + 30)
@pytest.mark.parametrize("which", tuple(CASES))
def test_a_case_is_proved_and_its_mend_verified(which: str, tmp_path: Path, came_to: dict[str, str]) -> None:
    name, _, plan = which.partition(":")
    lab = find(name).for_plan(plan or SICK)
    lacking = needs.missing(lab)
    if lacking:
        pytest.skip(f"lab {name}: not here: {', '.join([*lacking.programs, *lacking.modules, *lacking.why])}")
    argv = [sys.executable, "-m", "loadrig.cli", "lab", "run", which, "--short", "--prove", "--json"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    key = f"{which} --prove"
    came_to[key] = outcome(done.returncode, document)
    assert not came_to[key].startswith("wrong")
    proof = document["proof"]
    if proof is None:
        # Without a suspect there is nothing to prove: only a disturbed or a void run has none.
        assert not document["right"]
        return
    named = [finding for finding in proof["findings"] if finding["verdict"] == "named"]
    causes = lab.truths[plan or SICK].causes
    assert [finding["cause"] for finding in named if finding["cause"] not in causes] == []
    if not named or not proof["fix"]["is_verified"]:
        came_to[key] = f"disturbed: the proof ended as {proof['ended']!r}, {len(named)} causes named"
        is_disturbed = any(check in OF_THE_MACHINE for check, _ in reasons(document))
        assert is_disturbed or proof["ended"] in UNSURE
        return
    experiments = [experiment["title"] for experiment in proof["experiments"] if experiment["proves"]]
    assert any(title.startswith(CASES[which]) for title in experiments), experiments
