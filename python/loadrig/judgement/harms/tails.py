"""Tails: some requests took far longer than most."""

from loadrig.base.units import show_duration
from loadrig.judgement.constants import NOTICED_S, STRETCHED_S, WAITS
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.harms.queueing import NOT_WORKED_ON
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsTailsTexts

TEXTS = texts_of(JudgementHarmsTailsTexts)

TAIL_RATIO = 8.0
"""p99 over p50. Above it a tail that a person notices is a harm: service times of a healthy mix of routes
spread by a factor of two or three."""

JUMP_RATIO = 4.0
"""p99 over p95. Above it the slowest hundredth met what the others did not, however slow these are:
exponential times have 1.5, and a mix in which each tenth request takes four times as long has hardly more."""


def harm(case: Case) -> str | None:
    """Return the harm "tail" as a sentence; None where the slowest are little longer than others."""
    p50, p95, p99 = (case.load.latency(quantile) for quantile in (0.5, 0.95, 0.99))
    if p99 > NOTICED_S and p99 > TAIL_RATIO * p50:
        return TEXTS.p99_times_median(show_duration(p99), f"{p99 / p50:.0f}", show_duration(p50))
    if p99 > NOTICED_S and p99 > JUMP_RATIO * p95:
        return TEXTS.p99_times_p95(show_duration(p99), f"{p99 / p95:.0f}", show_duration(p95))
    return (_crowded_out(case) if case.load.is_open else "") or None


def _crowded_out(case: Case) -> str:
    """Return how long requests wait for a core while other programs have it; "" where that is little.

    It needs no full server. What waits for a core that somebody else has waits until its slice is over, some
    milliseconds: few requests meet that, several times each, and only the slow ones show it. Both the account
    and the kernel must say so: requests that nobody works on, and threads that wait for a core.
    """
    use, account, load = use_of(case, case.server), case.account, case.load
    server = account.server if account is not None else None
    if use is None or account is None or server is None or server.total_ms <= 0 or not load.ended_rps > 0:
        return ""
    others, p99_s = use.strangers_use, load.latency(0.99)
    if others <= 0 or use.yielded > 0 or not p99_s >= STRETCHED_S:
        return ""
    parts = (part for tier in use.sharers if (part := account.component(tier.name)) is not None)
    waited_s = min(sum(part.ms_in(*NOT_WORKED_ON) for part in parts) / 1e3, use.waited / load.ended_rps)
    # They wait for each other, too: each for whoever has the core, in proportion to how long he has it.
    by_others_s, total_s = waited_s * others / (use.ours + others), server.total_ms / 1e3
    if by_others_s < WAITS * total_s:
        return ""
    return TEXTS.waited_for_others_core(
        show_duration(by_others_s), show_duration(total_s), show_duration(p99_s)
    )
