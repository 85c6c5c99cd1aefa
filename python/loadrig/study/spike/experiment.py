"""A spike as an experiment of a trial: so much usual load, several times that, and the usual load again."""

from loadrig.base.clock import NS
from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudySpikeExperimentTexts
from loadrig.recording.frame import Frame
from loadrig.trial.spec import Experiment

TEXTS = texts_of(StudySpikeExperimentTexts)

CALM = 1.5
"""Factor of the most requests in flight at the usual load, up to which the spike counts as over."""

LONGER = 3.0
"""Factor of the asked watching, up to which the load is watched where requests still pile up."""


class SpikeExperiment(Experiment):
    """Experiment of a trial, see trial.spec. usual: level of the load; times: that it is raised by.

    warm_up_s, before_s, length_s, after_s: of the usual load, left out and kept; of the spike; and of the
    usual load again. It is watched longer where more is in flight then than ever before. All but the warm-up
    is measured, so that the rig is judged where it had most to do.
    """

    frame_s = 0.25

    def __init__(
        self,
        usual: float,
        times: float,
        *,
        warm_up_s: float,
        before_s: float,
        length_s: float,
        after_s: float,
    ) -> None:
        self._usual, self._level = usual, usual * times
        self.level_most = self._level
        self._to_up_ns = int((warm_up_s + before_s) * NS)
        self._warm_up_ns, self._length_ns, self._after_ns = (
            int(seconds * NS) for seconds in (warm_up_s, length_s, after_s)
        )
        self._up_ns: int | None = None
        self._down_ns: int | None = None
        self._most_before = 0

    def see(self, frame: Frame) -> None:
        """Turn the load when it is time, and watch."""
        if self._why:
            return
        now_ns, start_ns = frame.end_ns, self._stage.start_ns
        if self._up_ns is None:
            if now_ns >= start_ns + self._warm_up_ns:
                self._most_before = max(self._most_before, frame.in_flight)
            if now_ns >= start_ns + self._to_up_ns:
                self._up_ns = self._stage.level(self._level)
        elif self._down_ns is None:
            if now_ns >= self._up_ns + self._length_ns:
                self._down_ns = self._stage.level(self._usual)
        elif now_ns >= self._down_ns + self._after_ns:
            self._end(frame.in_flight, now_ns)

    def _end(self, in_flight: int, now_ns: int) -> None:
        assert self._down_ns is not None
        is_calm = in_flight <= max(2, CALM * self._most_before)
        if is_calm or now_ns >= self._down_ns + LONGER * self._after_ns:
            self._why = TEXTS.spike_over_watched
            calmness = TEXTS.calm if is_calm else TEXTS.requests_still_flight(str(in_flight))
            self._stage.event(Event(now_ns, "look", "spike", calmness))

    def limit(self) -> tuple[int, int] | None:
        """Return from when to when the spike lasted, on the rig's clock; None before it is over."""
        if self._up_ns is None or self._down_ns is None:
            return None
        return self._up_ns, self._down_ns
