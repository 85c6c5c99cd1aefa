"""The script that the examples for pipelines call: what it keeps and writes, and its exit code."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from ruamel.yaml import YAML

from tests.integration import servers

ROOT = Path(__file__).parents[2]
CI = ROOT / "examples" / "ci"

PLAN = """\
loadrig: 1
target: {{external: 'http://127.0.0.1:{port}'}}
workload: {{rate: 50/1s, requests: [{{get: /}}]}}
goals: ["errors < {errors}%"]
trial: {{warm_up: 0s, measure: {{at_least: 1s, at_most: 1s}}}}
"""


def gate(folder: Path, **environment: str) -> int:
    """Run the script as a pipeline does; return its exit code."""
    program = folder / "program"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m loadrig.cli "$@"\n')
    program.chmod(0o755)
    more = {"LOADRIG": str(program), "XDG_STATE_HOME": str(folder / "state"), **environment}
    command = ["sh", str(CI / "gate.sh"), "plan.yaml"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **more}, timeout=120, check=False, capture_output=True
    )
    return done.returncode


@pytest.mark.integration
def test_a_run_is_kept_and_the_next_is_compared_with_it(tmp_path: Path) -> None:
    summary, out = tmp_path / "summary", tmp_path / "loadrig-out"
    with servers.serving(servers.ok, keep_open=True) as port:
        (tmp_path / "plan.yaml").write_text(PLAN.format(port=port, errors=1))
        assert gate(tmp_path) == 0
        content = (out / "base" / "result.json").read_bytes()
        assert not (out / "summary.md").exists()
        assert gate(tmp_path, GITHUB_STEP_SUMMARY=str(summary)) == 0
        # Two single runs tell nothing of how runs differ: undecided, which fails only where that is asked.
        assert gate(tmp_path, UNDECIDED="1") == 1
        assert (out / "base" / "result.json").read_bytes() == content
        assert gate(tmp_path, KEEP="1") == 0
        assert (out / "base" / "result.json").read_bytes() != content
    assert summary.read_text().startswith("### ")
    assert (out / "summary.md").is_file()
    assert ElementTree.parse(out / "junit.xml").getroot().tag == "testsuites"
    assert ElementTree.parse(out / "badge.svg").getroot().tag.endswith("svg")
    (tmp_path / "plan.yaml").write_text("loadrig: 1\n")
    assert gate(tmp_path) == 104


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_the_examples_call_the_script_with_what_it_knows(name: str) -> None:
    document = YAML(typ="safe").load((CI / name).read_text())
    job = document["jobs"]["load"] if "jobs" in document else document["load"]
    steps = job.get("steps") or [{"run": line} for line in job["script"]]
    commands = [step["run"] for step in steps if "run" in step]
    assert any(command.startswith("sh examples/ci/gate.sh ") for command in commands)
    text = (CI / name).read_text()
    for path in ("loadrig-out/base", "KEEP"):
        assert path in text
        assert path.removeprefix("loadrig-out/") in (CI / "gate.sh").read_text()
