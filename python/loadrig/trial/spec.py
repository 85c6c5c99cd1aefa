"""What one trial is asked to do, and who watches while it does it."""

from typing import Protocol

from loadrig.base.records import dataclass
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One setting, one run.

    index: counts the trials of a run folder from 1. block: of the study's design, from 0.
    repeat: how often this setting was run before in the same block (the base setting runs twice).
    seed: of everything random in this trial.
    """

    plan: Plan
    setting: Setting
    seed: int
    index: int = 1
    block: int = 0
    repeat: int = 0
    is_base: bool = False


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
