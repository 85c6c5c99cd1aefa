"""The program runs more threads at once than its CPU quota can feed."""

import math

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.cause import About, Proof
from loadrig.judgement.constants import TAIL_SHARE
from loadrig.judgement.evidence import STRONG, Claims, Hypothesis, SeriesSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.quota import Parallel, Quota, biggest, parallel_of, quota_of
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.quota_unaware_runtime import QuotaUnawareRuntimeTexts
from loadrig.recording.event_facts import RuntimeFacts, facts_of

TEXTS = texts_of(QuotaUnawareRuntimeTexts)

ABOUT = About("cpu", "signs", harms=frozenset({"failing", "tail", "missed"}))

PROOFS = (Proof("knob", ("processors", "threads", "workers"), "less", is_needed=False),)
"""Experiments. They are not needed: half as many threads may still use the quota up at once."""

UNHEALTHY_THROTTLED_SHARE = 0.05
"""Share of the periods in which the group stood still, 0 to 1. Source: methods in the field; 1 to 2 % at
healthy load."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for a program under a quota whose parallelism is known and above the quota."""
    for tier in case.programs:
        quota = quota_of(case, tier)
        if quota is None or biggest(quota) is not tier:
            continue
        parallel = parallel_of(tier)
        if parallel is not None and parallel.threads > quota.cores:
            yield _hypothesis(case, tier, quota, parallel)


def _hypothesis(case: Case, tier: Tier, quota: Quota, parallel: Parallel) -> Hypothesis:
    fed, cores = quota.fed, show_cores(quota.cores)
    now_s, then_s = quota.stall_s(parallel.threads), quota.stall_s(fed)
    share, is_too_small = quota.throttled_share, quota.is_full
    used = TEXTS.used(show_number(quota.used), cores)
    use = TEXTS.average_quota_would(used)
    if is_too_small is None:
        use = TEXTS.how_much_used
    elif is_too_small:
        use = TEXTS.quota_too_small(used)
    stood = TEXTS.how_often_stood if math.isnan(share) else TEXTS.yet_stood_still(show_share(share))
    p99 = case.load.latency(0.99)
    # A request that waits for earlier requests can meet the stalls of several periods.
    reach = min(1.0, 3 * now_s / p99) if p99 > 0 else 1.0
    met = min(1.0, quota.still_share / TAIL_SHARE) if math.isfinite(quota.still_share) else 1.0
    started = tier.case.events_of("go_runtime", component=tier.name, is_measured=False)
    setting = facts_of(started[0], RuntimeFacts).gomaxprocs_from if started else None
    are_many, is_still = quota.is_exceeded_by(parallel), share >= UNHEALTHY_THROTTLED_SHARE
    periods = SeriesSource(tier.name, "cgroup.throttled_periods", quota.group)
    signs = (
        Sign(are_many, TEXTS.under_quota(parallel.text, cores), parallel.source),
        Sign(None if is_too_small is None else not is_too_small, use, quota.source),
        Sign(None if math.isnan(share) else is_still, stood, periods, STRONG),
    )
    slowest = show_duration(p99) if math.isfinite(p99) else TEXTS.not_known
    return Hypothesis(
        tier.name, signs, TEXTS.effect(show_duration(now_s), slowest), TEXTS.mend(str(fed)),
        decides=TEXTS.decides(str(fed)), bound=min(1 - then_s / now_s if now_s else 0.0, reach, met),
        bound_text=TEXTS.stalls_instead_once(show_duration(then_s), show_duration(now_s), str(fed)),
        detail=f"GOMAXPROCS comes from {setting}" if setting else "",
    )  # fmt: skip
