"""What one trial is asked to do, and who watches while it does it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from loadrig.base.component import Component
from loadrig.base.estimate import Estimate
from loadrig.base.running import RunningTarget
from loadrig.base.series import Event, Sample
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan

if TYPE_CHECKING:
    from loadrig.account.book import ComponentAccount
    from loadrig.recording.reader import Recording

MEASURING = "measuring"
"""The phase of a trial after its warm-up and before its drain."""


def _nothing(why: str) -> None:
    del why


@dataclass(frozen=True, slots=True)
class Stage:
    """Where an experiment takes place: a server under load that is watched.

    components: those that are known now. event: keeps something that happened. cpus: of the generator.
    start_ns: when the load began. level: gives the load another level, users or arrivals a second, and
    returns the instant from which on it has it. renew: lets it go on over new connections; takes the reason.
    phase: of the trial now.
    """

    target: RunningTarget
    components: Callable[[], tuple[Component, ...]]
    event: Callable[[Event], None]
    cpus: tuple[int, ...]
    start_ns: int
    level: Callable[[float], int]
    renew: Callable[[str], None] = _nothing
    phase: Callable[[], str] = lambda: MEASURING


class Experiment(Protocol):
    """Changes something while a trial's load runs, and measures what moves.

    frame_s: how long the generator's frames are to be, None: as without an experiment. level_most: the
    highest level that it will give the load, None where it gives none.
    """

    @property
    def frame_s(self) -> float | None:
        """Seconds of a frame, see above."""

    @property
    def level_most(self) -> float | None:
        """A level, see above."""

    def begin(self, stage: Stage) -> None:
        """The load has begun."""

    def see(self, frame: dict[str, Any]) -> None:
        """One frame of the generator, as it came, right after its end."""

    def why_over(self) -> str:
        """Why the load may end now; "" as long as it goes on."""

    def measured(self) -> tuple[int, int] | None:
        """From when to when the trial's figures are to be taken, of the rig's clock; None: as of any other.

        Asked when the load is over.
        """

    def estimates(self) -> Mapping[str, Estimate]:
        """Figures that it alone knows, to stand beside the trial's measures; asked when the load is over."""

    def close(self) -> None:
        """Change everything back. Called once, before the load ends, whatever happened."""


@runtime_checkable
class Hearing(Protocol):
    """An experiment that wants to know what the probes read while the load runs."""

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Samples of one component, in the thread of who took them."""


@runtime_checkable
class Limiting(Protocol):
    """An experiment that brings the server to its limit."""

    def limit(self) -> tuple[int, int] | None:
        """From when to when it was there, of the rig's clock; None: never. Asked when the load is over."""


@runtime_checkable
class Recalling(Protocol):
    """An experiment whose figures can be worked out from a recording as they were while it ran."""

    def recall(self, recording: "Recording") -> None:
        """Come to the same as in the trial that left this; to be called of a fresh one."""

    def estimates(self) -> Mapping[str, Estimate]:
        """As of any experiment."""


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One setting, one run.

    index: counts the trials of a run folder from 1. block: of the study's design, from 0.
    repeat: how often this setting was run before in the same block (the base setting runs twice).
    seed: of everything random in this trial. experiment: made in it, if any.
    """

    plan: Plan
    setting: Setting
    seed: int
    index: int = 1
    block: int = 0
    repeat: int = 0
    is_base: bool = False
    experiment: Experiment | None = None


class Watcher(Protocol):
    """Told what happens during a trial; a live display is one, silence another."""

    def phase(self, name: str, expected_s: float) -> None:
        """A phase begins: "starting", "warming up", "measuring", "draining", "stopping"."""

    def frame(self, frame: dict[str, object]) -> None:
        """One frame of the generator, as it came."""

    def note(self, text: str) -> None:
        """Something a person should know; the run goes on."""


@runtime_checkable
class Accounted(Protocol):
    """A watcher who may show where the time of a request went in the last seconds."""

    @property
    def shows_account(self) -> bool:
        """Whether anybody looks: to make it costs a little."""

    def account(self, found: "ComponentAccount") -> None:
        """The account of the loaded server in the last seconds."""


class Silence:
    """A watcher that says nothing."""

    def phase(self, name: str, expected_s: float) -> None:
        """Nothing."""

    def frame(self, frame: dict[str, object]) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
