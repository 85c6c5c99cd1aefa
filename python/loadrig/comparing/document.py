"""A comparison and a history as JSON: schemas loadrig.comparison/2 and loadrig.history/1.

Every number is finite or null. A share is 0…1, times are seconds, an interval is of 95 %. An effect is the
ratio b/a, of a measure that is a share the difference b - a (`scale`).
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.setting import Value
from loadrig.recording.manifest_document import MachineDocument

Word = Literal["better", "worse", "equal", "undecided"]
"""Verdict of a whole comparison, of a history, and of one measure over time."""

Judged = Literal["better", "worse", "trivial", "equivalent", "undecided"]
Area = Literal["setting", "plan", "server", "tier", "machine", "rig"]
How = Literal["paired", "history", "apart", "repeats", "counts", "within"]
Turns = Literal["blocks", "turns", "apart"]
Kind = Literal["response", "service"]
Better = Literal["higher", "lower"]
Scale = Literal["ratio", "difference"]


class Difference(Document, frozen=True):
    """One fact that was not the same on both sides."""

    area: Annotated[Area, Says("`setting`, `plan`, `server`, `tier`, `machine` or `rig`")]
    name: Annotated[str, Says("what was not the same: a knob, a key of the plan, a fact")]
    a: Annotated[str, Says("its value on side A; empty where A does not have it")]
    b: Annotated[str, Says("its value on side B; empty where B does not have it")]
    touches_load: Annotated[
        bool, Says("it may explain a difference of what was measured; false: only how trials are judged")
    ] = True


class Cost(Document, frozen=True):
    """Runs that would decide what is undecided."""

    pairs: Annotated[int, Says("runs of both sides in turns; more of them, where there are some")]
    seconds: Annotated[float, Says("how long these runs take")]


class SideDocument(Document, frozen=True):
    """A side of a comparison."""

    name: Annotated[str, Says("as it was typed")]
    plan: Annotated[str, Says("name of the plan")]
    setting: Annotated[Mapping[str, Value], Says("knobs and their values")]
    label: Annotated[str, Says("the setting on one line")]
    created: Annotated[str | None, Says("when it was run; null where that is not known")]
    loadrig: Annotated[str | None, Says("version of loadrig that ran it; null where that is not known")]
    runs: Annotated[tuple[str, ...], Says("folders")]
    blocks: Annotated[int, Says("number of units of inference")]
    trials: Annotated[
        Mapping[str, int], Says("number of `valid`, `disturbed`, `void` and `failed` trials, where any")
    ]
    seconds: Annotated[float, Says("duration of all trials")]
    machine: Annotated[MachineDocument, Says("as in a trial's result")]

    @property
    def usable(self) -> int:
        """Number of trials that count: neither void nor failed."""
        return sum(self.trials.get(verdict, 0) for verdict in ("valid", "disturbed"))


class PairsDocument(Document, frozen=True):
    """Trials of both sides that ran side by side."""

    how: Annotated[Turns, Says("`blocks` of one study, `turns`, or `apart`")]
    pairs: Annotated[int, Says("number of pairs; 0 where they ran apart")]


class Reached(Document, frozen=True):
    """Value of a measure on one side."""

    value: Annotated[float | None, Says("estimate")]
    low: Annotated[float | None, Says("lower end of its interval; null where there is none")]
    high: Annotated[float | None, Says("upper end of its interval; null where there is none")]
    unit: Annotated[str, Says("unit of all three; `1` of a share")]
    n: Annotated[int, Says("number of observations")]
    of: Annotated[str, Says("what was observed: `requests`, `seconds`, `blocks`, …")]


class ComparedDocument(Document, frozen=True):
    """One measure of one route, B as against A."""

    measure: Annotated[str, Says("what was compared, `capacity` among them")]
    route: Annotated[str | None, Says("null: all routes of the service together")]
    standardised: Annotated[bool, Says("both sides are told at the same mix of routes")]
    decides: Annotated[bool, Says("the verdict of the whole depends on it")]
    unit: Annotated[str, Says("unit of the measure; `1` of a share")]
    better: Annotated[Better, Says("`higher` or `lower`")]
    equal_within: Annotated[float, Says("difference that does not matter, on the measure's `scale`")]
    scale: Annotated[Scale, Says("`ratio` or `difference`")]
    a: Annotated[Reached, Says("what side A reached")]
    b: Annotated[Reached, Says("what side B reached")]
    effect: Annotated[float | None, Says("b/a, of a share b - a; null where there is none")]
    interval: Annotated[tuple[float, float] | None, Says("of the effect; null where it is not known")]
    confidence: Annotated[float, Says("of the interval, 0 to 1")]
    verdict: Annotated[Judged, Says("`better`, `worse`, `trivial`, `equivalent` or `undecided`")]
    differs: Annotated[bool, Says("no difference at all is excluded")]
    p: Annotated[float | None, Says("two-sided, adjusted for all that was judged together")]
    blocks: Annotated[int, Says("number of pairs, or of blocks of the side with fewer")]
    how: Annotated[
        How | None,
        Says("`paired`, `history`, `apart`, `repeats`, `counts` or `within`; null without an effect"),
    ]
    to_decide: Annotated[Cost | None, Says("what would decide this comparison, as that of the whole")]
    note: Annotated[str, Says("how the verdict came about")]

    @property
    def is_ratio(self) -> bool:
        """Whether the effect is b/a."""
        return self.scale == "ratio"


class RouteShare(Document, frozen=True):
    """Share of all requests that a route had on each side."""

    route: Annotated[str, Says("name of the route")]
    a: Annotated[float, Says("share of A's requests, 0 to 1")]
    b: Annotated[float, Says("share of B's requests, 0 to 1")]


class MixDocument(Document, frozen=True):
    """Shares of the routes on both sides."""

    differs: Annotated[bool, Says("by more than chance and a point would do")]
    shares: Annotated[tuple[RouteShare, ...], Says("of each route on both sides")]


class ShiftPoint(Document, frozen=True):
    """Change of one quantile of the times."""

    quantile: Annotated[float, Says("0 to 1: 0.95 is p95")]
    a: Annotated[float, Says("the quantile of side A, in seconds")]
    b: Annotated[float, Says("the quantile of side B, in seconds")]
    effect: Annotated[float, Says("b/a")]
    interval: Annotated[tuple[float, float], Says("of the effect, of this quantile by itself")]


class ShiftDocument(Document, frozen=True):
    """A shift function: how each quantile of the good answers' times moved."""

    route: Annotated[str | None, Says("null: all routes of the service together")]
    kind: Annotated[Kind, Says("of times: `response`, or `service` where another tool made a load")]
    within_runs_only: Annotated[
        bool, Says("a run each, so that the intervals do not know how one run differs from the next")
    ]
    points: Annotated[tuple[ShiftPoint, ...], Says("a quantile each")]


class ComparisonDocument(Document, frozen=True, kw_only=True):
    """A comparison of two sides."""

    schema: Annotated[Literal["loadrig.comparison/2"], Says("`loadrig.comparison/2`")] = (
        "loadrig.comparison/2"
    )
    loadrig: Annotated[str, Says("version of loadrig that compared")]
    verdict: Annotated[Word, Says("of B as against A: `better`, `worse`, `equal` or `undecided`")]
    a: Annotated[SideDocument, Says("what is compared with")]
    b: Annotated[SideDocument, Says("what is compared")]
    pairing: Annotated[PairsDocument, Says("which trials ran side by side")]
    compared: Annotated[
        tuple[ComparedDocument, ...], Says("one measure of one route each, what decides first")
    ]
    to_decide: Annotated[
        Cost | None, Says("what would decide; null: it is decided, or no reasonable number of runs would")
    ]
    mix: Annotated[MixDocument, Says("shares of the routes")]
    shift: Annotated[tuple[ShiftDocument, ...], Says("how each quantile of the times moved, by route")]
    differences: Annotated[tuple[Difference, ...], Says("what was not the same")]
    warnings: Annotated[tuple[str, ...], Says("what weakens the comparison, in sentences")]


# --- history ------------------------------------------------------------------------------------


class RunDocument(Document, frozen=True):
    """A run of a history."""

    name: Annotated[str, Says("name of the folder")]
    folder: Annotated[str, Says("path of the folder")]
    created: Annotated[str | None, Says("when it was run; null where that is not known")]
    loadrig: Annotated[str | None, Says("version of loadrig that ran it; null where that is not known")]
    trials: Annotated[int, Says("number of usable trials")]
    machine: Annotated[MachineDocument, Says("as in a trial's result")]


class StepDocument(Document, frozen=True):
    """A change of a measure's level."""

    run: Annotated[int, Says("number of the first run of the new level, from 0")]
    before: Annotated[float, Says("level before, in the measure's unit")]
    after: Annotated[float, Says("level since, in the measure's unit")]
    effect: Annotated[float, Says("after/before, of a share after - before")]
    interval: Annotated[tuple[float | None, float | None], Says("of the effect")]
    p: Annotated[float, Says("of no change, two-sided")]
    verdict: Annotated[Literal["better", "worse", "trivial"], Says("`better`, `worse` or `trivial`")]
    machine_changed: Annotated[str | None, Says("by what the machine differs since; null: it is the same")]
    differences: Annotated[
        tuple[Difference, ...], Says("what was not the same in this run and the one before")
    ]


class CourseDocument(Document, frozen=True):
    """One measure over the runs."""

    measure: Annotated[str, Says("name of the measure")]
    decides: Annotated[bool, Says("the verdict of the whole depends on it")]
    unit: Annotated[str, Says("unit of the measure; `1` of a share")]
    better: Annotated[Better, Says("`higher` or `lower`")]
    equal_within: Annotated[float, Says("difference that does not matter, on the measure's `scale`")]
    scale: Annotated[Scale, Says("`ratio` or `difference`")]
    verdict: Annotated[Word, Says("of the newest runs: `better`, `worse`, `equal` or `undecided`")]
    values: Annotated[tuple[float | None, ...], Says("a value for each run; null where it has none")]
    changes: Annotated[tuple[StepDocument, ...], Says("in order of time")]

    @property
    def is_ratio(self) -> bool:
        """Whether an effect is after/before."""
        return self.scale == "ratio"

    @property
    def measured(self) -> list[float]:
        """Values of the runs that have one."""
        return [value for value in self.values if value is not None]


class HistoryDocument(Document, frozen=True, kw_only=True):
    """The runs of one plan in order of time."""

    schema: Annotated[Literal["loadrig.history/1"], Says("`loadrig.history/1`")] = "loadrig.history/1"
    loadrig: Annotated[str, Says("version of loadrig that looked at the runs")]
    verdict: Annotated[Word, Says("of the newest runs: `better`, `worse`, `equal` or `undecided`")]
    plan: Annotated[str, Says("name of the plan")]
    newest: Annotated[int, Says("number of runs within which a change is news")]
    runs: Annotated[tuple[RunDocument, ...], Says("in order of time")]
    courses: Annotated[tuple[CourseDocument, ...], Says("one measure each")]
    left_out: Annotated[Mapping[str, int], Says("number of runs that are no part of it, by reason")]
