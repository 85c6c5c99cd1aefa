"""Options of a fleet: the same in every command that makes a load, in place of the plan's own."""

from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli.__main__ import main
from loadrig.cli._parser import Parser
from loadrig.cli._quick import overrides
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.load import load, read

URL = "http://127.0.0.1:1/"

PLAN = """loadrig: 1
target: {{external: "{url}"}}
workload: {{rate: 10, requests: [{{get: /}}]}}
{fleet}
"""


def typed_rules(command: str, path: Path, *words: str) -> FleetRules | None:
    """Return the fleet of a plan's file with words of a command in place of its own."""
    module = members.load("loadrig.cli", command)
    parser = Parser(command, module.HELP)
    module.configure(parser)
    arguments = parser.parse_args([str(path), *words])
    return load(path, *overrides(arguments, {})).fleet


@pytest.mark.parametrize("command", ["run", "tune", "capacity", "soak", "spike"])
@pytest.mark.parametrize(
    ("fleet", "words", "generators", "ray"),
    [
        ("", ["--fleet", "3"], 3, None),
        ("", ["--fleet", "3", "--fleet-ray", "auto"], 3, "auto"),
        ("fleet: 4", ["--fleet-ray", "[::1]:6379"], 4, "[::1]:6379"),
        ("fleet: {generators: 4, ray: auto}", ["--fleet", "2", "--fleet-ray", "h:1"], 2, "h:1"),
        ("fleet: {generators: 4, ray: auto}", ["--fleet", "2"], 2, "auto"),
    ],
)
def test_a_typed_fleet_stands_in_for_the_plans(
    command: str, fleet: str, words: list[str], generators: int, ray: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.format(url=URL, fleet=fleet))
    rules = typed_rules(command, path, *words)
    assert rules is not None
    assert (int(rules.generators), rules.ray) == (generators, ray)


@pytest.mark.parametrize("command", ["attack", "capacity", "soak", "spike"])
@pytest.mark.parametrize("ray", ["auto", "10.0.0.5:6379"])
def test_a_url_takes_the_same_options(
    command: str, ray: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = ["--goal", "p95 < 1s"] if command == "capacity" else []
    assert main([command, URL, "--fleet", "3", "--fleet-ray", ray, *goal, "--print-plan"]) == 0
    rules = read(capsys.readouterr().out, str(tmp_path / "plan.yaml")).fleet
    assert rules is not None
    assert (int(rules.generators), rules.ray) == (3, ray)
