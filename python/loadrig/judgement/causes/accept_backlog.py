"""Connections are turned away because the queue of those that wait to be accepted is full."""

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About, Proof
from loadrig.judgement.constants import AT_LIMIT, CPU_FULL, TRACE_SHARE
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import AcceptQueue, namespaces
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.accept_backlog import AcceptBacklogTexts

TEXTS = texts_of(AcceptBacklogTexts)

ABOUT = About("door", "size", full=("backlog",))

PROOFS = (Proof("knob", ("backlog",), is_needed=False),)
"""Experiments. The knob is not needed: a proof's even load may lack the bursts that overflow the queue."""

NOT_CONNECTED = ("connect_timeout", "connect_reset", "connect_failed")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each listener with a half-full queue, or that may have turned clients away."""
    for space in namespaces(case):
        queues, overflows = space.accept_queues, space.track("listen_overflows")
        fullest = max(queues, key=lambda queue: queue.filled_share, default=None)
        for queue in queues:
            turned = _turned_away(overflows, is_fullest=queue is fullest)
            is_suspect = queue.waiting.peak >= TRACE_SHARE * queue.backlog or turned.holds
            if queue.tier is not None and is_suspect:
                away = observed.figure(overflows, "grew") if turned.holds else 0.0
                yield _hypothesis(case, queue, queue.tier, turned, away)


def _turned_away(turned: Track | None, *, is_fullest: bool) -> Sign:
    """Return the sign that clients were turned away, by the listener with the fullest queue."""
    away = observed.figure(turned, "grew")
    text = TEXTS.another_listener_queue
    if is_fullest:
        text = TEXTS.kernel_turned_connections(show_number(away)) if away else TEXTS.nobody_turned_away
    return observed.sign(turned, is_fullest and away > 0, text, TEXTS.whether_connections_turned)


def _hypothesis(case: Case, queue: AcceptQueue, tier: Tier, turned: Sign, away: float) -> Hypothesis:
    load, waiting, full = case.load, queue.waiting, AT_LIMIT * queue.backlog
    backlog, refused = show_number(queue.backlog), show_number(away)
    holds: bool | None = waiting.peak >= full
    sentence = TEXTS.connections_waited_accepted(show_number(waiting.peak), backlog)
    if not holds and away:
        holds, sentence = None, TEXTS.whether_more_did(sentence)
    signs = [Sign(holds, sentence, waiting.source, STRONG), turned]
    if holds is None and tier is case.server and load.connected_again is not None:
        # Who was turned away came again after the kernel's own time: so it was at the loaded server.
        signs = [turned]
    late = TEXTS.used_cpu_accepts(tier.name, show_share(tier.cpu_share))
    more = observed.outcomes(case, NOT_CONNECTED, TEXTS.requests_got_no)
    if load.connected_again is not None:
        text = TEXTS.slowest_answers_took(*map(show_duration, load.connected_again))
        more = (Evidence(text, load.source("latency_ms")), *more)
    option = "gunicorn --backlog" if tier.kind == "gunicorn" else TEXTS.listen_backlog
    against = (
        *observed.evidence(waiting, full, TEXTS.queue_full_most, SLIGHT, statistic="median"),
        *observed.evidence(tier.cpu, CPU_FULL * tier.cores, late),
    )
    return Hypothesis(
        tier.name, tuple(signs),
        effect=TEXTS.effect(refused, tier.name, backlog), more=more, against=against,
        mend=TEXTS.mend(option, f"{max(1024.0, 8 * queue.backlog):.0f}"), bound=_explained(case, away),
        bound_text=TEXTS.turned_away_requests(refused, f"{load.total(load.sent):,.0f}"), detail=queue.subject,
    )  # fmt: skip


def _explained(case: Case, away: float) -> float:
    """Return the share of what is wrong that so many refusals can bring about at most."""
    load, failed = case.load, case.load.total(case.load.failed)
    if not load.finished:
        return 1.0
    of_failures = load.count(*NOT_CONNECTED, "timeout") / failed if "failing" in case.harms else 0.0
    return min(1.0, max(observed.explained(case, away / load.finished), of_failures))
