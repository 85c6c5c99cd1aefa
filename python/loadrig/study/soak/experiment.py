"""A soak as an experiment of a trial: it changes nothing, watches, and says when it is sure enough."""

from collections.abc import Sequence

from loadrig.base.clock import NS
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudySoakExperimentTexts
from loadrig.recording.frame import Frame
from loadrig.soaking.stop import Decision, Stopping
from loadrig.study.soak.follow import Following
from loadrig.trial.spec import Experiment, Stage

TEXTS = texts_of(StudySoakExperimentTexts)


class SoakExperiment(Experiment):
    """Experiment of a trial, see trial.spec. warm_up_s: of the trial at most.

    ends_early: whether it may end before its time. needs_all: whether something is asked of every minute of
    the soak, such as a goal over stretches: then only a leak ends it.
    """

    frame_s = 1.0

    def __init__(self, stopping: Stopping, *, warm_up_s: float, ends_early: bool, needs_all: bool) -> None:
        self._following = Following()
        self._stopping = stopping
        self._warm_up_ns = int(warm_up_s * NS)
        self._ends_early, self._needs_all = ends_early, needs_all
        self._begins_ns = 0
        self.decisions: list[Decision] = []

    def begin(self, stage: Stage) -> None:
        """Begin the soak: the load has begun."""
        super().begin(stage)
        self._begins_ns = stage.start_ns + self._warm_up_ns

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Take what the probes of a component read."""
        self._following.hear(samples, component)

    def see(self, frame: Frame) -> None:
        """Follow the load; from time to time ask whether the answer is sure."""
        self._following.see(frame.end_ns, sum(row.count for row in frame.routes), self._begins_ns)
        t_s = (frame.end_ns - self._begins_ns) / NS
        if not self._ends_early or self._why or not self._stopping.is_due(t_s):
            return
        components = self._stage.components()
        decision = self._stopping.look(
            t_s,
            self._following.levels(components),
            self._following.requests,
            self._following.stakes(components),
        )
        self.decisions.append(decision)
        self._stage.event(Event(frame.end_ns, "look", "soak", _look_text(decision)))
        has_leak = any(level.word == "leaks" for level in decision.levels.values())
        if decision.is_over and (has_leak or not self._needs_all):
            self._why = decision.why


def _look_text(decision: Decision) -> str:
    """Return a look in a line: what each level says, and why."""
    parts = [f"{name}: {TEXTS.words[level.word]} ({level.why})" for name, level in decision.levels.items()]
    return f"{decision.why}; {'; '.join(parts)}" if parts else TEXTS.nothing_read(decision.why)
