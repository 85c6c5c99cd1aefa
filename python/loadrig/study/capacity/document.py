"""Answer of a search as JSON: `capacity` in a study's result. `capacity.result` makes it."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from loadrig.base.documents import ABSENT, Absent, Document, Says
from loadrig.stats.knee import Knee
from loadrig.stats.usl import Usl
from loadrig.study.capacity.answer import Confirmed, NearestLevel, Unit, Why
from loadrig.study.capacity.beyond import Beyond
from loadrig.study.capacity.probe import GoalAtLevel, Kind, Verdict

Interval: TypeAlias = tuple[float, float]


class SaturationDocument(Document, frozen=True):
    """Most good answers that the server gives, whatever is asked."""

    value: Annotated[float, Says("estimate")]
    interval: Annotated[Interval, Says("its 95 % interval")]
    unit: Annotated[str, Says("`1/s`")]


class OfferedLevel(Document, frozen=True):
    """Level of load that was offered, and what was seen of it."""

    kind: Annotated[
        Kind,
        Says(
            "why it was offered: `ramp`, `saturation`, `search`, `confirm_below`, `confirm_above`, `overload`"
            " or `recovery`"
        ),
    ]
    level: Annotated[float, Says("in `unit`")]
    at_s: Annotated[float, Says("begin, in seconds since the search began")]
    settled_s: Annotated[float, Says("seconds until it had settled, before it was measured")]
    seconds: Annotated[float, Says("seconds that it was measured")]
    throughput: Annotated[float, Says("good answers a second")]
    response_s: Annotated[
        float | None, Says("mean time in flight by Little's law, in seconds; null where nothing ended")
    ]
    in_flight: Annotated[float, Says("mean number of requests in flight")]
    failed: Annotated[int, Says("number of requests that failed")]
    ended: Annotated[int, Says("number of requests that ended, well or not")]
    verdict: Annotated[
        Verdict, Says("`meets` or `fails` the goals; `open` where the time was up before it was sure")
    ]
    leans: Annotated[Verdict, Says("the side to which it leans where it is `open`, else the verdict")]
    sure: Annotated[float, Says("probability of that side, 0 to 1")]
    diverged: Annotated[bool, Says("whether more requests came than went")]
    why: Annotated[str, Says("what decided that a goal is missed; empty where none is")]
    goals: Annotated[tuple[GoalAtLevel, ...], Says("what the level says of each goal")]
    from_s: Annotated[
        float | None,
        Says("begin of what was measured, in seconds since the load began, or null"),
    ]
    to_s: Annotated[float | None, Says("end of what was measured, or null")]
    response: Annotated[
        Mapping[str, float],
        Says("response times of the good answers in seconds, by quantile: `p50`, `p95`, `p99`"),
    ]


class CapacityDocument(Document, frozen=True, kw_only=True):
    """Answer of a search for the highest load that meets the goals."""

    setting_id: Annotated[int | Absent, Says("setting of the study; only in its result")] = ABSENT
    trial: Annotated[int | Absent, Says("trial of the study; only in its result")] = ABSENT
    rps: Annotated[
        float | Absent | None,
        Says("the capacity in requests or sessions a second; null where none is known; left out of users"),
    ] = ABSENT
    users: Annotated[
        float | Absent | None, Says("the capacity in users; null where none is known; left out of rates")
    ] = ABSENT
    interval: Annotated[Interval | None, Says("95 % interval of the capacity; null where none is known")]
    unit: Annotated[Unit, Says("unit of all levels: `1/s` or `users`")]
    why_ended: Annotated[
        Why,
        Says(
            "`sure`: the interval is as narrow as was asked; `budget`: the time was up first;"
            " `generator_limited`; `no_level_meets`; `all_levels_meet`"
        ),
    ]
    at_least: Annotated[float | None, Says("highest level that surely met every goal; null: none did")]
    at_most: Annotated[float | None, Says("lowest level above it that surely missed a goal; null: none did")]
    binding: Annotated[str, Says("goal that limits the load; empty where that is not known")]
    confirmed: Annotated[Confirmed, Says("longer looks right below the capacity, and right above it")]
    saturation: Annotated[
        SaturationDocument | None, Says("most good answers a second; null where it was not measured")
    ]
    knee: Annotated[Knee | None, Says("the knee; null where the levels show none")]
    usl: Annotated[
        Usl | None, Says("universal scalability law; null of a load that is open, or of too few levels")
    ]
    beyond: Annotated[Beyond | None, Says("overload and recovery; null where there was no overload")]
    nearest: Annotated[
        NearestLevel | None, Says("level that misses the goals least; null unless no level meets them")
    ]
    needed: Annotated[
        float | None, Says("level that the generator would have to offer; null where it was not the limit")
    ]
    seconds: Annotated[float, Says("length of the search")]
    probes: Annotated[tuple[OfferedLevel, ...], Says("every level that was offered, in order")]
    warnings: Annotated[tuple[str, ...], Says("sentences for a person")]

    @property
    def value(self) -> float | None:
        """The capacity, in `unit`; None where none is known."""
        return next((value for value in (self.rps, self.users) if isinstance(value, float)), None)
