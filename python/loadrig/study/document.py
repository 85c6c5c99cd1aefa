"""Result of a study as JSON: schema loadrig.study/2. `study.result` makes it.

Every number is finite or null.
An effect is the ratio b/a; of a measure that is a share it is the difference b - a (`scale`).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from loadrig.base.documents import ABSENT, Absent, Document, Says
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Value
from loadrig.judgement.document import DiagnosisDocument, FindingDocument
from loadrig.recording.manifest_document import MachineDocument
from loadrig.stats.verdict import Direction, Scale, Word
from loadrig.study.answer import ComparedWith, Standing
from loadrig.study.capacity.document import CapacityDocument
from loadrig.study.trials import GoalRow, Verdict
from loadrig.study.tuning.document import TuningDocument
from loadrig.trial.document import FailureInTrials

Json: TypeAlias = Mapping[str, Any]
SettingValues: TypeAlias = Mapping[str, Value]
Interval: TypeAlias = tuple[float, float]


class QuestionDocument(Document, frozen=True):
    """Measure that decides."""

    by: Annotated[str, Says("its name")]
    unit: Annotated[str, Says("its unit")]
    better: Annotated[Direction, Says("`higher` or `lower`")]
    equal_within: Annotated[
        float, Says("difference that does not matter: a share of a ratio, else in the unit of the measure")
    ]
    scale: Annotated[Scale, Says("`ratio`, or `difference` of a measure that is a share")]


class NoiseDocument(Document, frozen=True):
    """Differences of the base from itself."""

    pairs: Annotated[int, Says("number of blocks in which the base ran twice")]
    sd_log: Annotated[float | None, Says("standard deviation of the logarithm of one trial, or null")]
    relative: Annotated[
        float | None, Says("the same as a share; of a measure that is a share, in its own unit; or null")
    ]
    false_alarms: Annotated[int, Says("number of pairs that would have been told apart")]
    text: Annotated[str, Says("how far noise goes, in a sentence")]


class TrialRow(Document, frozen=True):
    """Trial of a setting."""

    index: Annotated[int, Says("its number, from 1")]
    block: Annotated[int, Says("number of its block, from 0")]
    folder: Annotated[str, Says("its folder, relative to that of the run; empty where it left none")]
    validity: Annotated[Verdict, Says("`valid`, `disturbed`, `void` or `failed`")]
    reasons: Annotated[tuple[str, ...], Says("why it is not simply valid")]
    seconds: Annotated[float, Says("its wall time, start and stop of the server included")]
    values: Annotated[Mapping[str, float], Says("what it measured, by the measure's name")]
    node: Annotated[
        str | Absent, Says("name of the node that it ran on; left out where there is only one")
    ] = ABSENT

    @property
    def is_usable(self) -> bool:
        """Whether the trial's figures say something about its setting."""
        return self.validity in ("valid", "disturbed")


class SettingDocument(Document, frozen=True):
    """Setting, what its trials reached, and how it stands."""

    id: Annotated[int, Says("its number, from 0")]
    setting: Annotated[SettingValues, Says("its knobs and their values")]
    label: Annotated[str, Says("the setting on one line")]
    is_base: Annotated[bool, Says("whether it is the one that the others are compared with")]
    trials: Annotated[tuple[TrialRow, ...], Says("its trials")]
    measures: Annotated[
        Mapping[str, Estimate],
        Says("estimates over its blocks, by the name of the measure; each as in a trial's result"),
    ]
    feasible: Annotated[bool | None, Says("whether it meets every goal; null where that cannot be told")]
    goals: Annotated[
        tuple[GoalRow, ...],
        Says("every goal of the plan: `text`, whether it was `met`, `value`; null where it is not told"),
    ]
    standing: Annotated[
        Standing,
        Says("`best`, `indistinguishable`, `worse`, `infeasible`, `undecided` or `void`"),
    ]


class DecidingBlocks(Document, frozen=True):
    """Blocks that would decide what is undecided."""

    blocks: Annotated[int, Says("number of further blocks")]
    seconds: Annotated[float, Says("how long they take")]


class SettingsCompared(Document, frozen=True):
    """Comparison of two settings."""

    between: Annotated[tuple[int, int], Says("the ids of both, a and b")]
    measure: Annotated[str, Says("what was compared")]
    effect: Annotated[float | None, Says("estimate, as `scale` says; null where there is none")]
    interval: Annotated[Interval | None, Says("its interval; null where there is none")]
    confidence: Annotated[float, Says("of the interval")]
    scale: Annotated[Scale, Says("`ratio` b/a, or `difference` b - a")]
    verdict: Annotated[Word, Says("on b: `better`, `worse`, `trivial`, `equivalent` or `undecided`")]
    blocks: Annotated[int, Says("number of blocks that it rests on")]
    p: Annotated[float | None, Says("of no difference, adjusted for several comparisons; null without one")]
    to_decide: Annotated[DecidingBlocks | None, Says("what would decide; null where nobody knows")]
    note: Annotated[str, Says("what stands beside the verdict")]
    kind: Annotated[
        ComparedWith,
        Says("`aa`: the base with itself; `with_base`; `with_best`: with the best"),
    ]


class NodeDocument(Document, frozen=True):
    """Node on which trials ran."""

    name: Annotated[str, Says("its name")]
    trials: Annotated[int, Says("number of its trials that are compared")]
    blocks: Annotated[int, Says("number of blocks that ran on it, wholly or in part")]
    base: Annotated[Estimate | None, Says("what the base reached on it; null where it did not run there")]


class NodesCompared(Document, frozen=True):
    """Comparison of the base on two nodes."""

    between: Annotated[tuple[str, str], Says("the names of both nodes, a and b")]
    effect: Annotated[float, Says("estimate, in the scale of the question")]
    interval: Annotated[Interval, Says("its interval")]
    confidence: Annotated[float, Says("of the interval")]
    verdict: Annotated[Word, Says("on node b, as in a comparison of settings")]
    p: Annotated[float, Says("of no difference, adjusted for all pairs of nodes")]


class NodesDocument(Document, frozen=True):
    """Nodes of a study that ran on several."""

    nodes: Annotated[tuple[NodeDocument, ...], Says("the nodes, by name")]
    comparisons: Annotated[
        tuple[NodesCompared, ...], Says("the base on every two of them; empty where none repeated it")
    ]
    spread: Annotated[
        float | None,
        Says(
            "standard deviation between nodes of what a setting gains, of logarithms in ratios;"
            " 0 where nodes are pooled, null without common blocks"
        ),
    ]


class KnobEffectDocument(Document, frozen=True, rename={"base": "from", "value": "to"}):
    """Effect of one step of a knob, over the settings that differ in nothing else."""

    knob: Annotated[str, Says("name of the knob")]
    base: Annotated[Value, Says("its value at the base")]
    value: Annotated[Value, Says("its other value")]
    effect: Annotated[float | None, Says("as in a comparison")]
    interval: Annotated[Interval | None, Says("its interval")]
    confidence: Annotated[float, Says("of the interval")]
    verdict: Annotated[Word, Says("on the other value, as in a comparison")]
    pairs: Annotated[int, Says("number of pairs of settings that it rests on")]


class RecommendedSetting(Document, frozen=True):
    """Setting to use."""

    setting_id: Annotated[int, Says("its id")]
    setting: Annotated[SettingValues, Says("its knobs and their values")]
    why: Annotated[str, Says("why this one, in a sentence")]
    indistinguishable: Annotated[tuple[int, ...], Says("ids of settings that cannot be told from the best")]


class StudyDocument(Document, frozen=True, kw_only=True):
    """Result of a study."""

    schema: Annotated[Literal["loadrig.study/2"], Says("`loadrig.study/2`")] = "loadrig.study/2"
    headline: Annotated[
        str | Absent, Says("the answer where the server failed under load; else left out")
    ] = ABSENT
    target_failed: Annotated[
        FailureInTrials | Absent, Says("in which trials the server failed under load, and how; else left out")
    ] = ABSENT
    loadrig: Annotated[str, Says("version that wrote it")]
    name: Annotated[str, Says("name of the plan")]
    kind: Annotated[str, Says("strategy, `find` of the plan")]
    created: Annotated[str, Says("when the study was begun, ISO 8601")]
    seconds: Annotated[float, Says("duration of all trials")]
    finished: Annotated[bool, Says("whether all trials that were planned ran")]
    question: Annotated[QuestionDocument, Says("the measure that decides")]
    noise: Annotated[NoiseDocument, Says("how far noise alone goes")]
    settings: Annotated[tuple[SettingDocument, ...], Says("the settings, the base first")]
    comparisons: Annotated[tuple[SettingsCompared, ...], Says("settings against each other")]
    knob_effects: Annotated[tuple[KnobEffectDocument, ...], Says("what each step of a knob does")]
    recommended: Annotated[RecommendedSetting | None, Says("the setting to use; null where none is")]
    capacity: Annotated[
        CapacityDocument | None,
        Says("answer of a search, see [capacity](capacity.md), or null"),
    ]
    findings: Annotated[tuple[FindingDocument, ...], Says("what limits the server, as in a trial's result")]
    machine: Annotated[MachineDocument, Says("as in a trial's result")]
    validity: Annotated[
        Mapping[str, int],
        Says("number of trials that are `valid`, `disturbed`, `void`; `failed` where any"),
    ]
    warnings: Annotated[tuple[str, ...], Says("what a reader of the verdicts must know")]
    nodes: Annotated[
        NodesDocument | Absent, Says("how nodes differ, where trials ran on several; else left out")
    ] = ABSENT
    tuning: Annotated[
        TuningDocument | Absent, Says("what a tuning found, see [tuning](tuning.md); else left out")
    ] = ABSENT
    diagnosis: Annotated[
        DiagnosisDocument | Absent | None, Says("as in a trial's result; null without one")
    ] = ABSENT
    soak: Annotated[
        Json | Absent | None,
        Says("answer of a soak, see [soak and spike](soak.md); null where no trial can be believed"),
    ] = ABSENT
    soaks: Annotated[
        tuple[Json, ...] | Absent,
        Says("answers of the soaks of several settings, each as `soak`; else left out"),
    ] = ABSENT
    spike: Annotated[Json | Absent | None, Says("answer of a spike, as of a soak")] = ABSENT

    @property
    def base(self) -> SettingDocument | None:
        """The setting that the others are compared with."""
        return next((setting for setting in self.settings if setting.is_base), None)

    def setting(self, number: int | Absent) -> SettingDocument:
        """Return the setting of an id."""
        return next(setting for setting in self.settings if setting.id == number)

    @property
    def usable(self) -> int:
        """Number of trials that count: neither void nor failed."""
        return sum(self.validity.get(verdict, 0) for verdict in ("valid", "disturbed"))
