"""Run that a command follows from a process of its own: which it is, and its news until it is over."""

import argparse
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.cli._running import running
from loadrig.recording.layout import RunFolder

if TYPE_CHECKING:
    from loadrig.following.document import RunNewsDocument
    from loadrig.following.run import RunFollower

EVERY_S = 1.0
"""Time between two looks, in seconds: the generator and the probes tell something once a second."""

LOWEST_NICE = 19
"""Niceness of the follower: what is loaded and measured on the same machine comes first."""

BEGUN_WITHIN_S = 5.0
"""Time until a run beside which the follower was begun must tell that it runs, in seconds."""


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which run is followed."""
    parser.add_argument(
        "run",
        nargs="?",
        default=None,
        metavar="RUN",
        help="folder of the run (default: the newest that runs)",
    )
    parser.add_argument("--beside", action="store_true", help=argparse.SUPPRESS)


def followed(arguments: argparse.Namespace) -> RunFolder:
    """Return the run that is asked for, and give up the process's priority.

    Beside a run Ctrl-C is for the run, and the follower ends with it.
    """
    named = Path(arguments.run) if arguments.run else None
    folder = RunFolder(named) if arguments.beside and named is not None else running(named)
    os.nice(LOWEST_NICE)
    if arguments.beside:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return folder


def news_of(follower: "RunFollower") -> "Iterator[RunNewsDocument]":
    """Look once a second until the run is over, and once more then; the follower is closed."""
    begun_s, has_run = time.monotonic(), False
    try:
        while True:
            news = follower.look()
            yield news
            has_run |= news.is_running
            is_over = not news.is_running and (has_run or time.monotonic() - begun_s > BEGUN_WITHIN_S)
            if is_over or news.is_gone:
                return
            time.sleep(EVERY_S)
    finally:
        follower.close()
