"""A flag that a command does not know is answered with the one that was meant, or with none."""

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.cli import attack
from loadrig.cli._parser import Parser


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--connectoins", "--connections"),
        ("--insecur=yes", "--insecure"),
        # As far from every flag as any word is, but for the dashes.
        ("--concurency", None),
        ("--zzz", None),
    ],
)
def test_only_what_is_like_the_word_itself_is_offered(typed: str, meant: str | None) -> None:
    parser = Parser("attack", attack.HELP)
    parser.add_argument("-c", "--connections")
    parser.add_argument("--insecure", action="store_true")
    with pytest.raises(PlanError) as refused:
        parser.parse_args([typed])
    (problem,) = refused.value.problems
    offered = [name for name in ("--connections", "--insecure") if name in problem.mend]
    assert (problem.code, offered) == ("cli.unknown-argument", [meant] if meant else [])


@pytest.mark.parametrize("command", ["attack", "capacity", "lab", "run", "soak", "spike", "tune"])
def test_a_folder_and_receivers_go_by_the_same_option(command: str) -> None:
    module = members.load("loadrig.cli", command)
    parser = Parser(command, module.HELP)
    module.configure(parser)
    first = ["run", "some"] if command == "lab" else ["plan.yaml"]
    words = [*first, "--out", "statsd=1:2", "-o", "runs/a=b", "--out", "no_format=x"]
    arguments = parser.parse_args(words)
    assert (arguments.out, arguments.receivers) == ("runs/a=b", ["statsd=1:2", "no_format=x"])
    assert parser.parse_args(first).receivers == []
