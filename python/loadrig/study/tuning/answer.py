"""What a tuning found: plain data, made by `answering` alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base.setting import Setting

if TYPE_CHECKING:  # with scipy they take a second to import
    from loadrig.stats.compare import Effect
    from loadrig.stats.verdict import Verdict
    from loadrig.study.tuning.screen import Inert

StageName = Literal["screen", "doubt", "search", "race", "final race", "confirm"]
Why = Literal["confirmed", "going on", "no setting meets the goals", "nothing works"]


@dataclass(frozen=True, slots=True)
class Step:
    """Trial on the search's path. value: of the objective in its own unit; None where it gave none.

    meets: whether it met every goal; None where that could not be told.
    """

    index: int
    block: int
    stage: StageName
    setting: Setting
    value: float | None
    meets: bool | None


@dataclass(frozen=True, slots=True)
class Rival:
    """Setting against another in the confirming blocks, by what is better: above 0 is better.

    effect: in logs (of shares: of square roots). None where fewer than six blocks hold both.
    """

    setting: Setting
    effect: "Effect | None"
    verdict: "Verdict | None"


@dataclass(frozen=True, slots=True)
class Nearest:
    """Setting that comes nearest to keeping the goals, where none does. misses: value by goal missed."""

    setting: Setting
    misses: Mapping[str, float]


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
    against_default: Rival | None
    against_runner_up: Rival | None
    inert: "tuple[Inert, ...]"
    has_interactions: bool
    front: tuple[Setting, ...]
    nearest: Nearest | None
    unstable: tuple[Setting, ...]
    path: tuple[Step, ...]
    reason: str
