"""What one trial is asked to do, and who watches while it does it."""

from collections.abc import Callable
from typing import Any, Protocol

from loadrig.base.component import Component
from loadrig.base.records import dataclass
from loadrig.base.running import RunningTarget
from loadrig.base.series import Event
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Stage:
    """Where an experiment takes place: a server under load that is watched.

    components: those that are known now. event: keeps something that happened. cpus: of the generator.
    start_ns: when the load began.
    """

    target: RunningTarget
    components: Callable[[], tuple[Component, ...]]
    event: Callable[[Event], None]
    cpus: tuple[int, ...]
    start_ns: int


class Experiment(Protocol):
    """Changes something while a trial's load runs, and measures what moves.

    frame_s: how long the generator's frames are to be.
    """

    frame_s: float

    def begin(self, stage: Stage) -> None:
        """The load has begun."""

    def see(self, frame: dict[str, Any]) -> None:
        """One frame of the generator, as it came, right after its end."""

    def why_over(self) -> str:
        """Why the load may end now; "" as long as it goes on."""

    def close(self) -> None:
        """Change everything back. Called once, before the load ends, whatever happened."""


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


class Silence:
    """A watcher that says nothing."""

    def phase(self, name: str, expected_s: float) -> None:
        """Nothing."""

    def frame(self, frame: dict[str, object]) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
