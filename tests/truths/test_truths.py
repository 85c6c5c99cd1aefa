"""Each lab in its short form: the right cause comes first, and no healthy server is accused.

Of each lab the sick plan and the healthy one at 60 % are run; all plans with LOADRIG_TRUTHS=all. With
LOADRIG_TRUTHS=ci only two that need no building. Where neighbours disturbed this machine, see
tests.labs.judged.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.labs import needs
from loadrig.labs.find import find, names
from loadrig.labs.format import SICK
from tests.labs.judged import outcome

HEALTHY = "healthy-60"
IN_CI = (f"redis-connections:{SICK}", f"gunicorn-leak:{HEALTHY}")
"""A dependency, and a healthy server of Flask; the quota of cpu-limit is proved in test_proofs. Labs that are
built first, with Maven or Go, are run in the night."""

WITHIN_S = 300.0
"""A short form takes less than a minute; the first also builds the lab, which may fetch libraries."""


def plans() -> Iterator[str]:
    """NAME:PLAN of what is run."""
    which = os.environ.get("LOADRIG_TRUTHS")
    if which == "ci":
        yield from IN_CI
        return
    for name in names():
        for plan in find(name).plans:
            if plan in (SICK, HEALTHY) or which == "all":
                yield f"{name}:{plan}"


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(WITHIN_S + 30)
@pytest.mark.parametrize("which", tuple(plans()))
def test_the_right_cause_comes_first(which: str, tmp_path: Path, came_to: dict[str, str]) -> None:
    name, _, plan = which.partition(":")
    lacking = needs.missing(find(name).for_plan(plan))
    if lacking:
        pytest.skip(f"lab {name}: not here: {', '.join([*lacking.programs, *lacking.modules, *lacking.why])}")
    argv = [sys.executable, "-m", "loadrig.cli", "lab", "run", which, "--short", "--json"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.stdout, done.stderr
    came_to[which] = outcome(done.returncode, json.loads(done.stdout))
    assert not came_to[which].startswith("wrong")
