"""Dips of throughput: when, how deep, how regular, what the load did then, and what else happened then.

The load itself comes first, then everything that happened to a tier. This module calls nothing a cause:
causes ask it, and weigh the answer.
Source: issue 5 and methods of event-triggered analysis; the parts of a change as in Kitagawa 1955,
J. Am. Stat. Assoc. 50, 1168-1194.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.streams import Stream, streams
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsDipsTexts
from loadrig.recording.steps import Bools, Floats
from loadrig.stats.coincidence import Coincidence, coincidence, discovery_rates, is_near, unique_shares
from loadrig.stats.dips import Dip, Falls, bursts, falls, running_median
from loadrig.stats.periods import Period, period

TEXTS = texts_of(JudgementHarmsDipsTexts)

TIMERS = (
    (5.0, TEXTS.keep_alive_time),
    (15.0, TEXTS.prometheus_usual_scrape),
    (30.0, TEXTS.many_health_checks),
    (60.0, TEXTS.cron_minute_how),
    (75.0, TEXTS.nginx_keep_alive),
    (300.0, TEXTS.postgresql_usual_checkpoint),
)
"""Periods in seconds that are a program's default, and whose: worth a look where no stream fits the dips."""

NEAR_TIMER = 0.03
"""Share by which a period may differ from that of a known timer, 0 to 1: steps blur it by as much."""

FEWEST_STEPS_FOR_DIPS = 20
"""Steps below which no usual level can be told from a dip."""

FEWEST_REGULAR, FEWEST, FEWEST_DEEP = 4, 5, 3
"""Fewest dips that count as a harm: with a period, without one, and where dips are too deep for noise."""

LEAST_LOST, LEAST_LOST_IRREGULAR = 0.01, 0.03
"""Share of the throughput that is lost in dips, 0 to 1, with a period and without one. Below it dips are no
harm. Without a period the share must be larger, as a busy machine makes single slow seconds too."""

DEEP = 0.4
"""Depth of a dip as a share of the level, 0 to 1. A busy machine does not make such dips three times a
minute."""

LONG_DIP_S = 3.0
"""Length of a dip in seconds, from which on it may begin before its cause is seen: the end of a worker is
noticed a second later, and dips are known to half a second."""

MET_SHARE = 0.6
"""Share of a period's cycles that must show a dip, and share of dips that must have their event, 0 to 1."""

IN_EACH = 0.9
"""Share of dips that have a burst, and of bursts that have a dip, 0 to 1. From it on their order does not
matter."""

LEAST_CONCURRENCY_FALL = 0.8
"""Requests in flight in dips over requests in flight between dips. Below it the load asked for less, above it
the server was slow."""

AT_EACH = 0.25
"""Spread of the spaces between bursts over their median. Above it bursts are not regular."""

ENDS = frozenset({"worker_died", "process_died", "oom_kill", "restarted"})
"""Events with which a server forgets its sessions: logins after such an event are its consequence."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Stream laid beside the dips.

    q: p-value, corrected for the number of streams. unique: share of the losses that only this stream
    explains. bound: share of the lost time that the component stood still, at most; None where the stream is
    no time.
    """

    stream: Stream
    coincidence: Coincidence
    q: float
    unique: float = 0.0
    bound: float | None = None

    @property
    def is_close(self) -> bool:
        """Whether most dips have their burst, most bursts their dip, and the loss does not come first."""
        overlap = self.coincidence
        is_often = overlap.recall >= MET_SHARE and overlap.precision >= MOSTLY
        return is_often and overlap.effect > 0 and -1 <= overlap.lag <= 2

    @property
    def is_in_each(self) -> bool:
        """Whether each dip has its burst and each burst its dip, whichever came first.

        What makes long dips is often noticed when they are under way.
        """
        return self.coincidence.recall >= IN_EACH and self.coincidence.precision >= IN_EACH

    @property
    def rank(self) -> float:
        """Score of how well the stream accounts for the dips, 0…2; higher is better."""
        possible = 1.0 if self.bound is None else min(1.0, self.bound / 0.5)
        score = self.coincidence.score + min(1.0, self.unique / 0.3)
        return score * possible * (1.0 if self.is_close else 0.3)


@dataclass(frozen=True, eq=False)
class Dips:
    """Dips of a case. falls: in the measured part, one value for each step of `step_s` seconds.

    period_s: None where the dips are not regular. lost_share: share of the throughput that was lost, 0 to 1;
    lost_s: how long the server would have had to stand still to lose as much.
    """

    case: Case
    falls: Falls
    step_s: float
    period: Period | None
    lost_share: float
    lost_s: float

    @property
    def dips(self) -> tuple[Dip, ...]:
        """Dips in steps of the measured part."""
        return self.falls.dips

    @property
    def period_s(self) -> float | None:
        """Length of the period, in seconds; None where the dips are not regular."""
        return None if self.period is None else self.period.steps * self.step_s

    @property
    def timer(self) -> str:
        """Program or timer that has the period as its default; empty where none is known."""
        length_s = self.period_s or 0.0
        return next((owner for s, owner in TIMERS if abs(length_s / s - 1) <= NEAR_TIMER), "")

    @property
    def depth(self) -> float:
        """Median of the dips' depths, a share of the level."""
        return float(np.median([dip.depth for dip in self.dips])) if self.dips else 0.0

    @property
    def are_long(self) -> bool:
        """Whether dips last longer than it takes until their cause is noticed: they may begin before that."""
        return float(np.median([dip.steps for dip in self.dips])) * self.step_s >= LONG_DIP_S

    @property
    def is_regular(self) -> bool:
        """Whether most cycles of a period have their dip."""
        return self.period is not None and len(self.dips) >= MET_SHARE * self.period.cycles

    @property
    def is_harm(self) -> bool:
        """Whether the dips are often and deep enough to be a harm."""
        if self.is_regular:
            return len(self.dips) >= FEWEST_REGULAR and self.lost_share >= LEAST_LOST
        fewest = FEWEST_DEEP if self.depth >= DEEP else FEWEST
        return len(self.dips) >= fewest and self.lost_share >= LEAST_LOST_IRREGULAR

    @cached_property
    def is_low(self) -> Bools:
        """Whether each step of the measured part lies in a dip: bool[n]."""
        low: Bools = np.zeros(self.falls.level.size, dtype=np.bool_)
        for dip in self.dips:
            low[dip.first : dip.last + 1] = True
        return low

    @cached_property
    def is_around(self) -> Bools:
        """Whether each step lies in a dip or just before one, when the cause of the dip acted: bool[n]."""
        around: Bools = self.is_low.copy()
        around[:-1] |= self.is_low[1:]
        return around

    @property
    def lasted(self) -> str:
        """Number and period of the dips in words: "7 times in 84 s, every 12 s"."""
        often = TEXTS.times_in(str(len(self.dips)), show_duration(self.case.measured_s))
        return often if self.period_s is None else TEXTS.every(often, show_duration(round(self.period_s, 1)))

    def in_dips(self, values: Floats) -> tuple[float, float]:
        """Return the means of a value of each step in the dips, and between them."""
        inside = values[self.case.is_inside]
        return float(inside[self.is_low].mean()), float(inside[~self.is_low].mean())

    def change(self, values: Floats) -> float:
        """Return the mean of a value of each step in the dips, less its mean between them."""
        low, usual = self.in_dips(values)
        return low - usual

    @property
    def in_flight_ratio(self) -> float:
        """Requests in flight in the dips over those between them."""
        low, usual = self.in_dips(self.case.load.in_flight)
        return low / usual if usual > 0 else 1.0

    @cached_property
    def aligned(self) -> tuple[Aligned, ...]:
        """Streams that stand out at some time, laid beside the dips; the best account of the dips first."""
        inside = self.case.is_inside
        losses = -self.falls.residual
        # A route that falls with the rest is the dip, and not what comes with it.
        beside = [
            (stream, overlap)
            for stream in streams(self.case)
            if not (stream.kind == "route" and self.change(stream.amounts) <= 0)
            and (overlap := coincidence(losses, stream.amounts[inside], self.dips)) is not None
        ]
        rates = discovery_rates([overlap.p for _, overlap in beside])
        rows = [
            Aligned(stream, overlap, q, bound=self._bound(stream))
            for (stream, overlap), q in zip(beside, rates, strict=True)
        ]
        rows.sort(key=lambda row: not row.is_close)
        close = [row for row in rows if row.is_close]
        shares = unique_shares(losses, [row.stream.amounts[inside] for row in close])
        rows[: len(close)] = [replace(row, unique=share) for row, share in zip(close, shares, strict=True)]
        return tuple(sorted(rows, key=lambda row: -row.rank))

    def beside(self, kind: str, component: str | None = None) -> Aligned | None:
        """Return the best stream of a kind, of one component where it is named; None where there is none."""
        of_kind = (aligned for aligned in self.aligned if aligned.stream.kind == kind)
        return next((row for row in of_kind if component in (None, row.stream.component)), None)

    @property
    def best(self) -> Aligned | None:
        """Stream that accounts for the dips best; None where no stream is close to them."""
        return next((aligned for aligned in self.aligned if aligned.is_close), None)

    def stood_still(self, stream: Stream) -> float:
        """Return the seconds of a stream in or just before the dips."""
        return float(stream.amounts[self.case.is_inside][self.is_around].sum())

    def met_share(self, aligned: Aligned) -> float:
        """Return the share of the loss that fell in dips with a burst of the stream, 0 to 1."""
        stream_bursts = bursts(aligned.stream.amounts[self.case.is_inside])
        met = sum(dip.missing for dip in self.dips if any(is_near(dip, burst) for burst in stream_bursts))
        return float(met / max(sum(dip.missing for dip in self.dips), 1e-300))

    def _bound(self, stream: Stream) -> float | None:
        """Return the share of the loss that the stream's time explains at most; None without a time."""
        if not stream.is_time or self.lost_s <= 0:
            return None
        cores = self.case.cores if stream.kind == "steal" else 1
        return min(1.0, self.stood_still(stream) / cores / self.lost_s)


@once_a_case
def of(case: Case) -> Dips | None:
    """Return the dips of a case; None where the measured part is too short, or nothing was answered."""
    inside = case.is_inside
    values = served(case)[inside]
    if values.size < FEWEST_STEPS_FOR_DIPS or values.sum() <= 0:
        return None
    seconds = case.seconds[inside]
    # The noise of counting. Where users wait for their answers the noise is a little less.
    own = np.sqrt(np.maximum(running_median(values), 0.0) / seconds)
    # Noise has long tails, but not at even intervals: falls at even intervals may be shallower to count.
    fallen = falls(values, own, alone=1.0)
    repeats = _period(fallen)
    if repeats is None:
        fallen = falls(values, own)
        repeats = _period(fallen)
    missing = np.array([dip.missing for dip in fallen.dips])
    level = float(np.median(fallen.level))
    step_s = float(np.median(seconds))
    return Dips(
        case=case,
        falls=fallen,
        step_s=step_s,
        period=repeats,
        lost_share=float(missing.sum() / fallen.level.sum()) if level > 0 else 0.0,
        lost_s=float(missing.sum() / level * step_s) if level > 0 else 0.0,
    )


def harm(case: Case) -> str | None:
    """Return the harm "dips" as a sentence; None where there is no such harm."""
    dips = of(case)
    if dips is None or not dips.is_harm:
        return None
    return TEXTS.throughput_dipped_lost(dips.lasted, show_share(dips.depth), show_share(dips.lost_share))


def _period(fallen: Falls) -> Period | None:
    if len(fallen.dips) < FEWEST_REGULAR:
        return None
    low = np.zeros(fallen.level.size)
    for dip in fallen.dips:
        low[dip.first : dip.last + 1] = -fallen.residual[dip.first : dip.last + 1]
    return period(low)


def served(case: Case) -> Floats:
    """Return good answers a second in each step; of an open load corrected for changes of what was due.

    A step in which less was due than around it is no dip of the server.
    """
    load = case.load
    if not load.is_open:
        return load.ok
    usual = running_median(load.offered)
    answered_rps: Floats = np.maximum(0.0, load.ok - (load.offered - usual))
    return answered_rps


def beside(aligned: Aligned) -> str:
    """Return how a stream stands to the dips, as a clause with its figures."""
    overlap = aligned.coincidence
    return TEXTS.dips_had_within(
        show_share(overlap.recall),
        aligned.stream.text,
        show_share(overlap.precision),
        show_number(max(aligned.q, 0.001)),
    )


def bursts_of(dipped: Dips, aligned: Aligned) -> Iterator[Evidence]:
    """Yield evidence of a stream's bursts: how much more of it is in the dips, and how regularly."""
    stream, amounts = aligned.stream, aligned.stream.amounts[dipped.case.is_inside]
    excess = show_number(float(amounts[dipped.is_around].mean() - np.median(amounts)))
    fewer = show_number(-dipped.change(dipped.case.load.ok))
    yield Evidence(TEXTS.dips_s_more(excess, stream.text, fewer), stream.source)
    if aligned.unique > 0:
        text = TEXTS.alone_explain_variance(stream.text, show_share(aligned.unique))
        yield Evidence(text, FormulaSource(TEXTS.regression_all_streams))
    spaces_s = np.diff([first for first, _ in bursts(amounts)]) * dipped.step_s
    if spaces_s.size >= 2 and np.std(spaces_s) <= AT_EACH * np.median(spaces_s):
        every = show_duration(round(float(np.median(spaces_s)), 1))
        yield Evidence(TEXTS.come_every(stream.text, every), stream.source)


def rivals_of(dipped: Dips, best: Aligned) -> Iterator[Evidence]:
    """Yield evidence against a stream of the load: another one, not of the load, is close to the dips too."""
    rival = next((row for row in dipped.aligned if row.is_close and not row.stream.is_load), None)
    if rival is None:
        return
    if rival.stream.kind in ENDS:
        yield Evidence(TEXTS.server_starts_anew(beside(rival)), rival.stream.source, STRONG + CLEAR)
    elif rival.rank > best.rank:
        yield Evidence(beside(rival), rival.stream.source, STRONG)
    elif rival.bound is None or rival.bound >= 0.5:
        yield Evidence(beside(rival), rival.stream.source, SLIGHT)
