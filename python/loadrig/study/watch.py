"""Watchers of a study while it runs."""

from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec


class StudyWatcher:
    """Watcher of a study that is told how it goes. This one says nothing; a live display derives from it.

    What happens inside a trial is told to the trial's own watcher.
    """

    @property
    def is_ended_early(self) -> bool:
        """Whether a person has ordered that no further trial is run."""
        return False

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        """Hear that the study begins. left_s: expected for the trials that are not done.

        total: trials planned; done: those of them that the ledger has.
        """

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        """Hear what runs now. done: trials that are over; left_s: expected for this trial and the rest."""

    def trial_ends(self, trial: DoneTrial) -> None:
        """Hear that a trial is over and kept."""

    def note(self, text: str) -> None:
        """Hear something that a person should know; the study goes on."""
