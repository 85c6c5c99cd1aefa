"""`loadrig`: finds the command, runs it, and turns errors into what, where, how to fix it.

Modules that only a command needs, or only an error, are imported where they are used: `loadrig --help` waits
for neither.
"""

import errno
import os
import signal
import sys
from typing import TYPE_CHECKING

from loadrig import __version__
from loadrig.base import garbage, hangups, known_secrets, members
from loadrig.base.exits import Exit
from loadrig.cli._streams import Streams

if TYPE_CHECKING:
    from types import FrameType

    from loadrig.base.errors import Problem
    from loadrig.language.en.errors.cli_main import CliMainErrors

ROOM = "loadrig.cli"

ASKED = "_ARGCOMPLETE"
"""Variable by which a shell asks what may stand at the cursor. Source: argcomplete's protocol."""

LEAVES_ALONE = {"completion", "doctor", "explain", "man"}
"""Commands before which no change of a killed rig is undone: doctor shows what was left, and cleans all of it
if asked; the others are asked for a text, and do not wait."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code. argv: without the program's name; by default the shell's."""
    if argv is not None:
        return _run(argv)
    # This process is the program itself: no other program has imported loadrig.
    garbage.look_seldom()
    if ASKED in os.environ:
        from loadrig.cli._complete import answer

        answer()
    streams = Streams.take()
    _learn(sys.argv[1:])
    return streams.end(_run(sys.argv[1:]))


def _learn(words: list[str]) -> None:
    """Learn the secrets that were typed, so that no message about the command line repeats them."""
    if not any(set(word) & set("@=:") for word in words):
        return
    from loadrig.base import masks

    def cover(name: str, value: str) -> str:
        del name
        known_secrets.learn(value)
        return masks.MASK

    for word in words:
        masks.masked_text(word, cover)
        masks.masked_query(word, masks.is_secret_name, cover)


def _run(words: list[str]) -> int:
    signal.signal(signal.SIGTERM, _as_interrupt)
    hangups.listen(_as_interrupt)
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        print(_errors().interrupted, file=sys.stderr)
        return Exit.INTERRUPTED
    except Exception as error:
        return _report(error)


def _report(error: Exception) -> int:
    """Print an error and return its exit code."""
    from loadrig.base.errors import RigError
    from loadrig.cli._rendered import rendered

    if isinstance(error, RigError):
        print(rendered(error), file=sys.stderr)
        return error.exit
    if isinstance(error, OSError) and error.errno in OF_THE_SYSTEM:
        print(rendered(_refused(error)), file=sys.stderr)
        return Exit.VOID
    from loadrig.cli import _seals

    if (damage := _seals.damage(error)) is not None:
        print(rendered(damage), file=sys.stderr)
        return Exit.PLAN_WRONG
    import traceback

    traceback.print_exception(error)
    print(_errors().fault, file=sys.stderr)
    return Exit.FAULT


OF_THE_SYSTEM = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM
}  # fmt: skip
"""Errors of a machine that has run out of something, or cannot do something: no fault of loadrig, wherever
they occur."""


def _refused(error: OSError) -> "Problem":
    """Return the error for a machine that cannot go on, at a place that has nothing better to say."""
    from loadrig.base.errors import Problem

    place = f"{error.filename}: " if error.filename else ""
    return Problem.of(_errors().machine_refused(place, str(error.strerror)), code="cli.machine")


def _errors() -> "CliMainErrors":
    """Return what is said of errors; only then it is imported, and the language is chosen by then."""
    from loadrig.language.choice import texts_of
    from loadrig.language.en.errors.cli_main import CliMainErrors

    return texts_of(CliMainErrors)


def _dispatch(words: list[str]) -> int:
    if any(word.startswith("--lang") for word in words):
        from loadrig.cli._language import without_flag

        words = without_flag(words)
    if not words or words[0] in ("-h", "--help", "help"):
        from loadrig.cli._overview import overview

        print(overview(), end="")
        return Exit.FINE
    if words[0] in ("-V", "--version", "version"):
        print(f"loadrig {__version__}")
        return Exit.FINE
    from loadrig.base.errors import PlanError, Span
    from loadrig.cli._left_over import change_back
    from loadrig.cli._parser import Parser
    from loadrig.language.help_pages import page

    name = words[0]
    if name not in members.names(ROOM):
        close = members.nearest(name, members.names(ROOM)) or ""
        raise PlanError.of(
            _errors().unknown_command(repr(name), close),
            code="cli.unknown-command",
            where=Span(f"loadrig {name}"),
        )
    module = members.load(ROOM, name)
    parser = Parser(name, page(name, module.HELP))
    module.configure(parser)
    arguments = parser.parse_args(words[1:])
    if name not in LEAVES_ALONE:
        change_back()
    return int(module.run(arguments))


def _as_interrupt(number: int, frame: "FrameType | None") -> None:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: what was started is stopped on the way out."""
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
