"""Commands that the pages tell a person to type, which are some that the program takes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli._parser import Parser
from loadrig.plan.load import read
from tests.house.places import ROOT, files, pages, short

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def commands() -> Iterator[tuple[str, str]]:
    """Yield each `$ …` line of a console block and each line of an sh block, with its page."""
    for page in pages():
        for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                if kind == "console" and line.startswith("$ "):
                    yield short(page), line[2:]
                elif kind == "sh" and line.strip() and not line.startswith("#"):
                    yield short(page), line


def yaml_blocks(page: Path) -> list[str]:
    return [block for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == "yaml"]


@pytest.mark.parametrize(("page", "line"), list(commands()))
def test_a_command_of_a_page_is_understood(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    program, rest = Path(words[0]).name, words[1:]
    for end in ("|", ">", "&&", ";", "2>"):
        rest = rest[: rest.index(end)] if end in rest else rest
    if program == "make":
        assert [word for word in rest if "=" not in word and word not in TARGETS] == []
    if program == "loadrig" and rest and not rest[0].startswith("-"):
        understand(rest)


def understand(words: list[str]) -> None:
    """Parse a command. Raises PlanError with what is wrong."""
    module = members.load("loadrig.cli", words[0])
    parser = Parser(words[0], module.HELP)
    module.configure(parser)
    parser.parse_args(words[1:])


COMING = (ROOT / "docs" / "guide" / "coming-from.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", sorted(set(re.findall(r"`loadrig ([^`]+)`", COMING))))
def test_a_flag_that_stands_beside_one_of_another_tool_is_understood(line: str) -> None:
    understand(shlex.split(line))


def test_a_key_that_stands_beside_a_flag_of_another_tool_is_one_of_a_plan() -> None:
    reference = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\| `(\w+)` \|", reference, re.MULTILINE))
    named = set(re.findall(r"`(\w+):`", COMING))
    assert len(named) > 15
    assert named <= keys


def test_a_receiver_that_stands_in_a_page_is_one_of_ours() -> None:
    formats = set(members.names("loadrig.publishers"))
    named = {
        word
        for page in pages()
        for word in re.findall(r"loadrig [^`\n]*--(?:out|to) '?([a-z_]+)=", page.read_text(encoding="utf-8"))
    }
    assert "remote_write" in named
    assert named <= formats


def test_a_plan_of_a_page_has_no_problem() -> None:
    for page in pages():
        for block in yaml_blocks(page):
            if block.startswith("loadrig:") and "explain" not in page.parts:
                read(block, short(page), sends=False)  # variables that a page speaks of are not set


def test_the_pieces_of_the_first_study_make_a_plan() -> None:
    blocks = yaml_blocks(ROOT / "docs" / "guide" / "first-study.md")
    pieces = [block for block in blocks if not block.startswith("loadrig:")]
    plan = read("loadrig: 1\n" + "".join(pieces), str(ROOT / "examples" / "first-study.yaml"))
    assert {knob.name for knob in plan.knobs} == {"worker_class", "workers", "threads"}
    assert len(plan.goals) == 2


@pytest.mark.parametrize(
    "path",
    [
        short(path)
        for path in files()
        # Those of the cases are of a lab's servers: see test_cases.
        if path.suffix == ".yaml" and "examples" in path.parts and "cases" not in path.parts
    ],
)
def test_an_example_has_no_problem(path: str) -> None:
    read((ROOT / path).read_text(encoding="utf-8"), str(ROOT / path))


def test_invariants_name_tests_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests|crates)/[\w/.-]+\.(?:py|rs))::(\w+)`", text)
    assert len(named) >= 7, "the invariants are not guarded by anything"
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).exists()
        or not re.search(rf"\b(?:def|fn) {name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_rooms_of_the_architecture_are_the_rooms_of_the_house() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^  (\w+)/\*?\s", text, re.MULTILINE))
    rooms = {path.parent.name for path in (ROOT / "python" / "loadrig").glob("*/__init__.py")}
    assert rooms <= shown
