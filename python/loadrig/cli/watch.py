"""`loadrig watch`: a run that goes on, as a screen of the terminal."""

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loadrig.base.exits import Exit
from loadrig.cli._followed import add_run, followed, news_of
from loadrig.recording.layout import RunFolder

if TYPE_CHECKING:
    from loadrig.following.course import RunCourse

HELP = """
Watch a run that goes on: rate and response times as lines, tiers, where a request's time goes, events.

  loadrig watch                       the newest run under runs/ that goes on
  loadrig watch runs/shop             another run
  loadrig attack URL --live           any command that makes a run, on such a screen
  loadrig watch | tee course.txt      where there is no terminal: a line a second

It works over ssh, from 80 columns and 24 lines on, and without colours (NO_COLOR=1). It reads the run's
folder at the lowest priority, and ends with the run; Ctrl-C ends the watching and not the run.

Exit codes: 0 the run is over, or Ctrl-C, 104 nothing runs there.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run."""
    add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the run until it is over."""
    folder = followed(arguments)
    beside = bool(arguments.beside)
    stream = sys.stderr if beside else sys.stdout
    with contextlib.suppress(KeyboardInterrupt):
        if stream.isatty():
            _show(folder, beside=beside)
        else:
            _print(folder)
    return Exit.FINE


def _show(folder: RunFolder, *, beside: bool) -> None:
    from rich.console import Console
    from rich.live import Live

    from loadrig.cli._watch_view import draw
    from loadrig.following.course import RunCourse

    console, course = Console(stderr=beside, highlight=False), RunCourse()
    with Live(console=console, screen=True, auto_refresh=False) as live:
        for _ in _looks(folder, course):
            live.update(draw(course, console.width, console.height), refresh=True)


def _print(folder: RunFolder) -> None:
    """Print a line for each second of the load."""
    from loadrig.cli._watch_view import line_of
    from loadrig.following.course import RunCourse

    course = RunCourse()
    for seconds in _looks(folder, course):
        for second in list(course.seconds)[-seconds:] if seconds else ():
            print(line_of(second), flush=True)


def _looks(folder: RunFolder, course: "RunCourse") -> Iterator[int]:
    """Look once a second until the run is over; yield the number of seconds that were new."""
    from loadrig.following.run import RunFollower

    for news in news_of(RunFollower(folder)):
        course.take(news)
        yield len(news.trial.seconds) if news.trial is not None else 0
