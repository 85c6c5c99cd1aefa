"""The task of one trial, and the watchers while it runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base.component import Component
from loadrig.base.estimate import Estimate
from loadrig.base.running import RunningTarget
from loadrig.base.series import Event, Sample
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.recording.frame import Frame
from loadrig.recording.orders import TakenOrder

if TYPE_CHECKING:
    from loadrig.account.trial_account import ComponentAccount
    from loadrig.recording.reader import Recording

MEASURING = "measuring"
"""Name of the phase of a trial after its warm-up and before its drain."""


def _nothing(why: str) -> None:
    del why


@dataclass(frozen=True, slots=True)
class Stage:
    """Place of an experiment: a server under load that is watched.

    components: returns the components that are known now. event: keeps something that happened. cpus: cores
    of the generator. start_ns: when the load began. level: gives the load another level, users or arrivals a
    second, and returns the instant from which on it has it. renew: lets it go on over new connections; takes
    the reason. phase: returns the trial's phase now.
    """

    target: RunningTarget
    components: Callable[[], tuple[Component, ...]]
    event: Callable[[Event], None]
    cpus: tuple[int, ...]
    start_ns: int
    level: Callable[[float], int]
    renew: Callable[[str], None] = _nothing
    phase: Callable[[], str] = lambda: MEASURING


class Experiment:
    """Changes something while a trial's load runs, and measures what moves. A member overrides what it does.

    frame_s: how long the generator's frames are to be, in seconds; None: as without an experiment.
    level_most: the highest level that it will give the load; None where it gives none. _stage: place of the
    experiment, once the load has begun. _why: reason for which the load may end now, or "".
    """

    frame_s: float | None = None
    level_most: float | None = None
    _stage: Stage
    _why = ""

    def begin(self, stage: Stage) -> None:
        """Begin the experiment: the load has begun."""
        self._stage = stage

    def see(self, frame: Frame) -> None:
        """Take one frame of the generator, right after its end."""

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Take samples of one component. Runs in the thread that took the samples."""

    def why_over(self) -> str:
        """Return why the load may end now; "" as long as it goes on."""
        return self._why

    def measured(self) -> tuple[int, int] | None:
        """Return from when to when the trial's figures are taken, on the rig's clock.

        None: as in any other trial.

        Called when the load is over.
        """
        return None

    def limit(self) -> tuple[int, int] | None:
        """Return from when to when the server was at its limit, on the rig's clock; None: not brought there.

        Called when the load is over.
        """
        return None

    def estimates(self) -> Mapping[str, Estimate]:
        """Return figures that the experiment alone knows, to stand beside the trial's measures.

        Called when the load is over.
        """
        return {}

    def recall(self, recording: "Recording") -> None:
        """Work out the figures again from the trial that this experiment left.

        It is called on a fresh experiment.
        """

    def close(self) -> None:
        """Change everything back. Called once, before the load ends, whatever happened."""


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """Task of one trial: one setting, one run.

    index: counts the trials of a run folder from 1. block: of the study's design, from 0.
    repeat: how often this setting was run before in the same block (the base setting runs twice).
    seed: of everything random in this trial. experiment: made in it, if any.
    node: name of the node that it runs on; empty where a study has only one. plan_path: path of the plan
    where the study was begun, if its files are elsewhere on the node.
    """

    plan: Plan
    setting: Setting
    seed: int
    index: int = 1
    block: int = 0
    repeat: int = 0
    is_base: bool = False
    experiment: Experiment | None = None
    node: str = ""
    plan_path: str = ""


class Watcher:
    """Receiver of what happens during a trial. This one shows nothing; a live display derives from it."""

    def phase(self, name: str, expected_s: float) -> None:
        """Take a new phase: "starting", "warm_up", "measuring", "draining", "stopping".

        Of a target that runs already the first and the last are "reaching" and "leaving".
        """

    def frame(self, frame: Frame) -> None:
        """Take one frame of the generator, as it came."""

    def note(self, text: str) -> None:
        """Take a note that a person should know; the run goes on."""

    @property
    def shows_account(self) -> bool:
        """Whether anybody looks at where the time of a request goes: making the account costs a little."""
        return False

    def account(self, account: "ComponentAccount") -> None:
        """Take the account of the loaded server in the last seconds."""

    @property
    def is_alone(self) -> bool:
        """Whether the trial is the only one of its run, so that a person's orders may change its load."""
        return False

    def orders(self) -> Sequence[TakenOrder]:
        """Return the orders that a person gave since the last call."""
        return ()

    def answer(self, order_id: str, outcome: Literal["done", "refused"], text: str) -> None:
        """Take what came of an order."""

    def end_early(self) -> None:
        """Take that no further trial shall be run."""
