"""Each lab in its short form: the right cause comes first, and no healthy server is accused.

Of each lab the sick plan and the healthy one at 60 % are run; all plans with LOADRIG_TRUTHS=all. With
LOADRIG_TRUTHS=ci the healthy plans are those of one lab for each stack, as CI has an hour.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.exits import Exit
from loadrig.labs import needs
from loadrig.labs.find import find, names
from loadrig.labs.format import SICK
from tests.stolen import STOLEN, Watch

HEALTHY = "healthy-60"
STACKS = ("gunicorn-leak", "token-storm", "chi-gzip")
"""Flask, a JVM and Go: the healthy servers of CI."""

WITHIN_S = 300.0
"""A short form takes less than a minute; the first also builds the lab, which may fetch libraries."""


TRIES = 3
"""A trial that was disturbed says something of this machine and nothing of the diagnosis: it is run again."""

DISTURBED = "G4"
"""The check of the generator's core: others ran on it, or the hypervisor took it away."""


def plans() -> Iterator[str]:
    """NAME:PLAN of what is run."""
    which = os.environ.get("LOADRIG_TRUTHS")
    for name in names():
        for plan in find(name).plans:
            is_healthy = plan == HEALTHY and (which != "ci" or name in STACKS)
            if plan == SICK or is_healthy or which == "all":
                yield f"{name}:{plan}"


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(TRIES * WITHIN_S + 30)
@pytest.mark.parametrize("which", tuple(plans()))
def test_the_right_cause_comes_first(which: str, tmp_path: Path) -> None:
    name, _, plan = which.partition(":")
    lacking = needs.missing(find(name).for_plan(plan))
    if lacking:
        pytest.skip(f"lab {name}: not here: {', '.join([*lacking.programs, *lacking.modules, *lacking.why])}")
    argv = [sys.executable, "-m", "loadrig.cli", "lab", "run", which, "--short", "--json"]
    for _ in range(TRIES):
        watch = Watch()
        done = subprocess.run(
            argv, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S, check=False
        )
        assert done.stdout, done.stderr
        document = json.loads(done.stdout)
        # Where the hypervisor was the disturber, the whole test is repeated once it is quiet.
        is_stolen = watch.share > STOLEN
        if document["right"] or is_stolen or not _was_disturbed(done.returncode, document):
            break
    accused = [
        (one["verdict"], one["cause"], one["component"], one["effect"])
        for trial in document["trials"]
        for one in trial["findings"]
    ]
    assert document["right"], f"{document['answer']}\n{accused}\n{_reasons(document)}"


def _was_disturbed(code: int, document: dict[str, Any]) -> bool:
    return code == Exit.VOID or any(check == DISTURBED for _, check, _ in _reasons(document))


def _reasons(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Why trials are not trusted wholly: level, check, text."""
    every = [why for trial in document["trials"] for why in trial["validity"]["reasons"]]
    return [(why["level"], why["check"], why["text"]) for why in every]
