"""Dips of throughput: when, how deep, how regular, what the load did then, and what else happened then.

First the load itself is looked at, then everything that happened to a tier. Nothing is called a cause here:
causes ask, and weigh the answer.
Source: issue 5 and methods of event-triggered analysis; the parts of a change as in Kitagawa 1955,
J. Am. Stat. Assoc. 50, 1168-1194.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.findings.case import Case
from loadrig.findings.streams import Stream, streams
from loadrig.recording.steps import Bools, Floats
from loadrig.stats.coincidence import Coincidence, coincidence, discovery_rates, is_near, unique_shares
from loadrig.stats.dips import Dip, Falls, bursts, falls, running_median
from loadrig.stats.periods import Period, period

TIMERS = (
    (5.0, "the keep-alive time of Node and Apache"),
    (15.0, "Prometheus' usual scrape"),
    (30.0, "many health checks and scrapes"),
    (60.0, "cron's minute, and how long TIME_WAIT lasts"),
    (75.0, "nginx' keep-alive time"),
    (300.0, "PostgreSQL's usual checkpoint"),
)
"""Periods in seconds that are somebody's default: worth a look where nothing that was seen fits the dips."""

NEAR_TIMER = 0.03

FEWEST_STEPS = 20
FEWEST_REGULAR, FEWEST, FEWEST_DEEP = 4, 5, 3
"""Dips that are needed to speak of them: with a period, without one, and of such as nobody takes for
noise."""

LEAST_LOST, LEAST_LOST_IRREGULAR = 0.01, 0.03
"""Share of the throughput that is lost in dips: less is no harm. Without a period it must be more, as a busy
machine makes single slow seconds too."""

DEEP = 0.4
"""Of the level: a busy machine does not take so much from a server three times in a minute."""

MET_SHARE = 0.6
"""Of the cycles of a period that must show a dip, and of the dips that must have their event."""

IN_EACH = 0.9
"""Of the dips and of the bursts: as good as all, so that which of them came first need not tell."""

PRECISION = 0.5
"""Of the bursts of a stream that must have a dip: what happens all the time explains nothing of when."""

LEAST_CONCURRENCY_FALL = 0.8
"""Requests in flight in dips over those between: below it the load asked for less, above it the server was
slow."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A stream laid beside the dips.

    q: its p, corrected for the number of streams. unique: share of the losses that it alone explains. bound:
    share of the lost time that it stood still, at most; None where it is no time.
    """

    stream: Stream
    coincidence: Coincidence
    q: float
    unique: float = 0.0
    bound: float | None = None

    @property
    def is_close(self) -> bool:
        """Whether most dips have their burst, most bursts their dip, and the loss does not come first."""
        found = self.coincidence
        return (
            found.recall >= MET_SHARE
            and found.precision >= PRECISION
            and found.effect > 0
            and -1 <= found.lag <= 2
        )

    @property
    def is_in_each(self) -> bool:
        """Whether each dip has its burst and each burst its dip, whichever came first.

        What makes long dips is often noticed when they are under way.
        """
        return self.coincidence.recall >= IN_EACH and self.coincidence.precision >= IN_EACH

    @property
    def rank(self) -> float:
        """How well it accounts for the dips: 0…2, of those that are close the best first."""
        possible = 1.0 if self.bound is None else min(1.0, self.bound / 0.5)
        return (
            (self.coincidence.score + min(1.0, self.unique / 0.3))
            * possible
            * (1.0 if self.is_close else 0.3)
        )


@dataclass(frozen=True, slots=True)
class Composition:
    """How the requests of the dips differ from those between. All a second, dips less what is between.

    change: of good answers of the service; rate_part: of that because less was done in all; mix_part: because
    more of what was done was something else (logins, failures). by_route: change of each route, logins too.
    in_flight_ratio: requests in flight in dips over those between.
    """

    change: float
    rate_part: float
    mix_part: float
    by_route: Mapping[str, float]
    in_flight_ratio: float


@dataclass(frozen=True, eq=False)
class Dips:
    """The dips of a case. falls: of the measured part, one value a step, which are `step_s` long.

    period_s: None where they are not regular. lost_share: of the throughput; lost_s: how long the server
    would have had to stand still, to lose as much.
    """

    case: Case
    falls: Falls
    step_s: float
    period: Period | None
    lost_share: float
    lost_s: float
    remembered: dict[str, tuple[Aligned, ...]] = field(default_factory=dict, repr=False)

    @property
    def found(self) -> tuple[Dip, ...]:
        """Each dip, in steps of the measured part."""
        return self.falls.dips

    @property
    def period_s(self) -> float | None:
        """Length of the period."""
        return None if self.period is None else self.period.steps * self.step_s

    @property
    def timer(self) -> str:
        """Whose default the period is; empty where it is nobody's that is known."""
        length_s = self.period_s or 0.0
        return next((whose for s, whose in TIMERS if abs(length_s / s - 1) <= NEAR_TIMER), "")

    @property
    def depth(self) -> float:
        """Median of the dips' depths, a share of the level."""
        return float(np.median([dip.depth for dip in self.found])) if self.found else 0.0

    @property
    def is_regular(self) -> bool:
        """Whether most cycles of a period have their dip."""
        return self.period is not None and len(self.found) >= MET_SHARE * self.period.cycles

    @property
    def is_harm(self) -> bool:
        """Whether they are often and deep enough to be spoken of."""
        if self.is_regular:
            return len(self.found) >= FEWEST_REGULAR and self.lost_share >= LEAST_LOST
        fewest = FEWEST_DEEP if self.depth >= DEEP else FEWEST
        return len(self.found) >= fewest and self.lost_share >= LEAST_LOST_IRREGULAR

    @cached_property
    def is_low(self) -> Bools:
        """Which steps of the measured part lie in a dip."""
        low: Bools = np.zeros(self.falls.level.size, dtype=np.bool_)
        for dip in self.found:
            low[dip.first : dip.last + 1] = True
        return low

    @cached_property
    def is_around(self) -> Bools:
        """Which steps lie in a dip or just before one: when its cause acted."""
        around: Bools = self.is_low.copy()
        around[:-1] |= self.is_low[1:]
        return around

    @property
    def lasted(self) -> str:
        """How often and how regular, in words: "7 times in 84 s, every 12 s"."""
        often = f"{len(self.found)} times in {show_duration(self.case.measured_s)}"
        return often if self.period_s is None else f"{often}, every {show_duration(round(self.period_s, 1))}"

    @cached_property
    def composition(self) -> Composition:
        """What was asked for and done in the dips, against the steps between."""
        load, inside, low = self.case.load, self.case.is_inside, self.is_low

        def both(values: Floats) -> tuple[float, float]:
            part = values[inside]
            return float(part[low].mean()), float(part[~low].mean())

        good, usual_good = both(load.ok)
        done, usual_done = both(load.ok + load.failed + load.logins)
        share, usual_share = good / max(done, 1e-9), usual_good / max(usual_done, 1e-9)
        routes = {**load.routes, **load.login_routes}
        waiting, usual_waiting = both(load.in_flight)
        return Composition(
            change=good - usual_good,
            rate_part=(done - usual_done) * (share + usual_share) / 2,
            mix_part=(share - usual_share) * (done + usual_done) / 2,
            by_route={name: np.subtract(*both(values)).item() for name, values in routes.items()},
            in_flight_ratio=waiting / usual_waiting if usual_waiting > 0 else 1.0,
        )

    @property
    def aligned(self) -> tuple[Aligned, ...]:
        """Every stream that stands out at some time, laid beside the dips; the best account of them first."""
        if "aligned" not in self.remembered:
            self.remembered["aligned"] = self._align()
        return self.remembered["aligned"]

    def beside(self, kind: str, component: str | None = None) -> Aligned | None:
        """The best stream of a kind, of one component if told."""
        return next(
            (
                one
                for one in self.aligned
                if one.stream.kind == kind and component in (None, one.stream.component)
            ),
            None,
        )

    @property
    def best(self) -> Aligned | None:
        """What accounts for the dips best, if anything is close to them."""
        return next((one for one in self.aligned if one.is_close), None)

    def stood_still(self, stream: Stream) -> float:
        """Seconds of a stream in or just before the dips."""
        return float(stream.amounts[self.case.is_inside][self.is_around].sum())

    def met_share(self, one: Aligned) -> float:
        """Share of what was lost that was lost in dips which have a burst of a stream."""
        found = bursts(one.stream.amounts[self.case.is_inside])
        met = sum(dip.missing for dip in self.found if any(is_near(dip, burst) for burst in found))
        return float(met / max(sum(dip.missing for dip in self.found), 1e-300))

    def _align(self) -> tuple[Aligned, ...]:
        inside = self.case.is_inside
        losses = -self.falls.residual
        pairs = []
        for stream in streams(self.case):
            amounts = stream.amounts[inside]
            if stream.kind == "route" and self.composition.by_route.get(stream.subject, 0.0) <= 0:
                continue  # a route that falls with the rest is the dip, not what comes with it
            found = coincidence(losses, amounts, self.found)
            if found is not None:
                pairs.append((stream, found))
        rates = discovery_rates([found.p for _, found in pairs])
        rows = [
            Aligned(stream, found, q, bound=self._bound(stream))
            for (stream, found), q in zip(pairs, rates, strict=True)
        ]
        close = [one for one in rows if one.is_close]
        shares = unique_shares(losses, [one.stream.amounts[inside] for one in close])
        rows = [
            Aligned(one.stream, one.coincidence, one.q, share, one.bound)
            for one, share in zip(close, shares, strict=True)
        ] + [one for one in rows if not one.is_close]
        return tuple(sorted(rows, key=lambda one: -one.rank))

    def _bound(self, stream: Stream) -> float | None:
        """What share of the loss its time could make, if nothing at all was done in that time."""
        if not stream.is_time or self.lost_s <= 0:
            return None
        cores = self.case.cores if stream.kind == "steal" else 1
        return min(1.0, self.stood_still(stream) / cores / self.lost_s)


def of(case: Case) -> Dips | None:
    """The dips of a case; None where the measured part is too short to have any, or nothing was answered."""
    if "dips" not in case.remembered:
        case.remembered["dips"] = _found(case)
    kept = case.remembered["dips"]
    assert kept is None or isinstance(kept, Dips)
    return kept


def harm(case: Case) -> str | None:
    """The harm "dips" as a sentence; None where there is none."""
    found = of(case)
    if found is None or not found.is_harm:
        return None
    return (
        f"throughput dipped {found.lasted}, by {show_share(found.depth)}:"
        f" {show_share(found.lost_share)} of it was lost"
    )


def _found(case: Case) -> Dips | None:
    inside = case.is_inside
    values = served(case)[inside]
    if values.size < FEWEST_STEPS or values.sum() <= 0:
        return None
    seconds = case.seconds[inside]
    # The noise of counting; where users wait for their answers it is less, but not much less.
    own = np.sqrt(np.maximum(running_median(values), 0.0) / seconds)
    # Noise has long tails, but none that come in step: where falls do, each of them needs less to be one.
    found = falls(values, own, alone=1.0)
    repeats = _period(found)
    if repeats is None:
        found = falls(values, own)
        repeats = _period(found)
    missing = np.array([dip.missing for dip in found.dips])
    level = float(np.median(found.level))
    step_s = float(np.median(seconds))
    return Dips(
        case=case,
        falls=found,
        step_s=step_s,
        period=repeats,
        lost_share=float(missing.sum() / found.level.sum()) if level > 0 else 0.0,
        lost_s=float(missing.sum() / level * step_s) if level > 0 else 0.0,
    )


def _period(found: Falls) -> Period | None:
    if len(found.dips) < FEWEST_REGULAR:
        return None
    low = np.zeros(found.level.size)
    for dip in found.dips:
        low[dip.first : dip.last + 1] = -found.residual[dip.first : dip.last + 1]
    return period(low)


def served(case: Case) -> Floats:
    """Good answers a second; of an open load less what lacks (or is too much) because of what was due.

    A step in which less was due than around it is no dip of the server.
    """
    load = case.load
    if not load.is_open:
        return load.ok
    usual = running_median(load.offered)
    found: Floats = np.maximum(0.0, load.ok - (load.offered - usual))
    return found


def told(one: Aligned) -> str:
    """How a stream stands to the dips, as a clause with its figures."""
    found = one.coincidence
    return (
        f"{show_share(found.recall)} of the dips had {one.stream.text} within a second or two, and"
        f" {show_share(found.precision)} of those had a dip (p {show_number(max(one.q, 0.001))})"
    )
