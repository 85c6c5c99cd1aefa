"""Checks that a plan is given by a test hold of the same answers as the tool's own.

Each request of a case has one check, and the name of it. `python -m tests.converters.test_same_checks TOOL
PROGRAM` runs the tool over its case (k6 1.8.1: its program; JMeter 5.6.3: its home; newman 6: its
program) and writes `recorded/checks/TOOL.json` anew: whether each check held.
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from loadrig.recording.reader import Recording
from tests.converters.documents import HERE
from tests.converters.recording import at_port, recording

pytestmark = pytest.mark.integration

RUN_S = 120
RECORDED = HERE / "recorded" / "checks"
CASES = {"k6": "checks.js", "jmeter": "checks.jmx", "postman": "checks.json"}


def ours(tool: str, folder: Path) -> dict[str, bool]:
    """Return whether the checks of a case's plan held."""
    with recording() as server:
        case = at_port(HERE / "cases" / tool / CASES[tool], server.server_port, folder / "test")
        conversion = convert_files(
            [case], members.load("loadrig.converters", tool), folder / "plan" / "plan.yaml"
        )
        plan = conversion.path
        text = plan.read_text(encoding="utf-8")
        if "\n  limit:" not in text:
            text = text.replace("  users: 1\n", "  users: 1\n  limit: {loops: 1}\n", 1)
            plan.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(plan), "-o", str(folder / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
    trial = Recording.open(folder / "run" / "trials" / "0001")
    outcomes: dict[str, set[str]] = {}
    for frame in trial.frames:
        for row in frame.routes:
            outcomes.setdefault(row.route, set()).add(row.outcome)
    return {route: names == {"ok"} for route, names in outcomes.items()}


@pytest.mark.parametrize("tool", CASES)
def test_a_check_holds_where_the_tools_own_does(tool: str, tmp_path: Path) -> None:
    assert ours(tool, tmp_path) == json.loads((RECORDED / f"{tool}.json").read_text(encoding="utf-8"))


def of_k6(program: str, case: Path) -> dict[str, bool]:
    summary = case.parent / "summary.json"
    words = [program, "run", "--quiet", "--no-usage-report", "--summary-export", str(summary), str(case)]
    subprocess.run(words, check=True, timeout=RUN_S, cwd=case.parent)
    checks = json.loads(summary.read_text(encoding="utf-8"))["root_group"]["checks"]
    return {name: check["fails"] == 0 for name, check in checks.items()}


def of_jmeter(home: str, case: Path) -> dict[str, bool]:
    results = case.parent / "results.csv"
    jar = Path(home) / "bin" / "ApacheJMeter.jar"
    words = ["java", "-jar", str(jar), "-n", "-t", str(case), "-l", str(results), "-j", "jmeter.log"]
    subprocess.run(words, check=True, timeout=RUN_S, cwd=case.parent)
    with results.open(encoding="utf-8", newline="") as file:
        return {row["label"]: row["success"] == "true" for row in csv.DictReader(file)}


def of_newman(program: str, case: Path) -> dict[str, bool]:
    export = case.parent / "export.json"
    words = [program, "run", str(case), "-r", "json", "--reporter-json-export", str(export)]
    subprocess.run(
        words, check=False, timeout=RUN_S, cwd=case.parent
    )  # its code is 1 where a test has failed
    executions = json.loads(export.read_text(encoding="utf-8"))["run"]["executions"]
    return {
        execution["item"]["name"]: not any("error" in test for test in execution["assertions"])
        for execution in executions
    }


RUNS: Mapping[str, Callable[[str, Path], dict[str, bool]]] = {
    "k6": of_k6,
    "jmeter": of_jmeter,
    "postman": of_newman,
}


def main(tool: str, program: str, folder: Path) -> None:
    with recording() as server:
        case = at_port(HERE / "cases" / tool / CASES[tool], server.server_port, folder)
        held = RUNS[tool](program, case)
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps(held, indent=1, ensure_ascii=False, sort_keys=True)
    (RECORDED / f"{tool}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(sys.argv[1], sys.argv[2], Path(place))
