"""`--lang`: the language of all that a command says, and help that is whole in it."""

import argparse
import subprocess
import sys
from collections.abc import Sequence

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.catalogue import look_up
from loadrig.cli._language import without_flag
from loadrig.cli._parser import Parser, name_of
from loadrig.language import choice
from loadrig.language.choice import written_in
from loadrig.language.descriptions import described
from loadrig.language.ko.commands import PAGES
from loadrig.language.ko.options import OPTIONS

COMMANDS = members.names("loadrig.cli")


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    codes: list[str] = []
    monkeypatch.setattr("loadrig.cli._language.choose", codes.append)
    return codes


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--lang ko report runs/a --text", "ko"),
        ("report --lang=ko runs/a --text", "ko"),
        ("report runs/a --text --lang ko", "ko"),
        ("report runs/a --text --lang en", "en"),
    ],
)
def test_the_language_is_taken_from_any_place(line: str, code: str, chosen: list[str]) -> None:
    assert without_flag(line.split()) == ["report", "runs/a", "--text"]
    assert chosen == [code]


def test_what_follows_two_dashes_is_left_alone(chosen: list[str]) -> None:
    words = ["attack", "--", "--lang", "fr"]
    assert without_flag(words) == words
    assert not chosen


@pytest.mark.parametrize("words", [["--lang"], ["--lang", "fr"], ["--lang="], ["report", "--lang=KO"]])
def test_a_language_that_there_is_not_is_refused(words: list[str], chosen: list[str]) -> None:
    with pytest.raises(PlanError) as raised:
        without_flag(words)
    assert raised.value.problems[0].code == "cli.unknown-language"


def actions() -> dict[str, list[argparse.Action]]:
    """Return the options and arguments of each command that have help."""
    parsers = {}
    for name in COMMANDS:
        module = members.load("loadrig.cli", name)
        parsers[name] = Parser(name, module.HELP)
        module.configure(parsers[name])
    return {
        name: [action for action in parser._actions if action.help != argparse.SUPPRESS]
        for name, parser in parsers.items()
    }


def test_every_command_and_option_has_its_help_in_korean() -> None:
    assert PAGES.keys() == set(COMMANDS)
    used = set()
    for name, own in actions().items():
        for action in own:
            option = name_of(action)
            used.add(f"{name} {option}" if f"{name} {option}" in OPTIONS else option)
    assert used == OPTIONS.keys()


def test_the_examples_of_a_command_are_the_same_in_korean() -> None:
    for name in COMMANDS:
        for line in members.load("loadrig.cli", name).HELP.splitlines():
            if line.startswith("  loadrig"):
                assert line.strip().split("  ")[0] in PAGES[name]


def test_a_per_cent_sign_is_shown_as_it_is_typed() -> None:
    parser = Parser("compare", "")
    members.load("loadrig.cli", "compare").configure(parser)
    assert "3%" in parser.format_help()
    assert "%%" not in parser.format_help()


EXPLAINING = """
import sys
from loadrig.cli.__main__ import main
for word in sys.argv[1:]:
    main(["explain", word])
    print("\f")
"""
"""Program that prints the pages of several words, each with a form feed behind it."""

BEGINNING = (sys.executable, "-m", "loadrig.cli")


def printed(*words: str, beginning: Sequence[str] = BEGINNING, **environment: str) -> str:
    """Return what the program prints, or another that begins with these words."""
    done = subprocess.run(
        [*beginning, *words],
        capture_output=True, text=True, check=False, timeout=60, env={"PATH": "/usr/bin", **environment},
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (("--lang", "ko"), {}),
        (("--help", "--lang=ko"), {"LOADRIG_LANG": "en"}),
        (("--help",), {"LANG": "ko_KR.UTF-8"}),
        (("report", "--help"), {"LOADRIG_LANG": "ko"}),
    ],
)
def test_help_is_shown_in_the_language_that_is_asked_for(
    words: tuple[str, ...], environment: dict[str, str]
) -> None:
    text = printed(*words, PYTHONPATH=":".join(sys.path), PYTHONUTF8="1", **environment)
    assert any("가" <= letter <= "힣" for letter in text)


def test_a_page_of_a_knob_or_a_probe_is_in_korean() -> None:
    expected = {
        "gunicorn.workers": look_up.knobs_of("gunicorn", "ko")["workers"].does,
        "linux_tcp.net.core.somaxconn": look_up.knobs_of("linux_tcp", "ko")["net.core.somaxconn"].matters,
        "hikaricp": look_up.knobs_of("hikaricp", "ko")["idleTimeout"].does,
        "disks": described("metrics", ("disks", "reads"), "", "ko"),
    }
    beginning = (sys.executable, "-c", EXPLAINING)
    environment = {"LOADRIG_LANG": "ko", "PYTHONPATH": ":".join(sys.path), "PYTHONUTF8": "1"}
    *texts, end = printed(*expected, beginning=beginning, **environment).split("\f\n")
    assert end == ""
    for (word, shown), text in zip(expected.items(), texts, strict=True):
        assert shown
        assert shown in text, word
        prose = [line for line in text.splitlines() if line.endswith(".")]
        assert {written_in(line) for line in prose} == {"ko"}, word


def test_the_language_of_the_tests_is_english() -> None:
    assert choice.language() == "en"
