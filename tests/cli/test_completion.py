"""`loadrig completion`: the shells themselves read what it prints, and complete by it."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli import completion
from loadrig.cli.__main__ import main
from tests.wording import codes

COMMANDS = set(members.names("loadrig.cli"))

DEADLINE_S = 60.0


def shell(name: str) -> str:
    """Return the path of a shell; skips the test where the machine has none."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"no {name} on this machine")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a plan, and with the program under the name that is completed."""
    (tmp_path / "shop.yaml").write_text("loadrig: 1\n")
    program = tmp_path / "bin" / "loadrig"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m loadrig.cli "$@"\n')
    program.chmod(0o755)
    return tmp_path


def printed_by(argv: list[str], folder: Path) -> list[str]:
    """Return the lines that a shell prints; it has no settings of anybody."""
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "TERM": "dumb",
    }
    done = subprocess.run(
        argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


@cache
def script_for(name: str) -> str:
    """Return what the command prints for a shell, which is the same for every line that is completed."""
    command = [sys.executable, "-m", "loadrig.cli", "completion", name]
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=True).stdout


def by_bash(line: str, folder: Path) -> set[str]:
    """Return what bash offers at the end of a line."""
    (folder / ".script").write_text(script_for("bash"))
    text = (
        "eval \"$(cat .script)\"; COMP_WORDBREAKS=$' \t\n'; COMP_TYPE=9; COMP_LINE=$1; "
        'COMP_POINT=${#1}; _python_argcomplete loadrig; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return _words(printed_by([shell("bash"), "--norc", "-c", text, "bash", line], folder))


def by_fish(line: str, folder: Path) -> set[str]:
    """Return what fish offers at the end of a line."""
    (folder / ".script").write_text(script_for("fish"))
    text = f"source .script; complete --do-complete '{line}'"
    return _words(printed_by([shell("fish"), "-c", text], folder))


def by_zsh(line: str, folder: Path) -> set[str]:
    """Return what zsh offers at the end of a line: a zsh at a terminal of its own."""
    (folder / "ask.zsh").write_text(
        "zmodload zsh/zpty\n"
        "mkdir functions; loadrig completion zsh > functions/_loadrig\n"
        "zpty asked zsh -f -i\n"
        "zpty -w asked $'stty columns 200 rows 500; LISTMAX=10000; PS1=; fpath=($PWD/functions $fpath)"
        '; autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word'
        "; setopt no_list_beep; print rea\\'\\'dy'\n"
        "zpty -r -m asked reply '*ready*'\n"
        f"zpty -w -n asked $'{line}\\t\\t'\n"
        "for try in {1..40}; do sleep 0.25; zpty -r -t asked reply && print -r -- $reply; done\n"
        "zpty -d asked\n"
    )
    text = " ".join(printed_by([shell("zsh"), "-f", "ask.zsh"], folder))
    return {word.strip("\x07\x1b[]?") for word in text.replace("\r", " ").split()}


def _words(lines: list[str]) -> set[str]:
    """Return what is offered without what is said of it, and without the blank behind the only one."""
    return {line.partition("\t")[0].strip() for line in lines} - {""}


WAYS = {"bash": by_bash, "fish": by_fish, "zsh": by_zsh}


@pytest.mark.parametrize("name", WAYS)
def test_a_shell_offers_commands_options_and_names(name: str, folder: Path) -> None:
    assert WAYS[name]("loadrig ca", folder) >= {"capacity"}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["bash", "fish"])
def test_a_shell_offers_every_command_an_option_a_member_and_a_file(name: str, folder: Path) -> None:
    ask = WAYS[name]
    assert ask("loadrig ", folder) >= COMMANDS
    assert ask("loadrig attack --conn", folder) == {"--connections"}
    assert ask("loadrig explain gunicorn.work", folder) >= {"gunicorn.workers"}
    assert ask("loadrig check sho", folder) == {"shop.yaml"}
    assert ask("loadrig export --to jun", folder) == {"junit"}
    assert ask("loadrig attack --arrivals ", folder) == {"constant", "poisson"}


@pytest.mark.parametrize("name", completion.SHELLS)
def test_a_shell_takes_what_is_printed(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", name]) == 0
    (folder / "script").write_text(capsys.readouterr().out)
    printed_by([shell(name), "-n", "script"], folder)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "cmd"]) == 104
    assert codes(capsys.readouterr().err) == ["cli.wrong-argument"]


def test_a_run_of_a_command_does_not_wait_for_it() -> None:
    line = "import sys; from loadrig.cli.__main__ import main; main(['check', '--schema'])"
    line += "; sys.exit('argcomplete' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], stdout=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0
