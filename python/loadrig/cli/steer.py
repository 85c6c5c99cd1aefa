"""`loadrig steer`: orders to a run that goes on in another terminal."""

import argparse
import time
from pathlib import Path

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import printable
from loadrig.cli._running import running
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliSteerErrors
from loadrig.language.en.terminal import TerminalTexts
from loadrig.recording import steering
from loadrig.recording.layout import RunFolder
from loadrig.recording.steering import End, HandMark, Order, OrderAnswer, Pause, Resume, SetLevel

ERRORS = texts_of(CliSteerErrors)

HELP = """
Steer a run while it goes on in another terminal: pause it, change its load, end it early, mark an event.

  loadrig steer level 200                     the newest run under runs/: 200 requests a second, or users
  loadrig steer pause                         send nothing; loadrig steer resume goes on
  loadrig steer end                           end the load now, and keep what was measured
  loadrig steer mark "deployed version 2.1"   note an event beside the figures
  loadrig steer end --run runs/shop           another run

After each change the warm-up begins anew: the figures are those of the last load, and the result says so.
Only a single trial at one level can be changed or paused; every run can be ended early or marked.

Exit codes: 0 done, 112 refused or not answered, 104 nothing runs there.
"""

ANSWERED_WITHIN_S = 5.0
"""Seconds until an order counts as not answered: a rig looks once a frame, at most a second long."""

LOOK_EVERY_S = 0.05

MOST_LEVEL = 1e9


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: what to do, and to which run."""
    add = parser.add_argument
    add("order", choices=["pause", "resume", "end", "level", "mark"], metavar="ORDER",
        help="pause, resume, end, level or mark")  # fmt: skip
    add("value", nargs="?", default=None, metavar="VALUE", help="the level, or the text of the mark")
    add("--run", default=None, metavar="RUN", help="folder of the run (default: the newest that runs)")


def run(arguments: argparse.Namespace) -> int:
    """Give the order, wait for its answer and print it."""
    order = order_of(arguments.order, arguments.value)
    folder = running(Path(arguments.run) if arguments.run else None)
    try:
        order_id = steering.ask(folder, order)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlanError.of(
            ERRORS.order_not_written(str(folder.orders), reason), code="steer.cannot-ask"
        ) from error
    texts, answer = texts_of(TerminalTexts), awaited(folder, order_id)
    if answer is None:
        print(texts.not_answered(f"{ANSWERED_WITHIN_S:g}"))
        return Exit.UNDECIDED
    print(printable(answer.text if answer.outcome == "done" else texts.refused(answer.text)))
    return Exit.FINE if answer.outcome == "done" else Exit.UNDECIDED


def order_of(word: str, value: str | None) -> Order:
    """Return the order that was typed. Raises PlanError."""
    if word in ("pause", "resume", "end"):
        if value is not None:
            raise _wrong(ERRORS.needless_value(word, repr(value)))
        orders: dict[str, Order] = {"pause": Pause(), "resume": Resume(), "end": End()}
        return orders[word]
    if word == "mark":
        text = (value or "").strip()
        if not 1 <= len(text) <= steering.MOST_TEXT:
            raise _wrong(ERRORS.no_text(str(steering.MOST_TEXT)))
        return HandMark(text=text)
    try:
        level = float(value or "")
    except ValueError:
        level = -1.0
    if not 0 <= level <= MOST_LEVEL:
        raise _wrong(ERRORS.no_number(repr(value)))
    return SetLevel(to=level)


def awaited(run: RunFolder, order_id: str) -> OrderAnswer | None:
    """Wait for the answer to an order; None where none comes in time."""
    until = time.monotonic() + ANSWERED_WITHIN_S
    while True:
        for answer in steering.answers(run):
            if answer.id == order_id:
                return answer
        if time.monotonic() > until:
            return None
        time.sleep(LOOK_EVERY_S)


def _wrong(wording: ErrorWords) -> PlanError:
    return PlanError.of(wording, code="cli.wrong-argument", where=Span("loadrig steer"))
