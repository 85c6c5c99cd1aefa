"""The course of a run as a watcher remembers it: the news of `RunFollower`, put together."""

from collections import deque
from dataclasses import dataclass, field

from loadrig.following.document import (
    HappeningDocument,
    OverDocument,
    RunNewsDocument,
    SecondDocument,
    TierDocument,
    TrialNewsDocument,
)

MOST_SECONDS = 600
"""Seconds of the load that are remembered: a terminal has fewer columns."""

MOST_HAPPENINGS = 50
"""Events that are remembered."""


@dataclass(slots=True)
class RunCourse:
    """Memory of a run so far. trial: the trial that the seconds belong to, and whether it is of the proof."""

    news: RunNewsDocument | None = None
    trial: tuple[int, bool] = 0, False
    seconds: deque[SecondDocument] = field(default_factory=lambda: deque(maxlen=MOST_SECONDS))
    happenings: deque[HappeningDocument] = field(default_factory=lambda: deque(maxlen=MOST_HAPPENINGS))
    over: list[OverDocument] = field(default_factory=list)
    latest: TrialNewsDocument | None = None

    def take(self, news: RunNewsDocument) -> None:
        """Add what is new; a trial that begins takes the place of the one before it."""
        self.news = news
        self.over += news.over
        trial = news.trial
        if trial is None:
            return
        if (trial.number, trial.is_of_proof) != self.trial:
            self.trial = trial.number, trial.is_of_proof
            self.seconds.clear()
            self.happenings.clear()
        self.latest = trial
        self.seconds.extend(trial.seconds)
        self.happenings.extend(trial.happenings)

    @property
    def tiers(self) -> tuple[TierDocument, ...]:
        """Components as they were told last."""
        return self.latest.tiers if self.latest is not None else ()
