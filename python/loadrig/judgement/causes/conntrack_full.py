"""The packet filter's table of tracked connections is full, and new connections are dropped."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About
from loadrig.judgement.constants import AT_LIMIT, NO_CHANCE, TRACE_SHARE
from loadrig.judgement.evidence import STRONG, Claims, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Namespace, namespaces
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.conntrack_full import ConntrackFullTexts

TEXTS = texts_of(ConntrackFullTexts)

ABOUT = About("tracked", "fact", harms=OF_ANY_LIMIT | {"dips"})

NOT_CONNECTED = ("connect_timeout", "connect_failed", "timeout", "http_5xx")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each network namespace whose table was half full."""
    for space in namespaces(case):
        share, entries = space.track("conntrack_share"), space.track("conntrack_entries")
        if share is None or share.peak < TRACE_SHARE:
            continue
        text = TEXTS.connections_may_tracked(show_share(share.peak))
        if entries is not None:
            text += TEXTS.entries(show_number(entries.peak))
        yield Hypothesis(
            component=space.host,
            signs=(Sign(share.peak >= AT_LIMIT, text, share.source, STRONG), _lost(case, space)),
            more=observed.evidence(
                space.track("retransmitted_segments"),
                NO_CHANCE,
                TEXTS.segments_sent_again,
                statistic="grew",
            ),
            effect=TEXTS.effect(f"{case.load.count(*NOT_CONNECTED):,}", show_number(case.load.ok_rps)),
        )


def _lost(case: Case, space: Namespace) -> Sign:
    """Return the sign that connections failed, or were tried again."""
    lost = case.load.count(*NOT_CONNECTED)
    if lost >= NO_CHANCE:
        return Sign(True, TEXTS.requests_failed_want(f"{lost:,}"), case.load.source("outcomes"))
    counters = space.tracks("attempt_fails", "retransmitted_segments")
    count = sum(track.grew for track in counters)
    return observed.sign(
        next(iter(counters), None),
        count >= NO_CHANCE,
        TEXTS.attempts_failed_or(show_number(count)),
        TEXTS.whether_connecting_failed,
    )
