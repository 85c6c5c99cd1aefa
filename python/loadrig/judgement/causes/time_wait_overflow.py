"""The kernel cuts TIME_WAIT short because there are too many of them."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import About
from loadrig.judgement.constants import AT_LIMIT, NO_CHANCE
from loadrig.judgement.evidence import Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import namespaces
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.time_wait_overflow import TimeWaitOverflowTexts

TEXTS = texts_of(TimeWaitOverflowTexts)

ABOUT = About("time_wait", "fact", harms=frozenset({"failing", "missed"}))

RESETS = ("reset", "closed", "connect_reset", "http_5xx")
"""Outcomes of a request whose connection meets a late packet; 5xx where that connection is behind the
server."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each network namespace in which a TIME_WAIT was cut short."""
    for space in namespaces(case):
        cut = space.track("time_wait_overflows")
        if cut is None or cut.grew < 1:
            continue
        share, count = space.track("time_wait_share"), space.track("time_wait_all")
        resets, source = case.load.count(*RESETS), case.load.source("outcomes")
        failed, rate = case.load.total(case.load.failed), show_number(cut.mean)
        is_reset = resets >= NO_CHANCE
        high = share.high() if share is not None else 0.0
        text = TEXTS.time_wait_stood(show_share(high))
        if count is not None:
            text += TEXTS.them(show_number(count.peak))
        harm = TEXTS.requests_ended_reset(f"{resets:,}") if is_reset else TEXTS.no_request_ended
        yield Hypothesis(
            component=space.host,
            signs=(
                Sign(True, TEXTS.cut_short_second(rate), cut.source),
                observed.sign(share, high >= AT_LIMIT, text, TEXTS.limit_not_read),
                Sign(is_reset, harm, source),
            ),
            against=(Evidence(TEXTS.resets_have_many, source),),
            effect=TEXTS.effect(rate, f"{resets:,}"),
            bound=min(1.0, resets / failed) if failed else None,
            bound_text=TEXTS.failures_resets(f"{resets:,}", f"{failed:,.0f}") if failed else "",
        )
