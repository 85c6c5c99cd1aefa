"""`loadrig man`: pages that man reads without a warning, and that tell every option."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli import _commands, _man_page
from loadrig.cli.__main__ import main
from loadrig.cli._parser import name_of
from tests.wording import codes

COMMANDS = members.names("loadrig.cli")


def rendered(page: Path) -> str:
    """Return a page as man shows it on a wide terminal; fails the test where the formatter complains."""
    if shutil.which("man") is None:
        pytest.skip("no man on this machine")
    environment = {**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["man", "--warnings", "-l", str(page)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("command", ["attack", "export", "man", "steer"])
def test_man_shows_every_option_and_the_text_as_it_was_typed(command: str, tmp_path: Path) -> None:
    page = tmp_path / "page.1"
    page.write_text(_man_page.command_page(command))
    text = rendered(page)
    parser = _commands.command_parser(command)
    assert all(name_of(action) in text for action in parser.shown())
    shown = {line.strip() for line in text.splitlines()}
    assert {line.strip() for line in parser.text.splitlines()} <= shown


def test_every_page_is_written_and_read_by_man(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "share" / "man1"
    assert main(["man", "-o", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
    names = {path.name for path in folder.iterdir()}
    assert names == {"loadrig.1", *(f"loadrig-{name}.1" for name in COMMANDS)}
    assert all(name in rendered(folder / "loadrig.1") for name in COMMANDS)


def test_a_line_that_begins_with_a_dot_or_an_accent_is_text() -> None:
    assert _man_page._line(".TH") == r"\&.TH"
    assert _man_page._line("'it") == r"\(aqit"
    assert _man_page._line(r"a\b") == r"a\(rsb"


def test_the_page_is_that_of_the_command_or_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", "check"]) == 0
    assert capsys.readouterr().out == _man_page.command_page("check")
    assert main(["man"]) == 0
    assert capsys.readouterr().out == _man_page.program_page()


def test_an_unknown_command_and_a_folder_that_is_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["man", "atack"]) == 104
    refusal = capsys.readouterr().err
    assert codes(refusal) == ["cli.unknown-command"]
    assert "loadrig man attack" in refusal
    (tmp_path / "file").write_text("")
    assert main(["man", "-o", str(tmp_path / "file")]) == 104
    assert codes(capsys.readouterr().err) == ["cli.wrong-argument"]
