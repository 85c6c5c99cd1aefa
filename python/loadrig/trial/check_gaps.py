"""The check G7: whether requests followed each other as the plan asked, evenly or as a Poisson process.

Source: Lancet's self-checks, for Poisson arrivals.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from loadrig.base.units import show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.checks import TrialCheckGapsTexts
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TEXTS = texts_of(TrialCheckGapsTexts)

GAP_S = 0.001
"""Mean length of the runs in which gaps are judged, in seconds, at least: ten times the lateness that G2
allows. Single gaps of 0.1 ms would be judged by how the generator wakes, which is G2's business."""

GAPS_ENOUGH = 500
GAPS_MOST = 5_000
OWN_CORE = TEXTS.own_core
DUE_SDS = 6.0
"""Standard deviations of a Poisson count beyond which a number of requests is not chance."""

SHORT_SHARE = 0.01
"""Share of the requests asked for, 0 to 1, that may be missing before it is another load: the same as with
G1."""

UNEVEN = 0.25
"""Share of the asked length by which a run of even gaps may be off before it counts as uneven: a quarter of
a millisecond at the shortest, more than twice the lateness that G2 allows. Of Poisson arrivals at 10,000 a
second four runs in ten are further off."""

UNEVEN_SHARE = 0.05
"""Share of uneven runs from which on G7 says that a trial was disturbed. Lateness within G2's limits at its
99th percentile makes at most two in a hundred."""

LEAST_P = 0.01
"""Probability of such gaps by chance below which they are not those of a Poisson process."""

LIKELY_STATISTIC = 0.5
"""Statistic of Cramér-von Mises below which gaps are as likely as LEAST_P asks, without a closer look: 4 % of
the samples of a Poisson process are above it, 1 % above 0.74, and hardly fewer with 20 gaps.
Source: Csörgő & Faraway 1996, J. R. Stat. Soc. B 58, 221-234, table 1."""

LAG_FINE_NS = 1_000_000
"""Lag at its p99, in nanoseconds. Up to it the generator takes requests up in time, and does not bunch them
itself."""

P99 = 0.99
"""Quantile of lateness and of waits for a connection by which the generator is judged."""

HELD_MOST = 1_000
"""Number of connections in use at once. From it on the target does not answer; our cap is not too tight."""


def g7_gaps(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the gaps between requests follow the process that was asked for.

    Poisson arrivals are compared with the rate that became due: how many arrivals a seed has in some seconds
    is chance, and not the generator's doing, as long as it is within what chance does. Even arrivals leave
    nothing to chance.
    """
    judge = _JUDGES.get(run.spacing or "")
    if run.model != "rate" or judge is None or len(run.planned_levels) != 1:
        yield NotApplicable("G7", TEXTS.only_arrivals_constant)
        return
    planned, rate = run.planned_levels[0], run.due / run.seconds if run.seconds else 0.0
    if run.gaps_s.size < GAPS_ENOUGH or planned <= 0 or rate <= 0:
        yield NotApplicable("G7", TEXTS.gaps_sampled_needed(str(run.gaps_s.size), str(GAPS_ENOUGH)))
        return
    if abs(run.due - planned * run.seconds) > _allowed(run, planned):
        # Requests that fall due while the generator is late are taken up, and counted, later.
        short = max(0.0, 1.0 - rate / planned)
        text = TEXTS.s_taken_up(show_number(rate), show_number(planned))
        text += TEXTS.disturbs_gravely_where(show_share(SHORT_SHARE))
        yield Reason("G7", "grave" if short > SHORT_SHARE else "disturbed", text, OWN_CORE, short)
        return
    gap_ns = 1e9 / rate
    is_in_time = run.lag.quantile_ns(P99) <= max(LAG_FINE_NS, gap_ns / 2)
    if (is_in_time and run.wait.quantile_ns(P99) > gap_ns) or run.open_most >= HELD_MOST:
        text = TEXTS.requests_taken_up
        yield NotApplicable("G7", text)
        return
    # Each thread has a part of the arrivals by itself, and its gaps are sampled by themselves.
    own_rate = rate / run.threads
    joined = max(1, math.ceil(own_rate * GAP_S))
    whole = run.gaps_s[: run.gaps_s.size // joined * joined].reshape(-1, joined).sum(axis=1)
    # Parts of a fleet take the arrivals of a Poisson stream in turn, so each has every n-th of them.
    parts = max(1, len(run.fleet)) if run.spacing == "poisson" else 1
    yield from judge(
        whole[:: max(1, whole.size // GAPS_MOST)][:GAPS_MOST], joined * parts, rate, own_rate * parts
    )


def _allowed(run: ValidityEvidence, planned: float) -> float:
    """Return by how much the number of requests may differ from the rate times the measured time."""
    # Requests that the generator took up late at either end of the window fall outside of it.
    late = planned * run.lag.quantile_ns(1.0) / 1e9
    if run.spacing == "poisson":
        return DUE_SDS * math.sqrt(planned * run.seconds) + late
    return 2 * run.threads + late


def _poisson(gaps_s: "Floats", joined: int, rate: float, own_rate: float) -> Iterator[Remark]:
    """Judge gaps by the statistic of Cramér-von Mises.

    Not by Anderson-Darling: both weigh the whole distribution, and scipy gives it a p-value for a fully known
    one, which Anderson-Darling's tables stop short of at 1 %.
    """
    if _statistic(gaps_s, joined, own_rate) < LIKELY_STATISTIC:
        return
    from scipy import stats as scipy_stats  # takes 0.4 s of a core, and most gaps are likely

    # The sum of so many exponential gaps in a row is a gamma variate.
    p = float(scipy_stats.cramervonmises(gaps_s, "gamma", args=(joined, 0, 1 / own_rate)).pvalue)
    if p < LEAST_P:
        text = TEXTS.gaps_between_requests(show_number(rate), f"{p:.2g}")
        text += TEXTS.disturbs_below(f"{LEAST_P:g}")
        yield Reason("G7", "disturbed", text, OWN_CORE)


def _statistic(gaps_s: "Floats", joined: int, own_rate: float) -> float:
    """Return the Cramér-von Mises statistic of gaps that should be gamma variates, as scipy defines it."""
    import numpy as np

    from loadrig.stats import special

    expected = special.gammainc(joined, np.sort(gaps_s) * own_rate)
    empirical = (np.arange(gaps_s.size) + 0.5) / gaps_s.size
    return float(1 / (12 * gaps_s.size) + ((empirical - expected) ** 2).sum())


def _even(gaps_s: "Floats", joined: int, rate: float, own_rate: float) -> Iterator[Remark]:
    asked_s = joined / own_rate
    uneven_share = float((abs(gaps_s - asked_s) > UNEVEN * asked_s).mean())
    if uneven_share > UNEVEN_SHARE:
        text = TEXTS.gaps_between_requests_more(show_share(uneven_share))
        text += TEXTS.off_s_disturbs(show_share(UNEVEN), show_number(rate), show_share(UNEVEN_SHARE))
        yield Reason("G7", "disturbed", text, OWN_CORE)


_JUDGES: Mapping[str, Callable[["Floats", int, float, float], Iterator[Remark]]] = {
    "poisson": _poisson,
    "constant": _even,
}
