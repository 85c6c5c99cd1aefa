"""Commands whose output cannot be written: measuring goes on, and the shell is told."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.exits import Exit
from loadrig.testing.leftovers import nothing_left_behind
from loadrig.trial.document import trial_of
from tests.integration.lost import command, ended, environment, without_reader
from tests.integration.servers import serving
from tests.lengths import length

pytestmark = pytest.mark.integration

AS_AFTER_SIGPIPE = 141
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
def url() -> Iterator[str]:
    """Yield the address of a server that answers well."""
    with serving(lambda connection: connection.sendall(OK), keep_open=True) as port:
        yield f"http://127.0.0.1:{port}/"


def attack(url: str, *more: str) -> list[str]:
    return ["attack", url, "-c", "1", "-z", "300ms", "--out", "out", *more]


def measured_whole(run: Path) -> bool:
    """Return whether a run of one trial has all that it leaves behind, its load run to its end."""
    return (
        (run / "trials" / "0001" / "SEALED").is_file()
        and (run / "report.html").is_file()
        and "for measuring was up" in result_of(run)["measured"]["why"]
    )


def result_of(run: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run / "result.json").read_text(encoding="utf-8"))
    return document


def own_code(run: Path) -> Exit:
    """Return the code of the command by itself: on a noisy machine the load may have fallen short."""
    return Exit.VOID if "load" in trial_of(result_of(run), "result.json").validity.lost else Exit.FINE


NO_READER = "no reader"

LOSSES: Mapping[str, tuple[bool, Mapping[str, str]]] = {
    "the reader of the result has gone": (False, {"stdout": NO_READER}),
    "both readers have gone": (False, {"stdout": NO_READER, "stderr": NO_READER}),
    "the disk of the result is full": (True, {"stdout": "/dev/full"}),
    "the disk of the talk is full": (False, {"stderr": "/dev/full"}),
}
"""By what happens: whether the result is asked for as JSON, and what stands in the place of each stream."""


@pytest.mark.parametrize("loss", list(LOSSES)[-length(2, 4) :])
def test_a_load_is_measured_whole_whoever_reads_of_it(loss: str, tmp_path: Path, url: str) -> None:
    as_json, where = LOSSES[loss]
    lost = {name: without_reader() if how == NO_READER else how for name, how in where.items()}
    with nothing_left_behind():
        code, out, err = ended(attack(url, *(["--json"] if as_json else [])), tmp_path, lost)
    assert measured_whole(tmp_path / "out")
    assert code == Exit.VOID
    assert "Exception ignored" not in err
    assert "Traceback" not in err
    assert ("cli.cannot-print" in err) == ("stderr" not in lost)
    assert ("loadrig report out" in err) == ("stderr" not in lost)
    assert bool(out) == ("stdout" not in lost)
    # What was not printed can be read as it says.
    code, out, _ = ended(["report", "out", "--json"], tmp_path, {})
    assert (code, json.loads(out)) == (Exit.FINE, result_of(tmp_path / "out"))


@pytest.mark.parametrize("words", [["explain", "--list"], ["--help"], ["lab", "list"], ["check", "--schema"]])
def test_what_is_only_printed_ends_as_after_a_sigpipe_when_its_reader_goes(
    words: list[str], tmp_path: Path
) -> None:
    code, _, err = ended(words, tmp_path, {"stdout": without_reader()})
    assert code == AS_AFTER_SIGPIPE
    assert "Exception ignored" not in err
    assert "Traceback" not in err
    assert "cli.cannot-print" not in err


@pytest.mark.parametrize("words", [["explain", "--list"], ["--version"], ["check", "--schema"]])
def test_what_cannot_be_printed_for_another_reason_is_said(words: list[str], tmp_path: Path) -> None:
    code, _, err = ended(words, tmp_path, {"stdout": "/dev/full"})
    assert code == Exit.VOID
    assert os.strerror(errno.ENOSPC) in err
    assert "cli.cannot-print" in err


def test_an_error_keeps_its_code_where_it_cannot_be_told(tmp_path: Path) -> None:
    code, _, _ = ended(["check", "nowhere.yaml"], tmp_path, {"stderr": "/dev/full"})
    assert code == Exit.PLAN_WRONG


def closed(words: list[str], cwd: Path, *numbers: int) -> subprocess.CompletedProcess[bytes]:
    """Run a command with these descriptors closed, as `>&-` does."""
    closing = "".join(f" {number}>&-" for number in numbers)
    line = f'exec "$@"{closing}'
    return subprocess.run(
        ["/bin/sh", "-c", line, "sh", *command(*words)],
        cwd=cwd, env=environment(cwd), capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_closed_output_is_said_and_no_file_of_ours_gets_its_number(tmp_path: Path, url: str) -> None:
    done = closed(attack(url), tmp_path, 1)
    assert done.returncode == Exit.VOID
    assert b"cli.cannot-print" in done.stderr
    assert measured_whole(tmp_path / "out")


def test_who_closes_the_talk_wants_none(tmp_path: Path, url: str) -> None:
    done = closed(attack(url), tmp_path, 2)
    assert measured_whole(tmp_path / "out")
    assert done.returncode == own_code(tmp_path / "out")
    assert done.stdout


def test_a_text_that_the_terminal_has_no_letters_for_is_printed(tmp_path: Path) -> None:
    done = subprocess.run(
        command("explain", "verdicts"),
        cwd=tmp_path, env={**environment(tmp_path), "PYTHONIOENCODING": "ascii"}, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == Exit.FINE
    assert done.stdout


def test_a_pipe_that_takes_nothing_just_now_is_waited_for(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with subprocess.Popen(
        [*command("explain", "--list")], cwd=tmp_path, env=environment(tmp_path), stdout=writing
    ) as process:
        os.close(writing)
        # The pipe is made small, and read only once the program must have met it full.
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read()
        assert process.wait(timeout=60) == Exit.FINE
    listed = subprocess.run(
        [sys.executable, "-m", "loadrig.cli", "explain", "--list"],
        cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert text == listed.stdout
