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
    """Memory of a run so far. trial: the number of the trial that the seconds belong to."""

    news: RunNewsDocument | None = None
    trial: int = 0
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
        if trial.number != self.trial:
            self.trial = trial.number
            self.seconds.clear()
            self.happenings.clear()
        self.latest = trial
        self.seconds.extend(trial.seconds)
        self.happenings.extend(trial.happenings)

    @property
    def tiers(self) -> tuple[TierDocument, ...]:
        """Components as they were told last."""
        return self.latest.tiers if self.latest is not None else ()
