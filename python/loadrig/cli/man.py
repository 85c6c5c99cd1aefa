"""`loadrig man`: the manual pages of loadrig and of its commands, for `man`."""

import argparse
from pathlib import Path

from loadrig.base import members
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliManErrors

ERRORS = texts_of(CliManErrors)

HELP = """
Print the manual page of loadrig or of a command, or write all of them.

  loadrig man attack | man -l -                     read one
  loadrig man -o ~/.local/share/man/man1            write all; then: man loadrig-attack

They are made from the commands that are installed, and say what --help says.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("command", metavar="COMMAND", nargs="?", help="whose page (default: that of loadrig itself)")
    add("-o", "--out", metavar="FOLDER", help="write every page into a folder (default: print one)")


def run(arguments: argparse.Namespace) -> int:
    """Print one page, or write all and print their folder. Raises PlanError for an unknown command."""
    # Not at the top: what describes all commands imports them all.
    from loadrig.cli._man_page import command_page, program_page, whole_manual
    from loadrig.cli._overview import ROOM

    if arguments.out is not None:
        folder = Path(arguments.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in whole_manual():
                (folder / f"{name}.1").write_text(text, encoding="utf-8")
        except OSError as error:
            raise PlanError.of(
                ERRORS.not_written(str(folder), error.strerror or ""),
                code="cli.wrong-argument",
                where=Span("--out"),
            ) from error
        print(folder)
        return Exit.FINE
    name = arguments.command
    if name is None:
        print(program_page(), end="")
        return Exit.FINE
    if name not in members.names(ROOM):
        raise PlanError.of(
            ERRORS.no_command(repr(name), members.nearest(name, members.names(ROOM)) or ""),
            code="cli.unknown-command",
            where=Span(f"loadrig man {name}"),
        )
    print(command_page(name), end="")
    return Exit.FINE
