"""Answer of a tuning as JSON: `tuning` in a study's result. `tuning.result` makes it."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from loadrig.base.documents import Document, Says
from loadrig.base.setting import Value
from loadrig.stats.verdict import Word
from loadrig.study.tuning.answer import NearestSetting, PathStep, StageName, Why

Interval: TypeAlias = tuple[float, float]
SettingValues: TypeAlias = Mapping[str, Value]


class ConfirmedRival(Document, frozen=True):
    """Setting that the recommended one was compared with in the confirming blocks."""

    setting: Annotated[SettingValues, Says("its knobs and their values")]
    effect: Annotated[
        float | None,
        Says(
            "ratio of the recommended setting to it; of shares the difference of square roots; null with too"
            " few blocks"
        ),
    ]
    interval: Annotated[Interval | None, Says("95 % interval of the effect; null with too few blocks")]
    verdict: Annotated[
        Word, Says("`better`, `worse`, `trivial`, `equivalent` or `undecided`: the recommended one")
    ]
    blocks: Annotated[int, Says("number of blocks that hold both; 0 with too few")]
    p: Annotated[float | None, Says("of no difference; null with too few blocks")]


class InertKnob(Document, frozen=True):
    """Knob that was shown to change nothing that matters."""

    knob: Annotated[str, Says("its name")]
    between: Annotated[tuple[Value, Value], Says("the two values that were compared")]
    effect: Annotated[float, Says("ratio of the second to the first; of shares the difference")]
    interval: Annotated[Interval, Says("ends of its interval, the worse end first")]
    confidence: Annotated[float, Says("of the interval: 0.9")]


class SearchedKnob(Document, frozen=True):
    """Knob of the settings that a tuning chooses among."""

    name: Annotated[str, Says("its name")]
    values: Annotated[tuple[Value, ...], Says("its values, as planned")]
    is_ordered: Annotated[bool, Says("whether its values have an order")]


class SearchedSpace(Document, frozen=True):
    """Settings that a tuning chooses among."""

    settings: Annotated[int, Says("how many there are")]
    knobs: Annotated[tuple[SearchedKnob, ...], Says("the knobs")]


class StageDocument(Document, frozen=True):
    """Stage of a tuning."""

    name: Annotated[StageName, Says("`screen`, `doubt`, `search`, `race`, `final race` or `confirm`")]
    trials: Annotated[int, Says("number of its trials")]
    seconds: Annotated[int, Says("seconds of wall time in all")]
    measured_s: Annotated[float, Says("seconds measured in each trial")]


class MapAxis(Document, frozen=True):
    """Axis of a map."""

    knob: Annotated[str, Says("name of the knob")]
    values: Annotated[tuple[Value, ...], Says("its values in order")]


class MapCell(Document, frozen=True):
    """Pair of values on a map, and what is believed of it."""

    x: Annotated[Value, Says("value of the first knob")]
    y: Annotated[Value, Says("value of the second knob")]
    value: Annotated[float | None, Says("objective that is believed; null where nothing is known")]
    low: Annotated[float | None, Says("lower end of the 95 % interval of that belief, or null")]
    high: Annotated[float | None, Says("upper end of the 95 % interval of that belief, or null")]
    feasible: Annotated[float, Says("probability that the goals are met, 0 to 1")]
    trials: Annotated[int, Says("number of trials of the pair")]
    may_be_best: Annotated[bool, Says("whether it cannot be told from the best")]
    is_best: Annotated[bool, Says("whether it is the best by belief")]


class KnobMap(Document, frozen=True):
    """Two knobs and what is believed of every pair of their values."""

    x: Annotated[MapAxis, Says("the first knob")]
    y: Annotated[MapAxis, Says("the second knob")]
    fixed: Annotated[SettingValues, Says("values of the other knobs")]
    cells: Annotated[tuple[MapCell, ...], Says("the pairs that apply")]


class TuningDocument(Document, frozen=True):
    """Answer of a tuning. A knob that does not apply in a setting is absent from it."""

    why: Annotated[
        Why, Says("`confirmed`, `going on` (stopped early), `no setting meets the goals` or `nothing works`")
    ]
    reason: Annotated[str, Says("why the recommended setting and no other finalist")]
    setting: Annotated[SettingValues | None, Says("the recommended setting, or null")]
    default: Annotated[SettingValues, Says("the base")]
    against_default: Annotated[
        ConfirmedRival | None, Says("the recommended setting against the base; null where it is the base")
    ]
    against_runner_up: Annotated[
        ConfirmedRival | None, Says("the recommended setting against the next finalist; null without one")
    ]
    inert: Annotated[tuple[InertKnob, ...], Says("knobs that were shown to change nothing that matters")]
    has_interactions: Annotated[bool, Says("whether knobs did together what none does alone")]
    second: Annotated[str | None, Says("the second objective; null without one")]
    front: Annotated[
        tuple[SettingValues, ...],
        Says("settings that no other beats in both objectives, the best in the first objective first"),
    ]
    nearest: Annotated[
        NearestSetting | None, Says("the setting that comes nearest to the goals where none meets them")
    ]
    unstable: Annotated[
        tuple[SettingValues, ...],
        Says("finalists of which one deployment was far worse than the others"),
    ]
    space: Annotated[SearchedSpace, Says("the settings that there are")]
    stages: Annotated[tuple[StageDocument, ...], Says("the stages that ran")]
    path: Annotated[tuple[PathStep, ...], Says("every trial in order")]
    map: Annotated[KnobMap | None, Says("two knobs and their pairs; null for fewer than two knobs")]
    seconds: Annotated[float, Says("duration of all trials")]
    text: Annotated[str, Says("`why` in a sentence")]
