"""The CPU quota of a control group holds the program back."""

import math

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.evidence import SLIGHT, Evidence, SeriesSource, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.quota import PERIOD_S, Quota, cost_of_request, parallel_of, quota_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.cpu_quota import CpuQuotaTexts
from loadrig.language.labels import label

TEXTS = texts_of(CpuQuotaTexts)

ABOUT = About("cpu", "size", full=("quota",))

PROOFS = (Proof("cpu"), Proof("knob", ("quota",), is_needed=False))
"""Experiments. The knob is not needed: it may be the quota of another tier."""

GAIN = Law("slots", "CPU")

WIDE = 3.0
"""Greatest cost of a request over its least cost, up to which a quota is worked out from it."""


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:  # noqa: ARG001
    """Return its words: how often the group stood still, and which quota would be enough."""
    quota = quota_of(case, tier)
    if quota is None:
        return Wording()
    evidence = []
    if quota.periods > 0:
        text = TEXTS.stood_still_periods(show_share(quota.throttled_share), show_duration(quota.stood_s))
        source = SeriesSource(quota.source.component, "cgroup.throttled_s", quota.group)
        evidence.append(Evidence(text, source))
    parallel = parallel_of(tier)
    if parallel is not None and quota.throttled > 0 and (stall := quota.stall_s(parallel.threads)) > 0:
        text = TEXTS.running_once_they(parallel.text, show_duration(PERIOD_S - stall), show_duration(stall))
        evidence.append(Evidence(text, parallel.source, SLIGHT))
    return Wording(_effect(case, tier, quota), _mend(case, tier, quota), evidence=tuple(evidence))


def _effect(case: Case, tier: Tier, quota: Quota) -> str:
    still = ""
    if quota.throttled > 0:
        still = TEXTS.and_stood_still_periods(f"{quota.throttled:,.0f}", f"{quota.periods:,.0f}")
    others = [sharer.name for sharer in quota.sharers if sharer is not tier]
    together = TEXTS.together_with(", ".join(others)) if others else ""
    used = TEXTS.used_of(show_number(quota.used)) if math.isfinite(quota.used) else ""
    enough_text = enough(case, tier, quota)
    need = f"; {enough_text}" if enough_text else ""
    return TEXTS.used(used, show_cores(quota.cores), together, still, need)


def enough(case: Case, tier: Tier, quota: Quota) -> str:
    """Return as a clause the quota that the offered rate needs: CPU time a request times requests due."""
    least_s, most_s = cost_of_request(case, tier, quota)
    if not least_s:
        return ""
    if not case.load.is_open:
        return TEXTS.each_further_cores(show_number(0.1 / most_s))
    least, most = least_s * case.load.offered_rps, most_s * case.load.offered_rps
    if most > WIDE * least:
        need = TEXTS.more_than(show_cores(max(least, quota.cores)))
    else:
        need = label("about ") if least == most else TEXTS.to(show_number(least))
        need += show_cores(most)
    return TEXTS.s_need(show_number(case.load.offered_rps), need)


def _mend(case: Case, tier: Tier, quota: Quota) -> str:
    least_s, most_s = cost_of_request(case, tier, quota)
    is_known = most_s <= WIDE * least_s
    need = (most_s if is_known else least_s) * case.load.offered_rps if case.load.is_open else 0.0
    # Quotas are rounded up to the next 0.05, as people write them.
    cores = math.ceil(20 * max(need, (1.25 if is_known else 2) * quota.cores) - 1e-9) / 20
    then = "" if is_known else TEXTS.measure_again
    return TEXTS.raise_quota_or(show_cores(cores), f"{cores:g}", f"{1000 * cores:.0f}", then)
