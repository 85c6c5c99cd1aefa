"""A connection is closed by the program that answers just when it is used again, and its request is lost."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import About, OwnWords
from loadrig.judgement.evidence import STRONG, Claims, EventSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.load import CLOSED, Load
from loadrig.judgement.own_words import OF_FAILED, Spoken, spoken
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.keep_alive_mismatch import KeepAliveMismatchTexts

TEXTS = texts_of(KeepAliveMismatchTexts)

ABOUT = About("connecting", "signs", harms=frozenset({"failing", "missed"}))

EACH = "after each answer"
"""Detail of a finding: the server closes every connection after one answer, and does not say so."""

OWN_WORDS = (OwnWords("dependency", ("closed",), "asked", ("nginx",)),)

MOST_LOST_SHARE = 0.2
"""Share of all requests that failed, 0 to 1, above which connections do not just happen to be closed while
they stand idle: a program closes so many that it works on."""

ANSWERS_EACH = 1.2
"""Good answers for each connection that was opened, and connections for each answer, up to which a connection
gives one answer: some are closed before they are used again, some just as the load begins or ends."""

FRESH = 0.8
"""Connections opened over requests that were answered or found theirs closed, below which those that failed
had a connection that was used before: where a server closes what it works on, each of them opens its own."""

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
    if _gives_one_answer_each(case.load, closed):
        each = TEXTS.one_answer_each(show_number(case.load.total(case.load.opened)))
        signs.append(Sign(True, each, case.load.source("connections.per_request"), STRONG))
        yield Hypothesis(case.server.name, tuple(signs), text, mend=TEXTS.mend_each, detail=EACH)
        return
    signs.append(Sign(share <= MOST_LOST_SHARE, lost, case.load.source("load.failed"), 0.0))
    yield Hypothesis(case.server.name, tuple(signs), text)


def _gives_one_answer_each(load: Load, closed: int) -> bool:
    """Return whether each connection gave one answer, and whoever used it again found it closed."""
    opened, answered = load.total(load.opened), load.total(load.ok)
    if not opened > 0 or opened > FRESH * (answered + closed):
        return False
    return opened / ANSWERS_EACH <= answered <= ANSWERS_EACH * opened


def _closes_for_room(case: Case, line: Spoken, closed: int) -> bool:
    """Return whether the server says of many of the closed connections that it had no room for them."""
    is_own = line.speaker == case.server.name and line.resource in WITHOUT_ROOM
    return is_own and line.count >= OF_FAILED * closed
