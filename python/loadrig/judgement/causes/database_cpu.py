"""The CPU that a database may use is used up."""

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.constants import QUEUED
from loadrig.judgement.evidence import Evidence, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import at_work, top_statement, working
from loadrig.judgement.facts.statements import computes
from loadrig.judgement.facts.tier import DATABASES, OTHER_DATABASES, Tier
from loadrig.judgement.limits.ceilings import ceilings
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.database_cpu import DatabaseCpuTexts

TEXTS = texts_of(DatabaseCpuTexts)

ABOUT = About(
    "cpu", "size", full=("cores", "thread"), of=DATABASES | OTHER_DATABASES,
    harms=OF_ANY_LIMIT - {"tail"} | {"dips", "drift"},
)  # fmt: skip

PROOFS = (Proof("cpu", is_conviction=False), Proof("knob", ("quota",), is_needed=False))
"""Experiments. The knob is not needed: it may be the quota of another tier."""

GAIN = Law("capacity", "CPU")


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: what a request costs it, statements that queue, and the statement that costs most."""
    effect = TEXTS.cpu_may_use(show_share(resource.share))
    after = next((ceiling for ceiling in ceilings(case) if ceiling.component != tier.name), None)
    if after is not None and after.rps > case.load.ok_rps:
        effect += TEXTS.next_limit_s(after.what, after.component, show_number(after.rps))
    evidence = []
    running = at_work(tier)
    if running >= QUEUED * resource.number + 1:
        text = TEXTS.statements_work_once(show_number(running), show_cores(resource.number))
        evidence.append(Evidence(text, working(tier)))
    return Wording(
        effect=effect, mend=_mend(tier), decides=TEXTS.decides(tier.name), evidence=tuple(evidence)
    )


def _mend(tier: Tier) -> str:
    top, _ = top_statement(tier)
    first = TEXTS.look_costliest_statement(top) if top else TEXTS.make_statements_cheaper
    if computes(top):
        first = TEXTS.compute_less_often(top)
    return TEXTS.then_give_more(first)
