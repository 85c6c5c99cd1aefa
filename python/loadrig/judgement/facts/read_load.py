"""Reader of a load from the frames of a trial's recording."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadrig.judgement.facts.load import Load
from loadrig.recording.reader import Frame, Recording
from loadrig.recording.steps import NS, Edges, Floats

QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999)

SERVICE = "service"
"""Class of the routes that the load is about; others belong to its logins."""

Bounds = Sequence[tuple[int, int]]
"""First and last-plus-one frame of each step."""


def load_of(recording: Recording, frames: Sequence[Frame], bounds: Bounds, edges_ns: Edges) -> Load:
    """Return the load of a trial. frames: those with a length. bounds, edges_ns: of the steps."""
    seconds = np.diff(edges_ns) / NS
    window = recording.measured
    middle = (edges_ns[:-1] + edges_ns[1:]) // 2

    def per_second(amount: Callable[[Frame], float]) -> Floats:
        sums = [sum(amount(frame) for frame in frames[first:last]) for first, last in bounds]
        return np.array(sums, dtype=np.float64) / seconds

    answers = _AnswerCounts(len(bounds))
    for step, (first, last) in enumerate(bounds):
        for frame in frames[first:last]:
            answers.take_in(step, frame)
    merged = recording.histogram(outcome="ok", from_ns=window.from_ns, to_ns=window.to_ns)
    latencies, load = _Latencies(recording, edges_ns), recording.manifest.load
    return Load(
        model=str(load.model),
        is_inside=(middle >= window.from_ns) & (middle < window.to_ns),
        seconds=seconds,
        offered=per_second(lambda frame: frame.due),
        ok=answers.ok / seconds,
        failed=answers.failed / seconds,
        logins=answers.logins / seconds,
        in_flight=per_second(lambda frame: frame.in_flight_s),
        users=np.array([frames[last - 1].users for _, last in bounds], dtype=np.float64),
        opened=per_second(lambda frame: frame.opened),
        sent=per_second(lambda frame: frame.sent),
        bytes=per_second(lambda frame: sum(frame.route_bytes)),
        routes=_rates(answers.routes, seconds),
        login_routes=_rates(answers.login_routes, seconds),
        failed_logins=answers.failed_logins / seconds,
        outcomes=_rates(answers.outcomes, seconds),
        status=_rates(answers.status, seconds),
        unsent=_unsent(recording),
        keep_alive=load.keep_alive,
        quantiles={q: merged.quantile_ns(q) / NS for q in QUANTILES} if merged.count else {},
        generator_cpu=per_second(lambda frame: frame.process_cpu_ns / NS),
        capped=per_second(lambda frame: frame.capped),
        connections=np.array([frames[last - 1].open for _, last in bounds], dtype=np.float64),
        gaps_s=[np.asarray(frame.gaps_ns) / NS for frame in recording.inside if len(frame.gaps_ns)],
        latency_by_step=latencies.by_step,
        latency_of_route=latencies.of_route,
        latency_before_of_route=latencies.of_route_before,
    )


@dataclass(slots=True)
class _AnswerCounts:
    """Number of answers in each step, by what they were. Arrays: float64[steps]."""

    steps: int
    ok: Floats = field(init=False)
    failed: Floats = field(init=False)
    logins: Floats = field(init=False)
    failed_logins: Floats = field(init=False)
    routes: dict[str, Floats] = field(init=False)
    login_routes: dict[str, Floats] = field(init=False)
    outcomes: dict[str, Floats] = field(init=False)
    status: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        def none() -> Floats:
            return np.zeros(self.steps)

        self.ok, self.failed, self.logins, self.failed_logins = none(), none(), none(), none()
        self.routes, self.login_routes = defaultdict(none), defaultdict(none)
        self.outcomes, self.status = defaultdict(none), defaultdict(none)

    def take_in(self, step: int, frame: Frame) -> None:
        """Count the answers of a frame in a step."""
        for code, count in frame.status.items():
            self.status[str(code)][step] += count
        for row in frame.routes:
            is_ok = row.outcome == "ok"
            if row.route_class != SERVICE:
                self.logins[step] += row.count
                self.failed_logins[step] += 0 if is_ok else row.count
                self.login_routes[row.route][step] += row.count
                continue
            self.outcomes[row.outcome][step] += row.count
            if is_ok:
                self.ok[step] += row.count
                self.routes[row.route][step] += row.count
            else:
                self.failed[step] += row.count


@dataclass(frozen=True, slots=True)
class _Latencies:
    """Latencies of good answers, which are merged from histograms only where they are asked for."""

    recording: Recording
    edges_ns: Edges

    def by_step(self, q: float) -> Floats:
        """Return a quantile for each step, in seconds: float64[steps], NaN where nothing was answered."""
        histograms = self.recording.histograms(list(map(int, self.edges_ns)), outcome="ok")
        latencies_s = [
            histogram.quantile_ns(q) / NS if histogram.count else np.nan for histogram in histograms
        ]
        return np.array(latencies_s, dtype=np.float64)

    def of_route(self, route: str, q: float) -> float:
        """Return a quantile of a route over the measured part, in seconds; NaN without an answer."""
        window = self.recording.measured
        return self._of_route(route, q, window.from_ns, window.to_ns)

    def of_route_before(self, route: str, q: float) -> float:
        """Return a quantile of a route before the measured part, in seconds; NaN without an answer."""
        return self._of_route(route, q, int(self.edges_ns[0]), self.recording.measured.from_ns)

    def _of_route(self, route: str, q: float, from_ns: int, to_ns: int) -> float:
        histogram = self.recording.histogram(route=route, outcome="ok", from_ns=from_ns, to_ns=to_ns)
        return histogram.quantile_ns(q) / NS if histogram.count else float("nan")


def _rates(counts: Mapping[str, Floats], seconds: Floats) -> dict[str, Floats]:
    return {name: row / seconds for name, row in counts.items()}


def _unsent(recording: Recording) -> dict[str, int]:
    """Return how many requests of the measured part were not sent, by why."""
    unsent = Counter[str]()
    for frame in recording.inside:
        unsent.update(frame.unsent_why)
    return dict(unsent)
