"""`loadrig`: finds the command, runs it, and turns errors into what, where, how to mend."""

import os
import signal
import sys
from types import FrameType

from loadrig import __version__
from loadrig.base import garbage, members
from loadrig.base.errors import PlanError, Problem, RigError, Span
from loadrig.base.exits import Exit
from loadrig.cli._left_over import change_back
from loadrig.cli._parser import Parser, overview

ROOM = "loadrig.cli"

LEAVES_ALONE = {"doctor", "explain"}
"""Commands that change nothing: doctor shows what was left, and cleans all of it if asked; explain is asked
for a word, and does not wait."""


def main(argv: list[str] | None = None) -> int:
    """Run one command. argv: without the program's name; by default the shell's. Returns the exit code."""
    words = argv
    if words is None:  # we are the program, and not called by one
        words = sys.argv[1:]
        garbage.look_seldom()
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        return _dispatch(words)
    except RigError as error:
        print(error.render(), file=sys.stderr)
        return error.exit
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FINE
    except Exception:
        import traceback

        traceback.print_exc()
        print(
            "\nThis is a fault of loadrig, not yours. Please send the lines above and, if a run had"
            " begun, its folder.",
            file=sys.stderr,
        )
        return Exit.FAULT


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview((name, _first_line(name)) for name in members.names(ROOM)), end="")
        return Exit.FINE
    if words[0] in ("-V", "--version", "version"):
        print(f"loadrig {__version__}")
        return Exit.FINE
    name = words[0]
    if name not in members.names(ROOM):
        close = members.nearest(name, members.names(ROOM))
        raise PlanError(
            Problem(
                what=f"there is no command {name!r}",
                where=Span(f"loadrig {name}"),
                mend=f"did you mean `loadrig {close}`?" if close else "see loadrig --help",
                code="cli.unknown-command",
            )
        )
    module = members.load(ROOM, name)
    parser = Parser(name, module.HELP)
    module.configure(parser)
    arguments = parser.parse_args(words[1:])
    if name not in LEAVES_ALONE:
        change_back()
    return int(module.run(arguments))


def _first_line(name: str) -> str:
    text: str = members.load(ROOM, name).HELP
    return text.strip().splitlines()[0].rstrip(".")


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends a command as Ctrl-C does: what was started is stopped on the way out."""
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
