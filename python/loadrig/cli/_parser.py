"""Argument parsing that answers a mistake with what, where and how to fix it."""

import argparse
from functools import partial
from typing import NoReturn

from loadrig.base.errors import PlanError, Span
from loadrig.base.members import nearest
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_main import CliParserErrors
from loadrig.language.help_pages import option_help

WIDTH = 96


class Parser(argparse.ArgumentParser):
    """Argument parser of one command, whose help is the command's own text and its options."""

    def __init__(self, command: str, text: str) -> None:
        super().__init__(
            prog=f"loadrig {command}".strip(),
            add_help=False,
            allow_abbrev=False,
            # Without a width argparse asks shutil for the terminal's width, which takes 4 ms to import.
            formatter_class=partial(argparse.HelpFormatter, width=WIDTH),
        )
        self._command, self._text = command, text.strip("\n")
        self.add_argument("-h", "--help", action="help", help="show this page and exit")

    @property
    def text(self) -> str:
        """Help of the command itself, without its options."""
        return self._text

    def shown(self) -> list[argparse.Action]:
        """Return the options and arguments that the help shows."""
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def format_help(self) -> str:
        """Return the help: first what the command does, then examples, then every option with its default."""
        from loadrig.base.columns import wrapped

        lines = [self._text, ""]
        rows = [
            # argparse wants a per cent sign to be written twice.
            (
                _option_text(action),
                option_help(self._command, name_of(action), action.help or "").replace("%%", "%"),
            )
            for action in self.shown()
        ]
        column = min(30, max(len(heading) for heading, _ in rows) + 4)
        for heading, text in rows:
            parts = wrapped(text, WIDTH - column) or [""]
            if len(heading) + 2 >= column:
                lines.append(f"  {heading}")
                lines += [" " * column + part for part in parts]
            else:
                lines.append(f"  {heading:<{column - 2}}{parts[0]}")
                lines += [" " * column + part for part in parts[1:]]
        return "\n".join(lines) + "\n"

    def error(self, message: str) -> NoReturn:
        """Raise a PlanError instead of printing usage and exiting."""
        errors = texts_of(CliParserErrors)
        before, separator, words = message.partition("unrecognized arguments: ")
        # Compare without the dashes, which make all options alike.
        actions = {name.lstrip("-"): name for action in self._actions for name in action.option_strings}
        if separator and not before:
            word = words.split()[0]
            close = actions.get(nearest(word.split("=")[0].lstrip("-"), list(actions)) or "", "")
            raise PlanError.of(
                errors.unknown_argument(self.prog, repr(word), close),
                code="cli.unknown-argument",
                where=Span(f"{self.prog} {word}"),
            )
        raise PlanError.of(
            errors.wrong_argument(self.prog, message), code="cli.wrong-argument", where=Span(self.prog)
        )


def name_of(action: argparse.Action) -> str:
    """Return the longest name of an option, or what the help calls an argument."""
    return action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)


def _option_text(action: argparse.Action) -> str:
    if not action.option_strings:
        return name_of(action)
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    return f"{names} {action.metavar or action.dest.upper()}"
