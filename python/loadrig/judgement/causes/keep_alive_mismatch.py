"""A connection is closed by the program that answers just when it is used again: the request on it is lost.

## Signature

A small share of the requests fail at once: closed or reset before any answer, on a connection that was used
before; behind a proxy they come as 502. No process has ended, and nothing is full.

## Data

Outcomes `closed` and `reset`, ends of processes, and what a proxy says of the program behind it.

## Deciding test

The same load with a longer keep-alive time-out in the program that answers than in who calls it: none is
lost. Over connections of their own none is lost either, whatever that costs. `--prove` does not change it.

## Guard

A process that ends, is killed or is replaced takes its connections with it. A program that is full, or that
gives up after a time of its own, closes connections that it works on, not those that stood idle.

## Fix

A keep-alive time-out in the program that answers that is longer than that of every caller's pool: Node's
keepAliveTimeout, gunicorn's --keep-alive, Tomcat's keepAliveTimeout, above nginx's keepalive_timeout.
"""

from loadrig.base.units import show_share
from loadrig.judgement.cause import About, OwnWords
from loadrig.judgement.evidence import STRONG, Claims, EventSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.load import CLOSED
from loadrig.judgement.own_words import OF_FAILED, Spoken, spoken
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.keep_alive_mismatch import KeepAliveMismatchTexts

TEXTS = texts_of(KeepAliveMismatchTexts)

ABOUT = About("connecting", "signs", harms=frozenset({"failing", "missed"}))

OWN_WORDS = (OwnWords("dependency", ("closed",), "asked", ("nginx",)),)

MOST_LOST_SHARE = 0.2
"""Share of all requests that failed, 0 to 1, above which connections do not just happen to be closed while
they stand idle: a program closes so many that it works on."""

ENDS = ("process_died", "worker_died", "oom_kill")

WITHOUT_ROOM = ("connections", "descriptors", "threads")
"""Resources of which a server says that it has no more: then it closes connections, to take others or as it
can serve them with nothing."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the loaded server, where connections to it that were kept were closed."""
    closed = case.load.count(*CLOSED)
    if not case.load.keep_alive or not case.load.fails_by_closing:
        return
    ended = case.events_of(*ENDS, component=case.server.name, is_measured=False)
    share = case.load.failed_share
    text = TEXTS.closed_before_answer(f"{closed:,}")
    room = next((line for line in spoken(case) if _closes_for_room(case, line, closed)), None)
    ends = TEXTS.processes_ended(str(len(ended))) if ended else TEXTS.no_process_ended
    lost = TEXTS.requests_failed(show_share(share))
    crowded = TEXTS.in_a_crowd(show_share(case.load.failed_in_crowds))
    signs = [
        Sign(True, text, case.load.source("outcomes"), STRONG),
        Sign(not ended, ends, EventSource(case.server.name, "process_died", len(ended))),
    ]
    if room is not None:
        signs.append(Sign(False, room.text, room.source))
    if case.load.fails_in_crowds:
        signs.append(Sign(False, crowded, case.load.source("load.in_flight")))
    signs.append(Sign(share <= MOST_LOST_SHARE, lost, case.load.source("load.failed"), 0.0))
    yield Hypothesis(case.server.name, tuple(signs), text)


def _closes_for_room(case: Case, line: Spoken, closed: int) -> bool:
    """Return whether the server says of many of the closed connections that it had no room for them."""
    is_its = line.speaker == case.server.name and line.resource in WITHOUT_ROOM
    return is_its and line.count >= OF_FAILED * closed
