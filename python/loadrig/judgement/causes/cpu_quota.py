"""The CPU quota of a control group holds the program back.

## Signature

The group uses what its quota allows, or its slice of nearly every period; it stands still for a good part
of the time while cores of the machine are idle; and requests fail, pile up or are slow.

## Data

cpu.stat of the groups (periods, throttled periods, throttled time), the quota itself, CPU time of the
group or of the programs in it; of a group higher up too, as in a container the limit often stands there.

## Deciding test

`--prove` gives it a quarter more quota while load runs, where cores are left, or else takes a fifth of it:
throughput follows in proportion (elasticity about 1). A knob of the plan for the quota does as well.

## Guard

Counters of throttling tick on healthy servers: in every period even, where nothing waits for it. So the
use must reach the quota, or the time stood still must be a good part of the latency. With far more threads
than the quota feeds, and a quota that would do on average, the threads are the cause and not the quota.
The node looks idle; a CPU limit never kills a process, only a memory limit does.
Kernels before 5.4 throttled below the quota (commit de53fd7aedb1).

## Fix

A higher quota, at least CPU time a request times the rate that is asked for; or none. Then as many threads
as the quota has cores.
"""

import math
from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._quota import PERIOD_S, Quota, biggest, parallel_of, quota_of
from loadrig.judgement.causes.host_cpu import busy_cores
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof
from loadrig.recording.steps import Floats

TITLE = "a CPU quota holds it back"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("cpu", "size", needs=("quota",))

PROOFS = (Proof("cpu"), Proof("knob", ("quota",), is_needed=False))
"""Experiments. The knob is not needed: it may be the quota of another tier."""

GAIN = Law("slots", "CPU")

MOSTLY_THROTTLED_SHARE = 0.25
"""Share of the periods in which the group stood still, 0 to 1: at healthy load 1 to 2 %, at the quota
most."""

STILL_SHARE = 0.10
"""Share of the time stood still where the quota is not used up on average, 0 to 1. Below it latency does not
suffer."""

CLEAN_SHARE = 0.05
"""Share of the requests that failed, 0 to 1. Above it the CPU time of answers that nobody waited for cannot
be told apart."""

FEWEST_CLEAN = 3

WIDE = 3.0
"""Greatest cost of a request over its least cost, up to which a quota is worked out from it."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each quota, of the program that uses most of it."""
    for tier in case.programs:
        quota = quota_of(case, tier)
        if quota is not None and biggest(quota) is tier:
            yield _hypothesis(case, tier, quota)


def _hypothesis(case: Case, tier: Tier, quota: Quota) -> Hypothesis:
    parallel = parallel_of(tier)
    in_bursts = quota.is_full is False and quota.still_share >= STILL_SHARE
    has_excess = parallel is not None and parallel.threads >= 2 * math.ceil(quota.cores)
    signs = [
        _used_up(quota, in_bursts=in_bursts and not has_excess, has_excess=has_excess),
        _stood_still(quota),
    ]
    if set(case.harms) <= {"tail"} and quota.is_full:
        # Near any limit a tail is long (1 / (1 - U)); with room in the quota the quota itself makes the tail.
        text = "all was answered, and some of it late: a goal (p99 < …) would say whether that is too late"
        signs.append(Sign(None, text, case.load.source("latency_ms")))
    more = []
    busy = busy_cores(case, tier)
    if math.isfinite(busy) and busy < 0.8 * tier.places:
        text = f"the cores it may run on were busy only {show_share(busy / tier.places)} of the time"
        more.append(Evidence(text, FormulaSource(f"{busy:.2f} of {show_cores(tier.places)}"), CLEAR))
    if parallel is not None and quota.stall_s(parallel.threads) > 0 and quota.throttled > 0:
        stall = quota.stall_s(parallel.threads)
        text = (
            f"{parallel.text}: running at once they burn the slice of a period in"
            f" {show_duration(PERIOD_S - stall)} and stand still for {show_duration(stall)}"
        )
        more.append(Evidence(text, parallel.source, SLIGHT))
    without = 1 - quota.cores / tier.places
    bound = max(0.0, without) if quota.is_full else quota.still_share
    reach = f"the quota leaves it {show_number(quota.cores)} of {show_cores(tier.places)}"
    if not quota.is_full and math.isfinite(bound):
        reach = f"it stood still {show_share(bound)} of the time"
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(more),
        against=tuple(_against(tier)),
        effect=_effect(case, tier, quota),
        mend=_mend(case, tier, quota),
        decides="the same load with a quarter more quota: if this is the cause, throughput follows",
        bound=None if math.isnan(bound) else bound,
        bound_text=reach,
    )


def _used_up(quota: Quota, *, in_bursts: bool, has_excess: bool) -> Sign:
    where = f" (group {quota.group})" if quota.group else ""
    if quota.is_full is None:
        text = f"how much it used of its quota of {show_cores(quota.cores)} was not seen: its process is"
        return Sign(None, f"{text} not known, name its pid in the plan", quota.source)
    used = f"{show_number(quota.used)} of {show_cores(quota.cores)}"
    if quota.is_full:
        return Sign(True, f"it used {used} that its quota allows{where}", quota.source, STRONG)
    if in_bursts:
        text = f"it used {used} on average, in bursts that its quota cut short{where}"
        return Sign(True, text, quota.source, CLEAR)
    why = ": the quota would do, its threads use it up at once" if has_excess else ""
    return Sign(False, f"it used {used} that its quota allows{why}", quota.source)


def _stood_still(quota: Quota) -> Sign:
    if math.isnan(quota.throttled_share) and quota.throttled != 0:
        text = "how often it stood still was not seen: its control group (cpu.stat) could not be read"
        return Sign(None, text, quota.source)
    # Without any counted period no process of the group wanted to run.
    share = quota.throttled_share if quota.periods > 0 else 0.0
    text = (
        f"it stood still in {show_share(share)} of the periods, {show_duration(quota.stood_s)} every second"
    )
    source = type(quota.source)(quota.source.component, "cgroup.throttled_s", quota.group)
    return Sign(share >= MOSTLY_THROTTLED_SHARE, text, source, CLEAR)


def _against(tier: Tier) -> Iterator[Evidence]:
    if tier.is_database:
        text = "a database that uses all the cores it is given needs cheaper statements as much as more cores"
        yield Evidence(text, FormulaSource(f"{tier.name} is a {tier.kind}"), CLEAR)


def _effect(case: Case, tier: Tier, quota: Quota) -> str:
    still = ""
    if quota.throttled > 0:
        still = f" and stood still in {quota.throttled:,.0f} of {quota.periods:,.0f} periods"
    others = [sharer.name for sharer in quota.sharers if sharer is not tier]
    together = f" together with {', '.join(others)}" if others else ""
    used = f"{show_number(quota.used)} of " if math.isfinite(quota.used) else ""
    enough_text = enough(case, tier, quota)
    need = f"; {enough_text}" if enough_text else ""
    return f"it used {used}{show_cores(quota.cores)}{together}{still}{need}"


def enough(case: Case, tier: Tier, quota: Quota) -> str:
    """Return as a clause the quota that the offered rate needs: CPU time a request times requests due."""
    least_s, most_s = cost_of_request(case, tier, quota)
    if not least_s:
        return ""
    if not case.load.is_open:
        return f"each further 0.1 cores is worth about {show_number(0.1 / most_s)} requests a second"
    least, most = least_s * case.load.offered_rps, most_s * case.load.offered_rps
    if most > WIDE * least:
        need = f"more than {show_cores(max(least, quota.cores))}"
    else:
        need = "about " if least == most else f"{show_number(least)} to "
        need += show_cores(most)
    return f"{show_number(case.load.offered_rps)}/s need {need}"


def cost_of_request(case: Case, tier: Tier, quota: Quota) -> tuple[float, float]:
    """Return the CPU seconds of a request, least and most; 0 and 0 if unknown.

    Where requests were given up, some of the time went into answers that nobody waited for: each of them took
    between nothing and the whole time of an answer.
    """
    load, used = case.load, quota.values
    for name in ("access_log.requests", "tomcat.requests", "nginx.requests"):
        own = tier.track(name)
        if own is not None and own.mean > 0 and math.isfinite(quota.used):
            return quota.used / own.mean, quota.used / own.mean
    good: Floats = load.ok + load.logins
    ended: Floats = good + load.failed
    known = np.isfinite(used) & (ended > 0)
    clean = known & (load.failed <= CLEAN_SHARE * ended)
    if clean.sum() >= FEWEST_CLEAN:
        cost_s = float(used[clean].sum() / ended[clean].sum())
        return cost_s, cost_s
    if not known.any() or good[known].sum() <= 0:
        return 0.0, 0.0
    in_all = used[known].sum()
    return float(in_all / ended[known].sum()), float(in_all / good[known].sum())


def _mend(case: Case, tier: Tier, quota: Quota) -> str:
    least_s, most_s = cost_of_request(case, tier, quota)
    is_known = most_s <= WIDE * least_s
    need = (most_s if is_known else least_s) * case.load.offered_rps if case.load.is_open else 0.0
    # Quotas are rounded up to the next 0.05, as people write them.
    cores = math.ceil(20 * max(need, (1.25 if is_known else 2) * quota.cores) - 1e-9) / 20
    then = "" if is_known else ", and measure again"
    return (
        f"raise the quota to {show_cores(cores)} or more (docker update --cpus {cores:g}; Kubernetes:"
        f" resources.limits.cpu: {1000 * cores:.0f}m), or take it away{then}"
    )
