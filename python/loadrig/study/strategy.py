"""Protocols of strategies: what a study asks of each, and what some can say beside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.judgement.soak.document import SoakSummary, SpikeSummary
    from loadrig.recording.reader import Recording
    from loadrig.study.capacity.document import CapacityDocument
    from loadrig.study.document import StudyDocument


class Strategy(Protocol):
    """Choice of the trials that a study runs. A member's `strategy(plan, options)` returns one.

    A strategy holds no state but the trials that it was told: given the ledger's trials in order, it goes on
    where the study stopped.
    """

    @property
    def by(self) -> Yardstick | None:
        """Return what decides where the strategy has a measure of its own; None: what the plan says."""

    @property
    def settings(self) -> Sequence[Setting]:
        """Return every setting that the strategy may ask for; the base is the first."""

    @property
    def total(self) -> int:
        """Return how many trials it will have asked for at the end, repeats of void ones left out."""

    def ask(self) -> list[TrialSpec]:
        """Return the trials to run next, in order; empty when the strategy has all it wants."""

    def tell(self, trial: DoneTrial) -> None:
        """Take a trial that is over."""


@runtime_checkable
class Answering(Protocol):
    """Strategy whose trials have an answer of their own: what a search, a soak or a spike came to.

    name: the key it has in a study's result. plan: of each trial, which is as long as the strategy says.
    """

    name: str
    plan: Plan

    def answer(self, recording: "Recording") -> "CapacityDocument | SoakSummary | SpikeSummary":
        """Return what a trial says, from its recording."""


@runtime_checkable
class AnsweringEach(Answering, Protocol):
    """Strategy that asks each of several settings the same, and compares none. each: key of the answers."""

    each: str


@runtime_checkable
class InBlocks(Protocol):
    """Strategy whose blocks may run side by side, each on a node of its own."""

    def ahead(self, running: Sequence[TrialSpec]) -> Mapping[int, list[TrialSpec]]:
        """Return the trials ahead of every block that may run now, by block and in the order of blocks.

        running: trials that run at present. Empty where all is done, or what comes next depends on them.
        """


@runtime_checkable
class OwnTrials(Protocol):
    """Strategy whose trials are not as long as the plan says, or in which more is done than to measure."""

    @property
    def trial_in_words(self) -> str:
        """Return a trial in words, to follow "One trial: ": what is done in it, and for how long."""


@runtime_checkable
class Tuner(Protocol):
    """Strategy that chooses by itself which settings to try, and says which is best.

    window_s: of load measured in its longest trials, which decide. seconds: of all its trials at the most.
    """

    window_s: float

    @property
    def tried(self) -> Sequence[Setting]:
        """Return the base, and the settings that were tried so far."""

    @property
    def seconds(self) -> float:
        """Return the seconds of load measured, if the search does not end early."""

    def with_figures(self, trial: DoneTrial) -> DoneTrial:
        """Return a trial with figures that no measure reads and that are judged by."""

    def laid_over(self, document: "StudyDocument") -> "StudyDocument":
        """Return a study's result with what was found, and its own recommendation."""


def window_s(plan: Plan, strategy: Strategy) -> float:
    """Return the seconds of load that a study's longest trials measure: those decide."""
    return strategy.window_s if isinstance(strategy, Tuner) else float(plan.trial.measure.at_most)
