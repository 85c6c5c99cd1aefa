"""Labs whose load is made by a fleet of generators: the cause is told as it is for one of them."""

import json
import shutil
from pathlib import Path

import pytest

from loadrig.labs import needs
from loadrig.labs.find import find
from loadrig.labs.format import SICK
from tests import warm
from tests.labs.judged import outcome

GENERATORS = 3

WITHIN_S = 300.0
"""A short form takes less than a minute; the first also installs what the lab needs."""


@pytest.mark.integration
@pytest.mark.nightly
@pytest.mark.timeout(WITHIN_S + 30)
@pytest.mark.parametrize("name", ["redis-connections", "cpu-limit"])
def test_a_server_that_a_fleet_loads_is_judged_right(name: str, tmp_path: Path) -> None:
    lab = find(name)
    if lacking := needs.missing(lab.for_plan(SICK)):
        pytest.skip(f"lab {name}: not here: {', '.join([*lacking.programs, *lacking.modules, *lacking.why])}")
    folder = tmp_path / name
    shutil.copytree(lab.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    plan = folder / f"{SICK}.yaml"
    plan.write_text(f"{plan.read_text()}\nfleet: {{generators: {GENERATORS}}}\n")
    words = [*warm.PROGRAM, "lab", "run", str(folder), "--short", "--json"]
    done = warm.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S)
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    assert not outcome(done.returncode, document).startswith("wrong")
    trial = json.loads((tmp_path / document["run"] / "trials" / "0001" / "result.json").read_text())
    assert len(trial["fleet"]["generators"]) == GENERATORS
