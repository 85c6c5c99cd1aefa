"""`loadrig publish RUN --to FORMAT=PLACE`: a run told to monitoring while it goes on."""

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loadrig.base import members
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import in_one_line
from loadrig.cli._followed import add_run, followed, news_of
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
  loadrig attack URL --out openmetrics=9464             begun and ended with the run

It reads the run's folder from a process of its own, at the lowest priority, and ends with the run: no
receiver can slow the load down. One that is gone is named once, and tried again each second.
Nothing is listened on beyond this machine, or sent from it, unless its address is given.
What each format tells: docs/reference/publishers.md.

Exit codes: 0 the run is over, or Ctrl-C, 104 nothing runs there, or a place is none.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run, and to whom."""
    add_run(parser)
    parser.add_argument(
        "--to",
        action="append",
        required=True,
        metavar="FORMAT=PLACE",
        help="to whom, see above; may be given again (no default)",
    )


def checked(texts: Sequence[str], option: str = "--out") -> list[tuple[str, str]]:
    """Return the formats and places of "FORMAT=PLACE". Raises PlanError where one is none."""
    formats = members.names(ROOM)
    asked = []
    for text in texts:
        name, _, place = text.partition("=")
        if name not in formats or not place:
            raise _wrong(ERRORS.no_receiver(text, ", ".join(formats)), option)
        try:
            members.load(ROOM, name).check(place)
        except ValueError as error:
            raise _wrong(ERRORS.not_begun(text, str(error)), option) from error
        asked.append((name, place))
    return asked


def run(arguments: argparse.Namespace) -> int:
    """Follow the run until it is over."""
    # Beside a run it is `--out` that a person typed.
    option = "--out" if arguments.beside else "--to"
    asked = checked(arguments.to, option)
    from loadrig.following.run import RunFollower
    from loadrig.publishers import LiveNews

    follower = RunFollower(followed(arguments), is_by_route=True)
    with contextlib.ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        receivers: list[WatchedReceiver] = []
        for news in news_of(follower):
            if not receivers and news.is_running:
                receivers += _begun(stack, asked, news.title, option)
            if news.trial is not None:
                for receiver in receivers:
                    receiver.take(LiveNews(news.trial, follower.times))
        for receiver in receivers:
            receiver.end()
    return Exit.FINE


def _begun(
    stack: contextlib.ExitStack, asked: Sequence[tuple[str, str]], title: str, option: str
) -> "Iterator[WatchedReceiver]":
    for name, place in asked:
        try:
            begun = stack.enter_context(members.load(ROOM, name).begin(place, title))
        except (ValueError, OSError) as error:
            raise _wrong(ERRORS.not_begun(f"{name}={place}", str(error)), option) from error
        yield WatchedReceiver(f"{name}={place}", begun)


LAST_TRIES = 3
"""Number of times that the last news are told again to a receiver that did not take them: no news follow that
would hold their sums, and a receiver may be late where a run has just ended."""


class WatchedReceiver:
    """Receiver that may go away: the first failure is said, and the next second is tried again."""

    def __init__(self, name: str, receiver: "NewsReceiver") -> None:
        self._name, self._receiver = name, receiver
        self._was_gone = False
        self._missed: LiveNews | None = None

    def end(self) -> None:
        """Tell the last news again where the receiver did not take them."""
        for _ in range(LAST_TRIES):
            if self._missed is not None:
                self.take(self._missed)

    def take(self, news: "LiveNews") -> None:
        """Tell the news to the receiver."""
        self._missed = news
        try:
            self._receiver.take(news)
            self._missed = None
        except OSError as error:
            if not self._was_gone:
                from loadrig.language.en.publishers import PublishersTexts

                text = texts_of(PublishersTexts).is_gone(self._name, error.strerror or str(error))
                print(in_one_line(text), file=sys.stderr, flush=True)
            self._was_gone = True


def _wrong(wording: "ErrorWords", option: str) -> PlanError:
    return PlanError.of(wording, code="cli.wrong-argument", where=Span(option))
