"""What a tuning found: plain data, made by `answering` alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.setting import Setting, Value

if TYPE_CHECKING:  # with scipy they take a second to import
    from loadrig.stats.compare import Effect
    from loadrig.stats.verdict import Verdict
    from loadrig.study.tuning.screen import Inert

StageName = Literal["screen", "doubt", "search", "race", "final race", "confirm"]
Why = Literal["confirmed", "going on", "no setting meets the goals", "nothing works"]


class PathStep(Document, frozen=True):
    """Trial on the path of a tuning."""

    index: Annotated[int, Says("number of the trial, from 1")]
    block: Annotated[int, Says("number of its block, from 0")]
    stage: Annotated[StageName, Says("stage of that block")]
    setting: Annotated[Mapping[str, Value], Says("its knobs and their values")]
    value: Annotated[float | None, Says("objective in its own unit; null where the trial gave none")]
    meets: Annotated[bool | None, Says("whether it met every goal; null where that could not be told")]


class MissedGoal(Document, frozen=True):
    """Goal that a setting misses."""

    goal: Annotated[str, Says("the goal as written")]
    value: Annotated[float, Says("what was measured, on the mean of its trials")]


class NearestSetting(Document, frozen=True):
    """Setting that comes nearest to meeting the goals, where none meets them."""

    setting: Annotated[Mapping[str, Value], Says("its knobs and their values")]
    misses: Annotated[tuple[MissedGoal, ...], Says("the goals that it misses")]


@dataclass(frozen=True, slots=True)
class FinalRival:
    """Setting against another in the confirming blocks, by what is better: above 0 is better.

    effect: in logs (of shares: of square roots). None where fewer than six blocks hold both.
    """

    setting: Setting
    effect: "Effect | None"
    verdict: "Verdict | None"


@dataclass(frozen=True, slots=True)
class TuneAnswer:
    """Answer of a tuning: the best setting, and how sure that is.

    setting: None where none is recommended. against_default: the recommended against the default;
    against_runner_up: the recommended against the other finalist. inert: knobs shown to change nothing that
    matters. front: settings that no other beats in the objective and in the second one. unstable: settings
    whose redeployments differ by more than their noise lets expect. path: every trial in order.
    """

    why: Why
    setting: Setting | None
    default: Setting
    gain: float | None
    against_default: FinalRival | None
    against_runner_up: FinalRival | None
    inert: "tuple[Inert, ...]"
    has_interactions: bool
    front: tuple[Setting, ...]
    nearest: NearestSetting | None
    unstable: tuple[Setting, ...]
    path: tuple[PathStep, ...]
    reason: str
