"""Answer to a shell that completes a command line: commands, options, and words that an argument may be.

The shell sets ASKED and starts the program, by the script that `loadrig completion` prints.
"""

import argparse
import os
from collections.abc import Iterable, Sequence

import argcomplete
from argcomplete.completers import BaseCompleter, ChoicesCompleter, DirectoriesCompleter, FilesCompleter

from loadrig.base import members
from loadrig.cli._commands import whole_parser
from loadrig.cli._overview import ROOM

FILES = {"PLAN", "FILE", "PLACE", "RUN", "A", "B", "PLAN|URL", "URL|PLAN"}
"""Names of arguments, as the help shows them, that stand for a file or a folder of any name."""

FOLDERS = {"FOLDER"}
"""Names of arguments that stand for a folder."""

NOTHING = ChoicesCompleter({})
"""Answer for a value that nobody can list, such as a number or a time."""


def answer() -> None:
    """Write what may stand at the cursor to the shell, and end this process."""
    line = os.environ.get("COMP_LINE", "")
    parser = whole_parser(_named_in(line.split()))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                _hint(name, command)
    argcomplete.autocomplete(parser, always_complete_options="long", default_completer=NOTHING)


def _named_in(words: Sequence[str]) -> str | None:
    """Return the command that a line names already: the others then need not be imported."""
    return next((word for word in words[1:] if word in members.names(ROOM)), None)


def _hint(command: str, parser: argparse.ArgumentParser) -> None:
    """Say of each argument of a command what may stand there, where that can be listed."""
    for action in parser._actions:
        if action.choices is None:
            action.completer = _completer(command, action)  # type: ignore[attr-defined]


def _completer(command: str, action: argparse.Action) -> BaseCompleter:
    if action.metavar in FILES:
        return FilesCompleter()
    if action.metavar in FOLDERS:
        return DirectoriesCompleter()
    match command, action.dest:
        case "explain", "word":
            from loadrig.cli.explain import typed_names

            return _listed(typed_names())
        case "man", "command":
            return _listed(members.names(ROOM))
        case "export", "to":
            return _listed(members.names("loadrig.exporters"))
        case ("publish", "to") | (_, "publish"):
            return _listed([f"{name}=" for name in members.names("loadrig.publishers")])
        case "lab", "name":
            from loadrig.labs.bundled import names

            return _listed(names())
        case _:
            return NOTHING


def _listed(names: Iterable[str]) -> ChoicesCompleter:
    """Return the answer for a value that is one of these names."""
    return ChoicesCompleter(dict.fromkeys(names, ""))
