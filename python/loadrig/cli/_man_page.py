"""Manual pages in roff's macros of man(7), made of what `--help` says of a command."""

import argparse
import re
from collections.abc import Iterator

from loadrig import __version__
from loadrig.base import members
from loadrig.cli._commands import command_parser, whole_parser, whole_text
from loadrig.cli._overview import ROOM, first_line
from loadrig.cli._parser import name_of
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliManTexts

TEXTS = texts_of(CliManTexts)

SECTION = "1"
"""Section of the manual for programs that a user starts. Source: man(1)."""


def whole_manual() -> Iterator[tuple[str, str]]:
    """Yield the name of every page, such as `loadrig-attack`, and its text."""
    yield "loadrig", program_page()
    for name in members.names(ROOM):
        yield f"loadrig-{name}", command_page(name)


def program_page() -> str:
    """Return the page of loadrig itself, which names its commands."""
    text = whole_text()
    headline, _, rest = text.partition("\n")
    others = ", ".join(rf"\fBloadrig\-{_escaped(name)}\fR(1)" for name in members.names(ROOM))
    return "\n".join(
        [
            *_head("loadrig", headline.rstrip(".")),
            rf"\fBloadrig\fR \fICOMMAND\fR [\fI{_escaped(TEXTS.options_word)}\fR]",
            *_section(TEXTS.description, _as_typed(rest.strip("\n"))),
            *_section(TEXTS.options, _options(whole_parser())),
            *_section(TEXTS.see_also, [others]),
            "",
        ]
    )


def command_page(name: str) -> str:
    """Return the page of a command."""
    parser = command_parser(name)
    words = [
        rf"[\fI{_escaped(name_of(action))}\fR]"
        if action.nargs in ("?", "*")
        else rf"\fI{_escaped(name_of(action))}\fR"
        for action in parser.shown()
        if not action.option_strings
    ]
    return "\n".join(
        [
            *_head(f"loadrig-{name}", first_line(name)),
            rf"\fBloadrig {_escaped(name)}\fR [\fI{_escaped(TEXTS.options_word)}\fR] " + " ".join(words),
            *_section(TEXTS.description, _as_typed(parser.text)),
            *_section(TEXTS.options, _options(parser)),
            *_section(TEXTS.see_also, [r"\fBloadrig\fR(1)"]),
            "",
        ]
    )


def _head(name: str, headline: str) -> list[str]:
    return [
        f'.TH "{_escaped(name.upper())}" {SECTION} "" "loadrig {_escaped(__version__)}" "loadrig"',
        # Words that are typed may be no line's end with a hyphen of the formatter's.
        ".nh",
        *_section(TEXTS.name, [rf"{_escaped(name)} \- {_escaped(headline)}"]),
        f'.SH "{_escaped(TEXTS.synopsis)}"',
    ]


def _section(heading: str, lines: list[str]) -> list[str]:
    return [f'.SH "{_escaped(heading)}"', *lines]


def _as_typed(text: str) -> list[str]:
    """Return a text that keeps its lines, as its examples stand in columns."""
    return [".nf", *(_line(line) for line in text.splitlines()), ".fi"]


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines: list[str] = []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        value = str(action.metavar or action.dest.upper())
        names = [rf"\fB{_escaped(name)}\fR" for name in action.option_strings]
        shown = ", ".join(names) if names else rf"\fI{_escaped(value)}\fR"
        if names and action.nargs != 0:
            shown += rf" \fI{_escaped(value)}\fR"
        lines += [".TP", shown, _line((action.help or "").replace("%%", "%"))]
    return lines


def _line(text: str) -> str:
    """Return a line of text that roff takes for no request of its own."""
    return re.sub(r"^([.'])", r"\\&\1", _escaped(text))


def _escaped(text: str) -> str:
    """Return a text whose backslashes, hyphens and accents are shown as they are. Source: groff_char(7)."""
    signs = {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}
    return "".join(signs.get(letter, letter) for letter in text)
