"""A control group may hold no more processes and threads: fork and clone fail with EAGAIN."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords
from loadrig.judgement.constants import OFTEN
from loadrig.judgement.evidence import STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.process_limit import ProcessLimitTexts

TEXTS = texts_of(ProcessLimitTexts)

ABOUT = About("processes", "fact", harms=OF_ANY_LIMIT | {"dips"})

OWN_WORDS = (OwnWords("threads", ("refused",)),)

PROCESSES_AT_LIMIT, TASKS_LEFT = 0.98, 2
"""Share of the limit in use, 0 to 1, or tasks below the limit, at which it is reached: one or two tasks end
while others begin."""

CUT_OFF = ("closed", "reset", "connect_reset", "http_5xx", "timeout")

STOOD_STILL = 0.02
"""Standard deviation of what is in use, as a share of the limit, below which it stood still there."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program with a group near its limit."""
    for tier in case.programs:
        for group, limit in tier.parts("cgroup.pids_limit").items():
            tasks = tier.track("cgroup.pids", group)
            if tasks is not None and limit.median > 0 and tasks.peak >= observed.NEAR_LIMIT * limit.median:
                yield _hypothesis(case, tier, group, tasks, limit.median)
                break


def _hypothesis(case: Case, tier: Tier, group: str, tasks: Track, limit: float) -> Hypothesis:
    at = tasks.share_above(min(PROCESSES_AT_LIMIT * limit, limit - TASKS_LEFT) - 0.5)
    is_still = at >= OFTEN and tasks.inside.std() < max(1.0, STOOD_STILL * limit)
    text = TEXTS.group_held_tasks(group, show_number(tasks.peak), show_number(limit))
    often = TEXTS.time_limit(text, show_share(at))
    signs = (Sign(at >= OFTEN, often, tasks.source, STRONG),)
    more = (
        *((Evidence(TEXTS.tasks_stood_still, tasks.source),) if is_still else ()),
        *observed.outcomes(case, CUT_OFF, TEXTS.requests_cut_off),
    )
    return Hypothesis(tier.name, signs, TEXTS.effect(text), TEXTS.mend(f"{4 * limit:.0f}"), more=more)
