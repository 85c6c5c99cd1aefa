"""The command line as a whole, one parser with a parser for each command: for what describes all of them.

A run of one command goes by `cli.__main__`, which imports that one alone.
"""

import argparse
from typing import cast

from loadrig.base import members
from loadrig.cli._overview import ROOM, first_line, overview
from loadrig.cli._parser import WIDTH, Parser, name_of
from loadrig.language.choice import LANGUAGES, texts_of
from loadrig.language.en.overview import OverviewTexts
from loadrig.language.help_pages import option_help, page


def command_parser(name: str) -> Parser:
    """Return the parser of one command, as `loadrig NAME` makes it, its options' help translated."""
    module = members.load(ROOM, name)
    parser = Parser(name, page(name, module.HELP))
    module.configure(parser)
    for action in parser.shown():
        action.help = option_help(name, name_of(action), action.help or "")
    return parser


def whole_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of `loadrig` itself: what stands before a command, and the commands.

    only: the command that is made with its options; the others bear their names alone. None: all of them.
    """
    texts = texts_of(OverviewTexts)
    root = argparse.ArgumentParser(
        prog="loadrig",
        add_help=False,
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=WIDTH),
    )
    root.add_argument("-h", "--help", action="store_true", help=texts.help_option)
    root.add_argument("-V", "--version", action="store_true", help=texts.version_option)
    root.add_argument("--lang", choices=list(LANGUAGES), metavar="CODE", help=texts.lang_option)
    # argparse makes the parser of each command by a call of a class, as its types say; ours are made already.
    ready = {
        name: command_parser(name) if only in (None, name) else Parser(name, first_line(name))
        for name in members.names(ROOM)
    }
    ours = cast("type[argparse.ArgumentParser]", lambda *, prog, **_: ready[prog.rpartition(" ")[2]])
    commands = root.add_subparsers(dest="command", metavar="COMMAND", parser_class=ours)
    for name in ready:
        commands.add_parser(name, help=first_line(name).replace("%", "%%"))
    return root


def whole_text() -> str:
    """Return the page of `loadrig --help`."""
    return overview()
