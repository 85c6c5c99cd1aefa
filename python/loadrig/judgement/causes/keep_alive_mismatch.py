"""A connection is closed by the program that answers just when it is used again, and its request is lost."""

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
    is_own = line.speaker == case.server.name and line.resource in WITHOUT_ROOM
    return is_own and line.count >= OF_FAILED * closed
