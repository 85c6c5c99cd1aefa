"""A manager of processes kills workers that take longer than it allows, with the requests that they serve."""

from collections.abc import Sequence

from loadrig.base.series import Event
from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords, Proof
from loadrig.judgement.evidence import STRONG, Claims, EventSource, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.observed import SAME_TIME_S
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.worker_timeouts import WorkerTimeoutsTexts
from loadrig.recording.event_facts import DeathFacts, facts_of

TEXTS = texts_of(WorkerTimeoutsTexts)

ABOUT = About("lifetime", "fact", harms=OF_ANY_LIMIT | {"dips"})

OWN_WORDS = (OwnWords("workers", ("timed_out",)),)

PROOFS = (Proof("knob", ("timeout",), is_needed=False),)
"""Experiments. The knob is not needed: clients may give the slow call up before it is answered."""

GUNICORN_TIMEOUT_S = 30.0
"""Seconds of silence after which gunicorn kills a worker unless told otherwise. Source: docs.gunicorn.org,
timeout."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each gunicorn whose workers died by a time-out, or for no known reason."""
    for tier in case.of_kind("gunicorn"):
        died = case.events_of("worker_died", component=tier.name)
        reasons = [(event, facts_of(event, DeathFacts).reason) for event in died]
        timed_out = [event for event, reason in reasons if reason == "timed_out"]
        unexplained = [event for event, reason in reasons if reason in (None, "unknown")]
        if timed_out or unexplained:
            yield _hypothesis(case, tier, timed_out or unexplained, is_timed_out=bool(timed_out))


def _hypothesis(case: Case, tier: Tier, died: Sequence[Event], *, is_timed_out: bool) -> Hypothesis:
    after, count = show_number(tier.number("--timeout", "-t") or GUNICORN_TIMEOUT_S), len(died)
    failed = case.load.total(case.load.failed)
    share = observed.failures_in(case, observed.around(case, died, SAME_TIME_S, SAME_TIME_S))
    text = TEXTS.workers_killed_after(str(count), after)
    if not is_timed_out:
        text = TEXTS.workers_ended_gunicorn(str(count))
    near = TEXTS.failures_came_within(show_share(share))
    return Hypothesis(
        component=tier.name,
        signs=(Sign(is_timed_out or None, text, EventSource(tier.name, "worker_died", count), STRONG),),
        more=(Evidence(near, case.load.source("load.failed")),) if share > 0 else (),
        effect=TEXTS.effect(str(count), show_number(share * failed), show_number(case.load.ok_rps)),
        mend=TEXTS.mend(after),
        bound=share if failed and set(case.harms) <= {"failing"} else None,
        bound_text=TEXTS.failures(show_number(share * failed), show_number(failed)) if failed else "",
    )
