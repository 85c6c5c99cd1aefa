"""The code with which the program ends when what it printed is lost, by what it came to itself."""

import errno
import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.cli import _streams
from loadrig.cli._streams import Outlet, Streams


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Name no folder, and put Python's streams back."""
    monkeypatch.setattr(_streams, "output_folder", None)
    before = sys.stdout, sys.stderr
    yield
    sys.stdout, sys.stderr = before


def lost(number: int, why: int) -> Outlet:
    """Return an outlet that takes no more, and was written to."""
    outlet = Outlet(number, OSError(why, os.strerror(why)))
    outlet.write(b"something")
    return outlet


CODES = [Exit.FINE, Exit.GOAL_MISSED, Exit.INTERRUPTED, Exit.UNDECIDED, Exit.TARGET_FAILED, Exit.FAULT]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("why", [errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF])
def test_a_result_that_was_not_printed_never_ends_fine_and_every_other_answer_stands(
    code: Exit, why: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _streams.keep(tmp_path)
    assert Streams(lost(1, why), Outlet(2)).end(code) == (code or Exit.VOID)
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize("code", CODES)
def test_who_has_seen_enough_of_what_is_only_printed_is_told_nothing(
    code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Streams(lost(1, errno.EPIPE), Outlet(2)).end(code) == (code or Exit.READER_GONE)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("code", CODES)
def test_notes_that_were_lost_are_no_fine_end_either(code: Exit) -> None:
    assert Streams(Outlet(1), lost(2, errno.EIO)).end(code) == (code or Exit.VOID)


@pytest.mark.parametrize("code", CODES)
def test_what_was_printed_ends_as_it_came_to(code: Exit) -> None:
    never_written = Outlet(1, OSError(errno.EBADF, "closed"))
    assert Streams(never_written, Outlet(2)).end(code) == code


def test_after_the_first_loss_nothing_is_written_any_more() -> None:
    reading, writing = os.pipe()
    outlet = Outlet(1)
    outlet._number = writing  # a descriptor of our own in place of the test's
    os.close(reading)
    assert outlet.write(b"one") == 3
    assert isinstance(outlet.failure, BrokenPipeError)
    os.close(writing)
    # Its number may be somebody else's by now.
    assert outlet.write(b"two") == 3
    assert isinstance(outlet.failure, BrokenPipeError)


def printed(number: int, text: str) -> bytes:
    """Return what reaches a terminal when this is printed to a stream of the program."""
    near, far = pty.openpty()
    try:
        outlet = Outlet(number)
        outlet._number = far  # a terminal of our own in place of the test's
        stream = _streams._text(outlet, None)
        stream.write(text)
        stream.flush()
        return os.read(near, 4096)
    finally:
        os.close(near)
        os.close(far)


@pytest.mark.parametrize(
    "command",
    [
        "\x1b]0;title\x07", "\x1b]52;c;ZWNobyBoaQ==\x07", "\x1bP$q\"p\x1b\\", "\x1bc", "\x1b[6n", "\x1b[21t",
        "\x9b6n", "\x07", "\x08", "\x7f", "\u202e",
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", [1, 2])
def test_a_text_of_somebody_else_gives_a_terminal_no_commands(number: int, command: str) -> None:
    shown = printed(number, f"a{command}b").decode()
    assert not set(shown) & set("\x1b\x9b\x07\x08\x7f\u202e")
    assert shown.startswith("a")
    assert shown.endswith("b")


def test_colours_and_the_live_display_reach_a_terminal() -> None:
    ours = "\x1b[1;32mvalid\x1b[0m\x1b[?25l\x1b[2K\x1b[1A\tp99 é\n"
    assert printed(1, ours).decode() == ours.replace("\n", "\r\n")
    assert printed(2, ours).decode() == ours.replace("\n", "\r\n")


def test_what_goes_to_a_file_stays_as_it_is() -> None:
    reading, writing = os.pipe()
    outlet = Outlet(1)
    outlet._number = writing
    stream = _streams._text(outlet, None)
    stream.write("a\x1b]0;b\x07\n")
    stream.flush()
    assert os.read(reading, 100) == b"a\x1b]0;b\x07\n"
    os.close(reading)
    os.close(writing)
