"""A trial that is ended early: its setting cannot meet a goal any more, whatever comes."""

from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyDoomedTexts
from loadrig.recording.frame import Frame
from loadrig.study.capacity.frames import tick
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.tick import NEARLY_S
from loadrig.trial.spec import MEASURING, Experiment

TEXTS = texts_of(StudyDoomedTexts)

LEAST_S = 3.0
"""Seconds measured before any trial is ended: what it has shown by then is still compared with the others."""

FEWEST_HITS = 20

ROOM = 1.5
"""Factor of the answers that the rate so far foretells: the trial may get faster."""


class Doomed(Experiment):
    """Experiment of a trial that changes nothing, see trial.spec.

    goals: those on a share of the requests decide. measure_s: the longest that is measured. It counts in the
    measured part, and ends the trial once more requests have broken a goal than may break it to the end.
    """

    def __init__(self, goals: Goals, measure_s: float) -> None:
        self._goals, self._measure_s = Goals(goals.shares), measure_s
        self._seconds = 0.0
        self._hits = [0] * len(goals.shares)
        self._counted = [0] * len(goals.shares)

    def see(self, frame: Frame) -> None:
        """Count what broke a goal."""
        if self._stage.phase() != MEASURING or frame.len_ns <= 0:
            return
        counted = tick(frame, self._goals)
        self._seconds += counted.seconds
        for place, count in enumerate(counted.counts):
            self._hits[place] += count.hits
            self._counted[place] += count.total
        if self._seconds >= LEAST_S - NEARLY_S:
            self._judge()

    def _judge(self) -> None:
        left_s = max(self._measure_s - self._seconds, 0.0)
        for goal, hits, counted in zip(self._goals.shares, self._hits, self._counted, strict=True):
            most = goal.most * counted * (1 + ROOM * left_s / self._seconds)
            if hits >= FEWEST_HITS and hits > most:
                self._why = TEXTS.can_no_longer(goal.text, show_share(hits / counted))
                return
