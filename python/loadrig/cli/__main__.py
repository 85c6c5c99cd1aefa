"""`loadrig`: finds the command, runs it, and turns errors into what, where, how to mend."""

import errno
import signal
import sys
from types import FrameType

from loadrig import __version__
from loadrig.base import garbage, hangups, known_secrets, members
from loadrig.base.errors import PlanError, Problem, RigError, Span
from loadrig.base.exits import Exit
from loadrig.cli._left_over import change_back
from loadrig.cli._parser import Parser, overview
from loadrig.cli._streams import Streams

ROOM = "loadrig.cli"

LEAVES_ALONE = {"doctor", "explain"}
"""Commands that change nothing: doctor shows what was left, and cleans all of it if asked; explain is asked
for a word, and does not wait."""


def main(argv: list[str] | None = None) -> int:
    """Run one command. argv: without the program's name; by default the shell's. Returns the exit code."""
    if argv is not None:
        return _run(argv)
    # We are the program, and not called by one.
    garbage.look_seldom()
    streams = Streams.take()
    _learn(sys.argv[1:])
    return streams.end(_run(sys.argv[1:]))


def _learn(words: list[str]) -> None:
    """Know the secrets that were typed, so that no message about the command line repeats them."""
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
    except RigError as error:
        print(error.render(), file=sys.stderr)
        return error.exit
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OF_THE_SYSTEM:
            print(_refused(error).render(), file=sys.stderr)
            return Exit.VOID
        import traceback

        traceback.print_exc()
        print(
            "\nThis is a fault of loadrig, not yours. Please send the lines above and, if a run had"
            " begun, its folder.",
            file=sys.stderr,
        )
        return Exit.FAULT


OF_THE_SYSTEM = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM
}  # fmt: skip
"""What the machine has run out of, or cannot do: no fault of ours, wherever it hits us."""


def _refused(error: OSError) -> Problem:
    """What to say where the machine cannot go on, at a place that has nothing better to say."""
    place = f"{error.filename}: " if error.filename else ""
    return Problem(
        what=f"the machine could not go on: {place}{error.strerror}",
        why="what was measured until then is kept in the run's folder",
        mend="see loadrig doctor; free some space (df -h) or raise the limit (ulimit -a), and run it again",
        code="cli.machine",
    )


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
    """SIGTERM and SIGHUP end a command as Ctrl-C does: what was started is stopped on the way out."""
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
