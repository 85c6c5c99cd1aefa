"""Watchers beside a run: the page's server, which ends by itself, and the screen of the terminal."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from loadrig.base.safe_python import safe_python
from loadrig.language.choice import texts_of
from loadrig.language.en.terminal import TerminalTexts


def begin(run: Path) -> None:
    """Begin a server that shows a run; its address is printed once it is known.

    The run waits for nothing of it, and goes on where it cannot be begun. The server ends by itself when the
    run is over and no page watches it, see ui.serve.
    """
    words = safe_python("-m", "loadrig.cli", "ui", str(run), "--beside", "--no-browser")
    with contextlib.suppress(OSError):
        # A session of its own: Ctrl-C ends the run, and whoever watches still sees how it ended.
        server = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=_tell, args=(server,), name="loadrig-ui", daemon=True).start()


def _tell(server: "subprocess.Popen[bytes]") -> None:
    assert server.stdout is not None
    with server.stdout as output:
        address = output.readline().decode(errors="replace").strip()
    if address.startswith("http"):
        print(texts_of(TerminalTexts).watch_it(address), file=sys.stderr, flush=True)
        _open(address)


def _open(address: str) -> None:
    if sys.stderr.isatty():
        import webbrowser

        webbrowser.open(address)


SCREEN_ENDS_WITHIN_S = 5.0
"""Time in which the screen is given back once the run is over, in seconds: it looks once a second."""


@contextlib.contextmanager
def screen(run: Path) -> Iterator[None]:
    """Show a run on the whole terminal meanwhile."""
    words = safe_python("-m", "loadrig.cli", "watch", str(run), "--beside")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as watcher:
        try:
            yield
            with contextlib.suppress(subprocess.TimeoutExpired):
                watcher.wait(SCREEN_ENDS_WITHIN_S)
        finally:
            watcher.terminate()


PUBLISHER_ENDS_WITHIN_S = 30.0
"""Time in which the rest is told once the run is over, in seconds. There is a look once a second, but on a
full machine a process that gives way to all others gets a hundredth of a core."""


@contextlib.contextmanager
def publisher(run: Path, receivers: Sequence[str]) -> Iterator[None]:
    """Tell a run to receivers (FORMAT=PLACE) meanwhile; the run goes on where that cannot be begun."""
    words = [word for receiver in receivers for word in ("--to", receiver)]
    try:
        process = subprocess.Popen(
            safe_python("-m", "loadrig.cli", "publish", str(run), "--beside", *words),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        print(f"--out: {error}", file=sys.stderr, flush=True)
        yield
        return
    with process:
        try:
            yield
            _stop_giving_way(process)
            try:
                process.wait(PUBLISHER_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                text = texts_of(TerminalTexts).not_told_in_time(f"{PUBLISHER_ENDS_WITHIN_S:g}", str(run))
                print(text, file=sys.stderr, flush=True)
        finally:
            process.terminate()


def _stop_giving_way(process: "subprocess.Popen[bytes]") -> None:
    """Give a process this one's priority, where the right to do so is had: nothing is measured any more."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0))
