"""Standard output and standard error, the only way to them: a failed write stops nothing.

A reader goes away (`| head`), a terminal is closed, a disk is full. A measurement is worth more than its
reader, so a write never fails here: the failure is noted, what follows on that stream is thrown away, and at
the end the exit code and, where it still can, standard error say so. Python's own streams would raise in the
middle of a trial, and once more when the interpreter ends.
"""

import errno
import io
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from loadrig.base import known_secrets
from loadrig.base.exits import Exit

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {1: "standard output", 2: "standard error"}


class Outlet(io.RawIOBase):
    """Descriptor to which every write succeeds. failure: why it takes no more; None as long as it does."""

    def __init__(self, number: int, failure: OSError | None = None) -> None:
        super().__init__()
        self.name = NAMES[number]
        self.mode = "wb"
        self.failure = failure
        self.has_lost = False
        self._number = number

    def write(self, data: Any) -> int:
        """Write as much as the descriptor takes at once, as any raw stream.

        All of it where it takes no more.
        """
        size = memoryview(data).nbytes
        while self.failure is None:
            try:
                return os.write(self._number, data)
            except BlockingIOError:  # somebody who shares it has made it so
                self._wait()
            except OSError as error:
                self.failure = error
        self.has_lost = self.has_lost or size > 0
        return size

    def _wait(self) -> None:
        import select

        ready = select.poll()
        ready.register(self._number, select.POLLOUT)
        ready.poll()

    def writable(self) -> bool:
        """Return True: the stream is there to be written to."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._number

    def isatty(self) -> bool:
        """Return whether the descriptor is an open terminal."""
        return self.failure is None and os.isatty(self._number)


class _Veiled(io.TextIOWrapper):
    """Standard output or error without the secrets that are known."""

    def write(self, text: str, /) -> int:
        """Write a text, its secrets hidden."""
        super().write(known_secrets.hidden(text))
        return len(text)


_COMMANDS = re.compile(
    # What colours of ours and the live display send: colours, moves of the cursor, parts cleared.
    r"\x1b\[[0-9;?]*[A-HJKfhlmsu]"
    # All else that a terminal obeys: escapes, controls of 7 and 8 bits, and marks that turn text around.
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


class _ToTerminal(_Veiled):
    """Text for a terminal, without what would make it do more than show colours and move its cursor.

    What is printed holds names and last words of servers, of other hosts and of other people's files. A
    terminal takes commands from such text: to set its title, to fill the clipboard, to answer as if somebody
    had typed. Source: CWE-150; xterm's ctlseqs on OSC and DCS; CVE-2021-42574 on marks of direction.
    """

    def write(self, text: str, /) -> int:
        """Write a text, its secrets hidden and its commands made harmless."""
        # Secrets first: one may hold a letter that is a command.
        super().write(_COMMANDS.sub(_harmless, known_secrets.hidden(text)))
        return len(text)


def _harmless(command: re.Match[str]) -> str:
    return command[0] if len(command[0]) > 1 else "\ufffd"


class Streams:
    """Both streams of the program, put in place of Python's. Made by `take`."""

    def __init__(self, out: Outlet, talk: Outlet) -> None:
        self._out, self._talk = out, talk

    @classmethod
    def take(cls) -> "Streams":
        """Put both streams in place of sys.stdout and sys.stderr, for as long as the program runs.

        Descriptors that the shell has closed lead nowhere from here on, so that no file of ours gets their
        numbers: what is printed to such a standard output is lost, and without standard error nothing is.
        """
        closed = [number for number in (0, 1, 2) if _is_closed(number)]
        for _ in closed:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number; not inherited, as by default
        out = Outlet(1, OSError(errno.EBADF, os.strerror(errno.EBADF)) if 1 in closed else None)
        talk = Outlet(2)
        sys.stdout, sys.stderr = _text(out, sys.stdout), _text(talk, sys.stderr, always_by_line=True)
        return cls(out, talk)

    def end(self, code: int) -> int:
        """Return the exit code with which the program ends, after all that was printed is written or lost.

        code: exit code of the command itself; it stands where it is not 0, as it is the answer. What is lost
        is reported on standard error, but for the reader of a command that only prints, who has seen enough.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        lost = self._out.failure if self._out.has_lost else None
        if lost is None:
            return code if code or not self._talk.has_lost else Exit.VOID
        if output_folder is None and lost.errno == errno.EPIPE:
            return code or Exit.READER_GONE
        self._tell(lost)
        return code or Exit.VOID

    def _tell(self, lost: OSError) -> None:
        from loadrig.base.errors import Problem
        from loadrig.cli._rendered import rendered
        from loadrig.language.choice import texts_of
        from loadrig.language.en.errors.cli_main import CliStreamsErrors

        errors, reason = texts_of(CliStreamsErrors), lost.strerror or str(lost)
        if output_folder is None:
            wording = errors.not_printed(reason)
        else:
            import shlex

            folder = str(output_folder)
            wording = errors.not_printed_but_in(folder, reason, shlex.quote(folder))
        problem = Problem.of(wording, code="cli.cannot-print")
        sys.stderr.write(f"{rendered(problem)}\n")
        sys.stderr.flush()


output_folder: "Path | None" = None
"""Folder that holds what the command prints, where it measures something. There is one standard output, so
there is one such folder: the last that was named."""


def keep(folder: "Path | None") -> None:
    """Note that what is printed from now on is in this folder too; None: in none any more."""
    global output_folder
    output_folder = folder


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _text(outlet: Outlet, before: Any, *, always_by_line: bool = False) -> io.TextIOWrapper:
    """Return a text stream as Python had it.

    before: Python's stream; None where its descriptor was closed.
    """
    kind = _ToTerminal if outlet.isatty() else _Veiled
    return kind(
        io.BufferedWriter(outlet),
        encoding=before.encoding if before is not None else "utf-8",
        # A name with letters that the terminal cannot show is no reason to lose a result.
        errors="backslashreplace",
        line_buffering=always_by_line or outlet.isatty(),
        write_through=bool(getattr(before, "write_through", False)),
    )
