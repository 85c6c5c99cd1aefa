"""The code with which the program ends when what it printed is lost, by what it came to itself."""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.cli import _streams
from loadrig.cli._streams import AFTER_SIGPIPE, Outlet, Streams


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No folder is named, and Python's streams are put back."""
    monkeypatch.setattr(_streams, "kept", None)
    before = sys.stdout, sys.stderr
    yield
    sys.stdout, sys.stderr = before


def lost(number: int, why: int) -> Outlet:
    """An outlet that takes no more, and was written to."""
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
    assert Streams(lost(1, errno.EPIPE), Outlet(2)).end(code) == (code or AFTER_SIGPIPE)
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
