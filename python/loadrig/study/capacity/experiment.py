"""The search while load runs: it follows the generator's frames and tells it each next level."""

from dataclasses import dataclass

from loadrig.base.clock import NS
from loadrig.base.estimate import Estimate
from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyCapacityExperimentTexts
from loadrig.language.events import SENTENCES, event_words
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.study.capacity.answer import sides
from loadrig.study.capacity.frames import recorded, tick
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe
from loadrig.study.capacity.search import Search
from loadrig.study.capacity.tick import NEARLY_S
from loadrig.trial.spec import Experiment, Stage

TEXTS = texts_of(StudyCapacityExperimentTexts)

FRAME_S = 0.25
"""Length of a frame in seconds: enough frames a second for a probe to see at once that more comes than
goes."""

NAME = "capacity"
"""Name of the measure that such a trial has beside those of any other."""

BEYOND = frozenset({"saturation", "overload", "confirm_above"})

OVER = TEXTS.over


@dataclass(frozen=True, slots=True)
class SearchSpan:
    """A stretch at one level. from_ns, to_ns: of the rig's clock."""

    doing: str
    level: float
    from_ns: int
    to_ns: int


class CapacityExperiment(Experiment):
    """Experiment of a trial, see trial.spec. search: fresh. level_most: the highest that it may offer.

    warm_up_s: at its first level, before it begins.
    """

    frame_s = FRAME_S

    def __init__(self, search: Search, goals: Goals, *, warm_up_s: float, level_most: float) -> None:
        self.search, self.level_most = search, level_most
        self._goals, self._warm_up_ns = goals, int(warm_up_s * NS)
        self._begins_ns = 0
        self._spans: list[SearchSpan] = []
        self._looks_told = 0

    def begin(self, stage: Stage) -> None:
        """Begin the search: the load has begun."""
        super().begin(stage)
        self._begins_ns = stage.start_ns + self._warm_up_ns

    def see(self, frame: Frame) -> None:
        """Follow the load, and turn it where the search wants another level."""
        if not is_part(frame.t_ns, frame.len_ns, self._begins_ns) or self.search.is_over:
            return
        before, doing = self.search.level, self.search.doing
        self._note(doing, before, frame.t_ns, frame.end_ns)
        level = self.search.see(tick(frame, self._goals))
        self._tell_looks(frame.end_ns)
        if doing == "drain" and self.search.doing != doing:
            # An overload leaves its connections behind. A server that gives each connection to one of its
            # workers may have most of them with a single worker, and is slower until they are closed.
            # A search by brute force begins without them.
            self._stage.renew(TEXTS.what_had_piled)
        if level != before and not self.search.is_over:
            self._stage.level(level)

    def _tell_looks(self, end_ns: int) -> None:
        """Keep an event of each level whose look is over, for whoever watches the search."""
        looks = self.search.looks
        for count in range(self._looks_told + 1, len(looks) + 1):
            # Imported once a look is over: the first request does not wait for it.
            from loadrig.base.documents import plain
            from loadrig.recording.level_look import LOOK_KIND, LevelLook

            done, (at_least, at_most) = looks[count - 1], sides(looks[:count])
            facts = plain(LevelLook(
                level=done.level, doing=done.kind, verdict=done.verdict, leans=done.leans,
                seconds=done.window.seconds, ok_rps=done.window.throughput,
                response_s=done.window.response_s, at_least=at_least, at_most=at_most,
            ))  # fmt: skip
            words = event_words(SENTENCES.level_judged, f"{done.level:.4g}", done.verdict)
            self._stage.event(Event.of(end_ns, LOOK_KIND, "load", words, facts))
        self._looks_told = len(looks)

    def why_over(self) -> str:
        """Return why the load may end now; "" as long as it goes on."""
        return OVER if self.search.is_over else ""

    def measured(self) -> tuple[int, int] | None:
        """Return the longest stretch right below the capacity: the server does what it should, and well.

        Where no level was confirmed it is the longest stretch at the highest level that met the goals.
        """
        below = [span for span in self._spans if span.doing == "confirm_below"]
        if not below:
            met = max((probe.level for probe in self.search.probes if probe.leans == "meets"), default=None)
            below = [span for span in self._spans if span.level == met and span.doing != "drain"]
        longest = max(below, key=lambda span: span.to_ns - span.from_ns, default=None)
        return (longest.from_ns, longest.to_ns) if longest is not None else None

    def limit(self) -> tuple[int, int] | None:
        """Return the longest stretch where more was asked than is answered, or goals were surely missed."""
        levels = {probe.level for probe in self.search.probes if probe.kind in BEYOND}
        beyond = [span for span in self._spans if span.level in levels and span.doing != "drain"]
        longest = max(beyond, key=lambda span: span.to_ns - span.from_ns, default=None)
        return (longest.from_ns, longest.to_ns) if longest is not None else None

    def estimates(self) -> dict[str, Estimate]:
        """Return the capacity, where there is one; what was known by then if the search was cut short."""
        self.search.stop()
        capacity = self.search.answer().capacity
        return {NAME: capacity} if capacity is not None else {}

    def recall(self, recording: Recording) -> None:
        """Search as it was searched in the trial that left this recording."""
        replay(recording, self.search, self._goals, warm_up_s=self._warm_up_ns / NS)

    def _note(self, doing: str, level: float, from_ns: int, to_ns: int) -> None:
        last = self._spans[-1] if self._spans else None
        if last is not None and (last.doing, last.level) == (doing, level):
            from_ns = last.from_ns
            self._spans.pop()
        self._spans.append(SearchSpan(doing, level, from_ns, to_ns))


def is_part(t_ns: int, len_ns: int, begins_ns: int) -> bool:
    """Return whether a frame belongs to the search: it begins after the warm-up."""
    return len_ns > 0 and t_ns >= begins_ns


@dataclass(frozen=True, slots=True)
class Replayed:
    """Search repeated from a recording.

    frames: those that it saw, each with the seconds of search at its end.
    """

    search: Search
    frames: tuple[tuple[float, Frame], ...]

    def window(self, probe: DoneProbe) -> tuple[int, int] | None:
        """Return from when to when a probe was measured, on the rig's clock; None if it ended unsettled."""
        from_s = probe.at_s + probe.settled_s
        to_s = from_s + probe.window.seconds
        inside = [frame for end_s, frame in self.frames if from_s + NEARLY_S < end_s <= to_s + NEARLY_S]
        return (inside[0].t_ns, inside[-1].end_ns) if inside else None


def replay(recording: Recording, search: Search, goals: Goals, *, warm_up_s: float) -> Replayed:
    """Repeat a search from what was recorded: a fresh search with the same frames comes to the same answer.

    A search that was cut short is ended where it was.
    """
    begins_ns = recording.start_ns + int(warm_up_s * NS)
    # The drain is no part of it; recordings of earlier versions do not say where it began.
    last = recording.manifest.followed_to
    frames, at_s = [], 0.0
    for frame, frame_tick in recorded(recording, goals):
        if search.is_over or (last is not None and frame.n > last):
            break
        if is_part(frame.t_ns, frame.len_ns, begins_ns):
            search.see(frame_tick)
            at_s += frame_tick.seconds
            frames.append((at_s, frame))
    search.stop()
    return Replayed(search, tuple(frames))
