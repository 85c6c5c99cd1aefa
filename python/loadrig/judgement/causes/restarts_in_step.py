"""Workers are recycled all at the same time, and nobody serves meanwhile."""

from loadrig.base.units import show_duration, show_share
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import CLEAR, STRONG, Claims, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.restarts import SHORT_LIFE_S, Restarts, restarts_of
from loadrig.judgement.gains import without
from loadrig.judgement.harms import dips
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.restarts_in_step import RestartsInStepTexts

TEXTS = texts_of(RestartsInStepTexts)

ABOUT = About("lifetime", "signs", harms=frozenset({"short", "failing", "tail", "missed", "dips"}))

PROOFS = (
    # A single worker leaves a gap whenever it is replaced, with jitter or without.
    Proof("knob", ("jitter",), is_needed=False),
    # Half as many restarts leave half of the dips, which is hard to tell from chance. "other": 0 is never.
    Proof("knob", ("restarts",), "other", is_needed=False),
)

SHOWS_IN = "dips"
"""Harm that the cause shows in, whatever the mean throughput is."""

GAIN = Law("share", "all")

STREAMS = ("worker_born", "worker_died", "process_born", "process_died")
"""Kinds of events that a restart leaves."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program of which at least two workers were started under load."""
    for tier in case.programs:
        restarts = restarts_of(tier)
        if restarts is not None and not tier.is_database:
            yield _hypothesis(case, restarts)


def _hypothesis(case: Case, restarts: Restarts) -> Hypothesis:
    name, dipped, births = restarts.tier.name, dips.of(case), str(len(restarts.births))
    effect = TEXTS.restarts_times_together(births, show_duration(case.measured_s), str(len(restarts.in_step)))
    bound, bound_text, gain = None, "", None
    if dipped is not None and dipped.is_harm:
        hurt, bound = _dips(dipped, name)
        effect += TEXTS.throughput_falls_lost(show_share(dipped.depth), show_share(dipped.lost_share))
        bound_text = TEXTS.dips_restart_hold(show_share(bound)) if bound is not None else ""
        gain = without(dipped.lost_share * bound) if bound is not None else None
    else:
        hurt = _failures(case, restarts)
        effect += TEXTS.requests_failed(show_share(case.load.failed_share), name)
    served = restarts.arithmetic
    return Hypothesis(
        name, (_in_step(restarts), _why(restarts), hurt), effect,
        more=(Evidence(TEXTS.a_group_in(served), FormulaSource(served)),) if served else (),
        bound=bound, bound_text=bound_text, gain=gain,
    )  # fmt: skip


def _in_step(restarts: Restarts) -> Sign:
    """Return the sign that workers are started together; of a single worker, that it is started anew."""
    births, groups, least = str(len(restarts.births)), str(len(restarts.groups)), restarts.least_together
    text, weight = TEXTS.only_worker_started(births), CLEAR
    if restarts.workers > 1:
        share, most = show_share(restarts.in_step_share), str(max(restarts.workers, least))
        text, weight = TEXTS.workers_started_groups(births, groups, share, str(least), most), STRONG
    return Sign(restarts.are_in_step, text, restarts.source, weight)


def _why(restarts: Restarts) -> Sign:
    """Return the sign that workers ended because they had served their number of requests."""
    served, ended, reasons = restarts.arithmetic, str(restarts.ended), restarts.reasons
    source = restarts.source_of_ends
    if restarts.are_recycled:
        return Sign(True, TEXTS.ended_they_had(str(reasons["recycled"]), ended), source)
    for reason, count in reasons.most_common(1):
        text = TEXTS.workers_ended_another(str(count), ended, reason.replace("_", " "))
        return Sign(False, text, source)
    if served:
        return Sign(True, TEXTS.they_ended_when(served), source)
    return Sign(None, TEXTS.why_workers_ended, source)


def _dips(dipped: dips.Dips, component: str) -> tuple[Sign, float | None]:
    """Return the sign that throughput dips when workers restart, and the share of the loss in such dips."""
    streams = [row for kind in STREAMS if (row := dipped.beside(kind, component)) is not None]
    beside = next((row for row in streams if row.is_close or (row.is_in_each and dipped.are_long)), None)
    if beside is None:
        source = dipped.case.load.source("load.successful_rps")
        return Sign(False, TEXTS.throughput_dipped_other, source), None
    close = next((row for row in streams if row.is_close), None)
    bound = dipped.met_share(close) if close is not None else None
    return Sign(True, dips.beside(beside), beside.stream.source), bound


def _failures(case: Case, restarts: Restarts) -> Sign:
    """Return the sign that requests fail when workers restart, or that workers hardly live."""
    covered = float(restarts.near[case.is_inside].mean())
    if covered <= MOSTLY:
        hurt = observed.failures_in(case, restarts.near)
        text = TEXTS.failed_requests_fell(show_share(hurt), show_duration(restarts.near_s))
        return Sign(hurt >= MOSTLY, text, case.load.source("load.failed"))
    if restarts.life_s <= SHORT_LIFE_S:
        text = TEXTS.worker_lives_most(show_duration(round(restarts.life_s, 1)))
        return Sign(True, text, restarts.source)
    return Sign(None, TEXTS.workers_restarted_so(show_share(covered)), restarts.source)
