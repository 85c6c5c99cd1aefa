"""Watchers of a study while it runs."""

from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec, Watcher


class StudyWatcher(Watcher):
    """Watcher of a study that is told how it goes, and of its trials where it is given to them, too."""

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
