"""The CPU of a machine is used up by what is measured."""

from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.evidence import Evidence, Wording
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.work import hot_function
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.host_cpu import HostCpuTexts

TEXTS = texts_of(HostCpuTexts)

ABOUT = About("cpu", "size", full=("cores", "thread"))

PROOFS = (Proof("cores", is_conviction=False), Proof("cpu", is_needed=False, is_conviction=False))
"""Experiments. Its own CPU is not needed: where others fill the cores, too, a quota for one program may not
bind."""

GAIN = Law("capacity", "CPU")


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: the function that takes most of the time, and how long threads waited for a core."""
    top, delay = hot_function(case, tier), tier.track("process.run_delay_s", "tree")
    waited = observed.evidence(delay, resource.number, TEXTS.waited_for_core("{}"))
    hot = () if top is None else (Evidence(TEXTS.most_time_in(top[0]), top[1]),)
    if top is not None:
        mend = TEXTS.mend(top[0])
    else:  # perf sees Node's own functions, and those of JavaScript without their names
        mend = TEXTS.mend_unnamed_node if tier.runtime == "node" else ""
    return Wording(mend=mend, evidence=(*hot, *waited))
