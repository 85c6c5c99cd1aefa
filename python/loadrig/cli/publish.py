"""`loadrig publish RUN --to FORMAT=PLACE`: a run told to monitoring while it goes on."""

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base import members
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import in_one_line
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliPublishErrors

if TYPE_CHECKING:
    from loadrig.base.error_words import ErrorWords
    from loadrig.publishers import LiveNews, NewsReceiver

ERRORS = texts_of(CliPublishErrors)

ROOM = "loadrig.publishers"

HELP = """
Tell a run that goes on to monitoring, second by second.

  loadrig publish --to openmetrics=9464                 the newest run; scrape http://127.0.0.1:9464/metrics
  loadrig publish runs/shop --to statsd=127.0.0.1:8125
  loadrig publish --to openmetrics=9464 --to statsd=127.0.0.1:8125    both

It reads the run's folder from a process of its own, at the lowest priority, and ends with the run: no
receiver can slow the load down. One that is gone is named once, and tried again each second.
Nothing is listened on beyond this machine, or sent from it, unless its address is given.
What each format tells: docs/reference/publishers.md.

Exit codes: 0 the run is over, or Ctrl-C, 104 nothing runs there, or a place is none.
"""

EVERY_S = 1.0
"""Time between two looks, in seconds: the generator tells something once a second."""

LOWEST_NICE = 19
"""Niceness of the process: what is loaded and measured on the same machine comes first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run, and to whom."""
    add = parser.add_argument
    add(
        "run",
        nargs="?",
        default=None,
        metavar="RUN",
        help="folder of the run (default: the newest that runs)",
    )
    add(
        "--to",
        action="append",
        required=True,
        metavar="FORMAT=PLACE",
        help="to whom, see above; may be given again (no default)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Follow the run until it is over."""
    formats = members.names(ROOM)
    asked = [text.partition("=") for text in arguments.to]
    for name, _, place in asked:
        if name not in formats or not place:
            raise _wrong(ERRORS.no_receiver(f"{name}={place}", ", ".join(formats)))
    from loadrig.cli._running import running
    from loadrig.following.run import RunFollower
    from loadrig.publishers import LiveNews

    folder = running(Path(arguments.run) if arguments.run else None)
    os.nice(LOWEST_NICE)
    with contextlib.ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        follower = RunFollower(folder)
        stack.callback(follower.close)
        news = follower.look()
        receivers = []
        for name, _, place in asked:
            try:
                begun = stack.enter_context(members.load(ROOM, name).begin(place, news.title))
            except (ValueError, OSError) as error:
                raise _wrong(ERRORS.not_begun(f"{name}={place}", str(error))) from error
            receivers.append(WatchedReceiver(f"{name}={place}", begun))
        while news.is_running and not news.is_gone:
            if news.trial is not None:
                for receiver in receivers:
                    receiver.take(LiveNews(news.trial))
            time.sleep(EVERY_S)
            news = follower.look()
    return Exit.FINE


class WatchedReceiver:
    """Receiver that may go away: the first failure is said, and the next second is tried again."""

    def __init__(self, name: str, receiver: "NewsReceiver") -> None:
        self._name, self._receiver = name, receiver
        self._was_gone = False

    def take(self, news: "LiveNews") -> None:
        """Tell the news to the receiver."""
        try:
            self._receiver.take(news)
        except OSError as error:
            if not self._was_gone:
                from loadrig.language.en.publishers import PublishersTexts

                text = texts_of(PublishersTexts).is_gone(self._name, error.strerror or str(error))
                print(in_one_line(text), file=sys.stderr, flush=True)
            self._was_gone = True


def _wrong(wording: "ErrorWords") -> PlanError:
    return PlanError.of(wording, code="cli.wrong-argument", where=Span("--to"))
