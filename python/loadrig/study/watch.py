"""Who watches while a study runs."""

from typing import Protocol

from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec


class StudyWatcher(Protocol):
    """Told how a study goes; a live display is one, silence another.

    What happens inside a trial is told to the trial's own watcher.
    """

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        """total: trials planned; done: of these, from the ledger. left_s: expected for the rest."""

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        """What runs now. done: trials that are over; left_s: expected for this one and the rest."""

    def trial_ends(self, trial: DoneTrial) -> None:
        """A trial is over and kept."""

    def note(self, text: str) -> None:
        """Something a person should know; the study goes on."""


class StudySilence:
    """A watcher that says nothing."""

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        """Nothing."""

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        """Nothing."""

    def trial_ends(self, trial: DoneTrial) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
