"""Check G18: whether each generator of a fleet did its part, by the name of the one that did not.

The checks on the load as a whole see one generator of many only where it is bad enough to show in the sum, so
each is held to the same limits by itself. What each has of its own by design, the logins of users that it
shares with others, is a note.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from loadrig.base.rig_limits import BUSY, DELAYED, USED_UP, Limits, graded, lag_limits
from loadrig.base.units import show_duration, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.fleet import TrialCheckFleetTexts
from loadrig.recording.fleet_document import FleetGenerator
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import Reason, Remark, above

TEXTS = texts_of(TrialCheckFleetTexts)

US_PER_S = 1e6

START_LATE_S = 500e-6
"""Time in seconds by which one may start after the others: the lateness that disturbs gravely in G2. Below it
nobody is later than its first requests are anyway."""

Figure = Callable[[FleetGenerator], float]


def g18_fleet(run: ValidityEvidence) -> Iterator[Remark]:
    """Check every generator of a fleet by itself; of those with the same fault the worst one is named."""
    yield from _logins(run)
    generators = run.fleet
    if not generators:
        return
    for each in generators:
        if each.taken_over_after_s is not None:
            began, until = f"{each.lost_after_s or 0.0:.1f}", f"{each.taken_over_after_s:.1f}"
            missed, unanswered = f"{each.missed:,}", f"{each.unanswered:,}"
            text = TEXTS.taken_over(_name_of(each), began, until, each.lost, missed, unanswered)
            yield Reason("G18", "disturbed", text, TEXTS.mend_lost)
        elif each.lost:
            text = TEXTS.lost(_name_of(each), f"{each.lost_after_s or 0.0:.1f}", each.lost)
            yield Reason("G18", "disturbed", text, TEXTS.mend_lost)
    late_s = [each.start_late_us / US_PER_S for each in generators]
    if max(late_s) > START_LATE_S:
        name, others = _worst(generators, late_s, START_LATE_S)
        text = TEXTS.late_start(name, show_duration(max(late_s)), show_duration(START_LATE_S)) + others
        yield Reason("G18", "disturbed", text, TEXTS.mend_start)
    if run.order_s is not None and run.order_s > run.frame_s:
        text = TEXTS.late_order(show_duration(run.order_s), show_duration(run.frame_s))
        yield Reason("G18", "disturbed", text, TEXTS.mend_start)
    p99_s = run.response.quantile_ns(0.99) / 1e9 if run.response.count else 0.0
    for figure, limits, words, show in (
        (_lag_s, lag_limits(p99_s), TEXTS.late, show_duration),
        (attrgetter("busiest_thread_share"), BUSY, TEXTS.busy, show_share),
        (attrgetter("run_delay_share"), DELAYED, TEXTS.starved, show_share),
    ):
        yield from _by_limits(generators, figure, limits, words, show)
    yield from _shortages(generators)


def _logins(run: ValidityEvidence) -> Iterator[Reason]:
    """Note users of an open load that log in several times.

    A user lives in each thread to which its requests are dealt, and threads share no tokens (decision 0054).
    """
    users, threads = run.shared_users, run.threads
    logins = math.lcm(users, threads)
    if logins > users:
        multiple = math.ceil(users / threads) * threads
        text = TEXTS.several_logins(f"{users:,}", f"{logins // users:,}", f"{threads:,}")
        yield Reason("G18", "note", text, TEXTS.mend_logins(f"{multiple:,}"))


def _by_limits(
    generators: Sequence[FleetGenerator],
    figure: Figure,
    limits: Limits,
    words: Callable[[str, str, str], str],
    show: Callable[[float], str],
) -> Iterator[Reason]:
    figures = [figure(each) for each in generators]
    if level := graded(max(figures), *limits):
        name, others = _worst(generators, figures, limits[0])
        text = words(name, show(max(figures)), above(level, *limits, show)) + others
        yield Reason("G18", level, text, TEXTS.mend_slow)


def _shortages(generators: Sequence[FleetGenerator]) -> Iterator[Reason]:
    lacking = [float(each.no_ports + each.no_descriptors) for each in generators]
    if any(lacking):
        name, others = _worst(generators, lacking, 0.0)
        text = TEXTS.out_of(name, f"{max(lacking):,.0f}") + others
        yield Reason("G18", "grave", text, TEXTS.mend_short)
        return
    shares = [each.ports_share for each in generators]
    if max(shares) > USED_UP:
        name, others = _worst(generators, shares, USED_UP)
        text = TEXTS.short_of_ports(name, show_share(max(shares)), show_share(USED_UP)) + others
        yield Reason("G18", "disturbed", text, TEXTS.mend_short)


def _lag_s(generator: FleetGenerator) -> float:
    return generator.lag_us.p99 / US_PER_S if generator.lag_us else 0.0


def _name_of(generator: FleetGenerator) -> str:
    return f"{generator.name} ({generator.host})"


def _worst(generators: Sequence[FleetGenerator], figures: Sequence[float], limit: float) -> tuple[str, str]:
    """Return who has the largest figure, and a clause on how many others have one above the limit."""
    place = max(range(len(figures)), key=figures.__getitem__)
    more = sum(figure > limit for figure in figures) - 1
    return _name_of(generators[place]), TEXTS.others(more) if more > 0 else ""
