"""Question of a study and its answer: plain data, made by the judge alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from loadrig.base.setting import Knob, Setting
from loadrig.plan.model import Goal, PlannedKnob
from loadrig.study.yardstick import Yardstick

if TYPE_CHECKING:  # with scipy they take a second to import, and a question needs neither
    from loadrig.study.document import (
        KnobEffectDocument,
        NodesDocument,
        NoiseDocument,
        RecommendedSetting,
        SettingDocument,
        SettingsCompared,
    )

Standing = Literal["best", "indistinguishable", "worse", "infeasible", "void", "undecided"]
ComparedWith = Literal["with_base", "with_best", "aa"]


@dataclass(frozen=True, slots=True)
class Question:
    """Question of a study. settings: the base first. knobs: what varies; catalogue: their costs."""

    settings: tuple[Setting, ...]
    by: Yardstick
    goals: tuple[Goal, ...] = ()
    knobs: tuple[PlannedKnob, ...] = ()
    catalogue: Mapping[str, Knob] = field(default_factory=dict)
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class StudyJudgement:
    """Answer of a study, as far as its trials go. nodes: None of a study on one node."""

    noise: "NoiseDocument"
    settings: "tuple[SettingDocument, ...]"
    comparisons: "tuple[SettingsCompared, ...]"
    knob_effects: "tuple[KnobEffectDocument, ...]"
    recommended: "RecommendedSetting | None"
    warnings: tuple[str, ...]
    nodes: "NodesDocument | None" = None
