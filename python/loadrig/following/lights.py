"""Lights of the rig itself: its last seconds against the limits by which a trial is judged at its end."""

import math
from collections import defaultdict, deque
from collections.abc import Iterator

from loadrig._native import Histogram
from loadrig.base import rig_limits
from loadrig.base.component import HOST
from loadrig.base.rig_limits import Limits, graded
from loadrig.base.series import Sample
from loadrig.following.document import LightDocument, LightName
from loadrig.recording.frame import Frame

NS = 1_000_000_000

LAST_NS = 10 * NS
"""Time that the lights are of: one late frame does not make them blink, and soon they tell of now again."""

CLOSED = frozenset({"users", "saturate"})
"""Kinds of load in which nothing is due before it can be sent."""

NEVER = math.inf
"""Second limit of what is never grave."""


class Growth:
    """Readings of a counter in the last seconds."""

    def __init__(self) -> None:
        self._readings: deque[tuple[int, float]] = deque()

    def add(self, t_ns: int, value: float) -> None:
        """Add a reading."""
        self._readings.append((t_ns, value))
        while t_ns - self._readings[0][0] > LAST_NS:
            self._readings.popleft()

    @property
    def rate(self) -> float | None:
        """Growth a second; None with fewer than two readings."""
        (from_ns, low), (to_ns, high) = self._readings[0], self._readings[-1]
        return max(0.0, high - low) / (to_ns - from_ns) * NS if to_ns > from_ns else None


class RigLights:
    """Follower of what the generator and the host say of the rig.

    model: kind of the load. most_per_s: requests a second that the generator can do at most, None where that
    is not known.
    """

    def __init__(self, model: str, most_per_s: float | None) -> None:
        self._is_closed, self._most_per_s = model in CLOSED, most_per_s
        self._frames: deque[Frame] = deque()
        self._times: deque[tuple[int, Histogram, Histogram]] = deque()
        self._stolen: dict[str, Growth] = {}
        self._strangers: dict[tuple[str, str], Growth] = {}

    def see(self, frame: Frame) -> None:
        """Add a frame of the generator."""
        self._frames.append(frame)
        while frame.end_ns - self._frames[0].end_ns >= LAST_NS:
            self._frames.popleft()

    def see_times(self, end_ns: int, responses: Histogram, lag: Histogram) -> None:
        """Add the response times of good answers and the lag of the generator, of a second."""
        self._times.append((end_ns, responses, lag))
        while end_ns - self._times[0][0] >= LAST_NS:
            self._times.popleft()

    def hear(self, component: str, sample: Sample) -> None:
        """Add a sample of a component, of any probe."""
        if component != HOST:
            return
        if (sample.probe, sample.metric) == ("system_cpu", "steal_s"):
            self._stolen.setdefault(sample.subject, Growth()).add(sample.t_ns, sample.value)
        elif (sample.probe, sample.metric) == ("neighbours", "cpu_s"):
            core, _, program = sample.subject.partition(":")
            self._strangers.setdefault((core, program), Growth()).add(sample.t_ns, sample.value)

    def now(self) -> tuple[LightDocument, ...]:
        """Return the lights of this kind of load, the load that was sent first."""
        return tuple(self._lights())

    def _lights(self) -> Iterator[LightDocument]:
        frames = self._frames
        due = sum(frame.due for frame in frames)
        length_ns = sum(frame.len_ns for frame in frames)
        threads = max((len(frame.threads) for frame in frames), default=0)
        if not self._is_closed:
            unsent = sum(frame.unsent for frame in frames) / due if due else None
            yield _light("sent", "G1", unsent, rig_limits.UNSENT)
        yield self._lag()
        busiest = [
            sum(frame.threads[place].cpu_ns for frame in frames if place < len(frame.threads)) / length_ns
            for place in range(threads)
        ]
        yield _light("busy", "G3", max(busiest, default=None), rig_limits.BUSY)
        delay_ns = sum(thread.run_delay_ns for frame in frames for thread in frame.threads)
        delayed = delay_ns / (length_ns * threads) if threads else None
        yield _light("delayed", "G4", delayed, rig_limits.DELAYED)
        shares = [growth.rate for growth in self._stolen.values() if growth.rate is not None]
        yield _light("steal", "G4", sum(shares) / len(shares) if shares else None, rig_limits.DELAYED)
        if not self._is_closed:
            given_up = sum(frame.unsent_why.get("no_connection", 0) for frame in frames)
            share = given_up / due if due else None
            yield _light("connections", "G5", share, (rig_limits.GIVEN_UP_SHARE,) * 2)
        ports = [frame.ports / frame.ports_range for frame in frames if frame.ports_range]
        descriptors = [frame.fds / frame.fds_limit for frame in frames if frame.fds_limit]
        yield _light("ports", "G6", max(ports, default=None), (rig_limits.USED_UP, NEVER))
        yield _light("descriptors", "G6", max(descriptors, default=None), (rig_limits.USED_UP, NEVER))
        if self._most_per_s and threads:
            ended = sum(frame.answered + frame.failed for frame in frames)
            share = ended / length_ns * NS / (self._most_per_s * threads)
            yield _light("ceiling", "G10", share, rig_limits.CEILING)
        yield self._neighbours()

    def _lag(self) -> LightDocument:
        responses, lag = Histogram(), Histogram()
        for _, second_responses, second_lag in self._times:
            responses.add(second_responses)
            lag.add(second_lag)
        p99_s = responses.quantile_ns(0.99) / NS if responses.count else 0.0
        lag_s = lag.quantile_ns(0.99) / NS if lag.count else None
        return _light("lag", "G2", lag_s, rig_limits.lag_limits(p99_s))

    def _neighbours(self) -> LightDocument:
        """Return the light of other programs: how much of a core they use, on the core where it is most."""
        by_core: defaultdict[str, float] = defaultdict(float)
        programs: defaultdict[str, float] = defaultdict(float)
        for (core, program), growth in self._strangers.items():
            if growth.rate is not None:
                by_core[core] += growth.rate
                programs[program] += growth.rate
        share = max(by_core.values(), default=None)
        busiest = max(programs, key=lambda program: programs[program], default="")
        return _light("neighbours", "", share, (rig_limits.OTHER_WORK, NEVER), busiest)


def _light(name: LightName, check: str, value: float | None, limits: Limits, note: str = "") -> LightDocument:
    level = "unknown" if value is None else graded(value, *limits) or "fine"
    return LightDocument(name=name, check=check, level=level, value=value, limit=limits[0], note=note)
