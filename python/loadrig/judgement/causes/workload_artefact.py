"""The load itself makes what is wrong: logins or other requests that come all at once."""

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.bursts import burst_waits
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.gains import without
from loadrig.judgement.harms import dips
from loadrig.judgement.harms.dips import Aligned, Dips
from loadrig.judgement.limits.ceilings import ceilings
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.workload_artefact import WorkloadArtefactTexts

TEXTS = texts_of(WorkloadArtefactTexts)

ABOUT = About("load", "size", harms=frozenset({"dips", "queueing", "tail"}))

PROOFS = (
    # Where a server lets all tokens end at the same moment of the clock, no load can spread them.
    Proof("load", ("spread_logins",), is_needed=False, of=("tokens",)),
    # Tokens that live twice as long make half of the dips, which is hard to tell from chance.
    Proof("knob", ("expiry",), "other", is_needed=False, of=("tokens",)),
    Proof("load", ("without",), of=("route",)),
)

SHOWS_IN = "dips"
"""Harm that the cause shows in, whatever the mean throughput is."""

GAIN = Law("share", "all", of=("tokens", "route", "users"))

BEYOND_CHANCE = 3.0
"""Ratio of that wait to the wait of as many requests at random instants, from which on chance has not made
it: real users, who know nothing of each other, come at random."""


def examine(case: Case) -> Claims:
    """Yield a hypothesis of the load: it makes a queue by itself, or there are dips with bursts or pauses."""
    yield from _queues(case)
    dipped = dips.of(case)
    if dipped is None or not dipped.is_harm:
        return
    own = next((aligned for aligned in dipped.aligned if aligned.stream.is_load), None)
    if own is not None:
        yield _bursts(case, dipped, own)
    elif not case.load.is_open and dipped.in_flight_ratio < dips.LEAST_CONCURRENCY_FALL:
        yield _pauses(case, dipped)


def _queues(case: Case) -> Claims:
    """Yield that requests come in bursts, where these alone make most of the time that a request takes."""
    nearest = next(iter(ceilings(case)), None)
    waits = burst_waits(case, 1 / nearest.rps) if nearest is not None else None
    ended_rps = case.load.ended_rps
    if nearest is None or waits is None or ended_rps <= 0:
        return
    mean_s = case.load.waiting / ended_rps
    share = min(1.0, waits.as_sent_s / mean_s) if mean_s > 0 else 0.0
    if share < MOSTLY or waits.as_sent_s < BEYOND_CHANCE * waits.at_random_s:
        return
    wait, room = show_duration(waits.as_sent_s), show_share(waits.utilisation)
    signs = (
        Sign(True, TEXTS.sent_at_once(wait, show_share(share)), case.load.source("load.offered"), STRONG),
        by_arithmetic(True, TEXTS.has_room(nearest.what, nearest.component, room)),
    )
    effect = TEXTS.queue_by_themselves(wait, show_duration(mean_s), show_duration(waits.at_random_s))
    mend, decides = TEXTS.send_at_random, TEXTS.sent_at_random
    yield Hypothesis(LOAD, signs, effect, mend, decides, detail="instants", bound=share)


def _bursts(case: Case, dipped: Dips, best: Aligned) -> Hypothesis:
    stream, share = best.stream, dipped.met_share(best)
    most, fewer = float(stream.amounts[case.is_inside].max()), show_number(-dipped.change(case.load.ok))
    mend, decides, detail = TEXTS.give_tokens_scenario, TEXTS.expiry_staggered_over, "tokens"
    if stream.kind == "route":
        mend, decides = TEXTS.spread_requests_over(stream.subject), TEXTS.same_load_without(stream.subject)
        detail = f"route: {stream.subject}"
    sign = Sign(best.is_close, dips.beside(best), stream.source, STRONG)
    effect = TEXTS.effect(stream.text, show_number(most), fewer, show_share(dipped.lost_share))
    return Hypothesis(
        LOAD, (sign,), effect, mend, decides, tuple(dips.bursts_of(dipped, best)),
        against=tuple(dips.rivals_of(dipped, best)), gain=without(dipped.lost_share * share), detail=detail,
        bound=share, bound_text=TEXTS.dips_hold_what(stream.text, show_share(share)),
    )  # fmt: skip


def _pauses(case: Case, dipped: Dips) -> Hypothesis:
    load, fails = case.load, observed.is_far_more(*dipped.in_dips(case.load.failed))
    less = TEXTS.dips_many_requests(show_share(dipped.in_flight_ratio))
    how = TEXTS.regularly_users_who if dipped.is_regular else TEXTS.not_regularly
    regular = TEXTS.throughput_dipped(dipped.lasted, how)
    failing = TEXTS.requests_failed_dips if fails else TEXTS.no_more_requests
    signs = (
        Sign(True, TEXTS.less_asked(less), load.source("load.in_flight"), STRONG),
        # While the rig itself is held up nothing is in flight either, but not at regular moments.
        Sign(dipped.is_regular, regular, load.source("load.successful_rps")),
        Sign(not fails, failing, load.source("load.failed"), SLIGHT),
    )
    effect = TEXTS.users_pause_together(dipped.lasted, show_share(dipped.lost_share))
    return Hypothesis(LOAD, signs, effect, gain=without(dipped.lost_share), detail="users")
