"""Answers of a soak and a spike as JSON: schemas loadrig.soak/1 and loadrig.spike/1.

Every number is finite or null, every interval is of 95 %. The modules beside this one make the verdicts;
`soaking.result` and `soaking.spike_result` add what charts show; a study's result has them under `soak` and
`spike`.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from loadrig.base.documents import ABSENT, Absent, Document, Says

Word = Literal["sound", "leaks", "lapses", "drifts", "dips", "unsure"]
"""Verdict on a soak: the gravest of what was seen; unsure where it cannot be told how something grows."""

SpikeWord = Literal["unharmed", "recovered", "recovering", "metastable", "unknown"]
"""Verdict on a spike. unharmed: no measure left its band. recovered: all are back in it. recovering: they
were on their way back when the watching ended. metastable: the server keeps itself down. unknown: too few
steps before the spike, or too little time after it."""

Numbers = tuple[float | None, ...]


class Bounds(Document, frozen=True):
    """An estimate with its interval."""

    value: Annotated[float | None, Says("estimate")]
    low: Annotated[float | None, Says("lower end of its interval; null where there is none")]
    high: Annotated[float | None, Says("upper end of its interval; null where there is none")]


class Counted(Bounds, frozen=True):
    """An estimate with its interval and the number of values behind it."""

    n: Annotated[int, Says("number of values that it rests on")]


# --- soak ---------------------------------------------------------------------------------------


class LimitDocument(Document, frozen=True):
    """Limit of a level."""

    amount: Annotated[float | None, Says("in the level's unit")]
    text: Annotated[str, Says("which limit it is")]


class GrowthDocument(Document, frozen=True, kw_only=True):
    """Growth of one level of a component."""

    component: Annotated[str, Says("name of the component")]
    kind: Annotated[str, Says("kind of the level: `memory` and others")]
    what: Annotated[str, Says("the level in words")]
    unit: Annotated[str, Says("`B` of sizes; empty of counts")]
    verdict: Annotated[
        Literal["leaks", "fills", "made", "little", "level", "unsure"],
        Says("`leaks`, `fills` something, was `made` in few rises, `little`, `level` or `unsure`"),
    ]
    text: Annotated[str, Says("the growth in a sentence")]
    a_request: Annotated[Counted | None, Says("growth with every request; null with too few readings")] = None
    an_hour: Annotated[Counted | None, Says("growth with an hour at this load; null as above")] = None
    follows: Annotated[
        str | None, Says("`requests` or `time`; null where the load varied too little to tell")
    ] = None
    level: Annotated[float | None, Says("level at the end")]
    grown: Annotated[float | None, Says("growth in the run; with `lives`, in a whole life")]
    lives: Annotated[int, Says("number of lives of processes that were laid on each other; 0: none ended")]
    workers: Annotated[float, Says("number of processes at a time")]
    processes: Annotated[
        Mapping[str, Counted | None], Says("growth with every request of each process that lasted")
    ]
    limit: Annotated[LimitDocument | None, Says("limit of the level; null where none is known")] = None
    reached_in_s: Annotated[
        Bounds | None, Says("seconds until the limit is reached at this load; null where nothing grows")
    ] = None
    t_s: Annotated[tuple[float, ...], Says("instants of `levels`")]
    levels: Annotated[tuple[float, ...], Says("the level over time, for a chart")]

    @property
    def is_leak(self) -> bool:
        """Whether the level grows without end."""
        return self.verdict == "leaks"


class DriftDocument(Document, frozen=True):
    """Change of one course through the soak."""

    route: Annotated[str | None, Says("null: all routes together")]
    measure: Annotated[str, Says("`latency` (median), `tail` (p95) or `throughput`")]
    verdict: Annotated[Literal["steady", "step", "slope"], Says("`steady`, a `step` or a `slope`")]
    text: Annotated[str, Says("the change in a sentence")]
    before: Annotated[float, Says("value at the begin")]
    after: Annotated[float, Says("value at the end")]
    ratio: Annotated[float, Says("after/before")]
    low: Annotated[float | None, Says("lower end of the interval of `ratio`")]
    high: Annotated[float | None, Says("upper end of the interval of `ratio`")]
    p: Annotated[float, Says("of no change, adjusted for the number of courses")]
    at_s: Annotated[float | None, Says("when the step was; null of a slope")]


class ShiftedMix(Document, frozen=True):
    """Mix of the load in the last third against the first."""

    text: Annotated[str, Says("the change in a sentence")]
    shift: Annotated[float, Says("share of the load that changed its route, 0 to 1")]
    change_s: Annotated[float, Says("change of the mean time of all requests")]
    of_mix_s: Annotated[float, Says("part of this change by the mix")]
    of_routes_s: Annotated[float, Says("part of this change by the routes themselves")]
    shares: Annotated[Mapping[str, tuple[float, float]], Says("share of each route, first and last")]


class MissDocument(Document, frozen=True):
    """Stretches on end that missed a goal."""

    from_s: Annotated[float, Says("begin of the first stretch")]
    to_s: Annotated[float, Says("end of the last stretch")]
    worst: Annotated[float | None, Says("value of the worst stretch")]
    at_s: Annotated[float, Says("when the worst stretch was")]


class GoalOverStretches(Document, frozen=True):
    """A goal over stretches of the soak."""

    text: Annotated[str, Says("the goal as written")]
    met: Annotated[bool | None, Says("kept in all stretches; null where none could be judged")]
    over_s: Annotated[float, Says("length of a stretch")]
    stretches: Annotated[int, Says("number of stretches that could be judged")]
    missed: Annotated[int, Says("number of those that missed the goal")]
    unknown: Annotated[int, Says("number of stretches in which nothing was measured")]
    share: Annotated[float | None, Says("share of stretches that kept the goal, 0 to 1")]
    worst: Annotated[float | None, Says("value of the worst stretch")]
    longest_s: Annotated[float, Says("length of the longest miss; 0 where there is none")]
    misses: Annotated[tuple[MissDocument, ...], Says("in order of time")]

    @property
    def longest(self) -> MissDocument | None:
        """Longest miss; None where there is none."""
        return max(self.misses, key=lambda miss: miss.to_s - miss.from_s, default=None)


class ThroughputDocument(Document, frozen=True):
    """Throughput in requests a second, in columns for a chart."""

    t_s: Annotated[tuple[float, ...], Says("middle of each column")]
    mean: Annotated[Numbers, Says("good answers")]
    low: Annotated[Numbers, Says("good answers in the column's least second")]
    high: Annotated[Numbers, Says("good answers in the column's greatest second")]
    offered: Annotated[Numbers, Says("requests that were asked for")]
    failed: Annotated[Numbers, Says("requests that failed")]


class SoakCourse(Document, frozen=True):
    """Latency over time, for a chart."""

    route: Annotated[str | None, Says("null: all routes together")]
    measure: Annotated[str, Says("`latency` (median) or `tail` (p95)")]
    t_s: Annotated[tuple[float, ...], Says("instants of `values`")]
    values: Annotated[Numbers, Says("in seconds; null where nothing was answered")]


class DipDocument(Document, frozen=True):
    """A dip of throughput."""

    from_s: Annotated[float, Says("its first second")]
    to_s: Annotated[float, Says("its last second")]
    depth: Annotated[float, Says("share by which throughput fell, 0 to 1")]


class LookDocument(Document, frozen=True):
    """A look at the soak while it ran."""

    at_s: Annotated[float, Says("when it was")]
    text: Annotated[str, Says("what was seen, and whether the soak went on")]


class SoakSummary(Document, frozen=True, kw_only=True):
    """Answer of a soak in words. This is all there is where nothing was measured."""

    setting_id: Annotated[int | Absent, Says("setting of the study; only in its result")] = ABSENT
    trial: Annotated[int | Absent, Says("trial of the study; only in its result")] = ABSENT
    schema: Annotated[Literal["loadrig.soak/1"], Says("`loadrig.soak/1`")] = "loadrig.soak/1"
    verdict: Annotated[
        Word, Says("the gravest of `leaks`, `lapses`, `dips`, `drifts` and `unsure`, else `sound`")
    ]
    headline: Annotated[str, Says("the verdict in a sentence")]
    sentences: Annotated[tuple[str, ...], Says("the answer in words, the gravest first")]


class SoakVerdict(SoakSummary, frozen=True, kw_only=True):
    """Answer of a soak without what charts show."""

    seconds: Annotated[float, Says("length of what was measured")]
    requests: Annotated[float, Says("number of requests in it")]
    ended: Annotated[str, Says("why the soak was over")] = ""
    growth: Annotated[tuple[GrowthDocument, ...], Says("levels that could grow, those that leak first")]
    drift: Annotated[tuple[DriftDocument, ...], Says("courses of latency and throughput")]
    mix: Annotated[ShiftedMix | None, Says("change of the mix; null where nothing was counted")]
    dips: Annotated[tuple[str, ...], Says("sentences on dips of throughput; empty where there are none")]
    goals: Annotated[tuple[GoalOverStretches, ...], Says("goals over stretches")]

    @property
    def drifted(self) -> tuple[DriftDocument, ...]:
        """Courses that are not the same at the end."""
        return tuple(course for course in self.drift if course.verdict != "steady")


class SoakDocument(SoakVerdict, frozen=True, kw_only=True):
    """Answer of a soak. Times are seconds since the begin of what was measured."""

    throughput: Annotated[ThroughputDocument, Says("throughput over time")]
    courses: Annotated[tuple[SoakCourse, ...], Says("latency over time: all routes, and those that drifted")]
    dips_at: Annotated[tuple[DipDocument, ...], Says("each dip of throughput")]
    looks: Annotated[tuple[LookDocument, ...], Says("looks at the soak while it ran")]


# --- spike --------------------------------------------------------------------------------------


class RecoveryDocument(Document, frozen=True):
    """Way back of one measure."""

    level: Annotated[float, Says("level before the spike")]
    band: Annotated[float, Says("half of the band about it that counts as usual")]
    peak: Annotated[float | None, Says("value furthest from the usual level; null: no answer")]
    harmed: Annotated[bool, Says("it left its band")]
    back_s: Annotated[
        float | None, Says("seconds from the end of the spike until it was back; null: it was not")
    ]
    low_s: Annotated[float | None, Says("least number of these seconds")]
    high_s: Annotated[float | None, Says("greatest number of these seconds")]
    falling: Annotated[bool, Says("it was on its way back at the end")]


class SpikeCourse(Document, frozen=True):
    """The run in steps, for a chart."""

    t_s: Annotated[tuple[float, ...], Says("end of each step")]
    offered: Annotated[Numbers, Says("requests a second that were asked for")]
    ok: Annotated[Numbers, Says("good answers a second")]
    failed: Annotated[Numbers, Says("failures a second")]
    in_flight: Annotated[Numbers, Says("requests in flight at the end of the step")]
    latency_s: Annotated[Numbers, Says("p90 of the good answers; null where there were none")]


class SpikeSummary(Document, frozen=True, kw_only=True):
    """Answer of a spike in words."""

    setting_id: Annotated[int | Absent, Says("setting of the study; only in its result")] = ABSENT
    trial: Annotated[int | Absent, Says("trial of the study; only in its result")] = ABSENT
    schema: Annotated[Literal["loadrig.spike/1"], Says("`loadrig.spike/1`")] = "loadrig.spike/1"
    verdict: Annotated[SpikeWord, Says("`unharmed`, `recovered`, `recovering`, `metastable` or `unknown`")]
    text: Annotated[str, Says("the answer in words")]


class UnfinishedSpike(SpikeSummary, frozen=True, kw_only=True):
    """Answer of a spike that was not carried out to its end."""

    usual_level: None = None
    level: None = None


class SpikeVerdict(SpikeSummary, frozen=True, kw_only=True):
    """Answer of a spike without what charts show."""

    from_s: Annotated[float, Says("begin of the spike")]
    to_s: Annotated[float, Says("end of the spike")]
    times: Annotated[float, Says("its load over the usual load; 0 where that is not known")]
    usual_rate: Annotated[float, Says("requests a second that were asked for before the spike")]
    rate: Annotated[float, Says("requests a second that were asked for in the spike")]
    piled_up_a_second: Annotated[
        Bounds | None, Says("growth of the requests in flight a second; null where it cannot be told")
    ]
    most_in_flight: Annotated[float, Says("greatest number of requests in flight")]
    errors: Annotated[Counted, Says("share that failed from its begin to the recovery, 0 to 1")]
    usual_errors: Annotated[Counted, Says("share that failed before the spike, 0 to 1")]
    lost: Annotated[float, Says("number of requests that failed by it")]
    back_s: Annotated[
        Bounds, Says("seconds from its end until everything was back in its band; null where it was not")
    ]
    measures: Annotated[
        Mapping[str, RecoveryDocument], Says("way back of `latency`, `in flight` and `failures`")
    ]
    watched_s: Annotated[float, Says("seconds watched after the spike")]


class SpikeDocument(SpikeVerdict, frozen=True, kw_only=True):
    """Answer of a spike. Times are seconds since the begin of the load."""

    usual_level: Annotated[float, Says("usual load, in the unit of the plan's load")]
    level: Annotated[float, Says("load in the spike, in the same unit")]
    model: Annotated[str, Says("model of the load")] = ""
    course: Annotated[SpikeCourse, Says("the run in steps")]
