"""State of a trial from its frames so far: plain data, which views draw."""

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.language.choice import texts_of
from loadrig.language.en.terminal import TerminalTexts
from loadrig.recording.frame import LAG, Frame
from loadrig.recording.hlog import Tag

if TYPE_CHECKING:
    from loadrig.account.sentence import BarPart
    from loadrig.account.trial_account import ComponentAccount

TEXTS = texts_of(TerminalTexts)

HISTORY = 40
PHASES = {
    "starting": TEXTS.starting,
    "reaching": TEXTS.reaching,
    "warm_up": TEXTS.warm_up,
    "measuring": TEXTS.measuring,
    "draining": TEXTS.draining,
    "stopping": TEXTS.stopping,
    "leaving": TEXTS.leaving,
}


@dataclass(frozen=True, slots=True)
class Phase:
    """Phase of a trial. began_s: on the monotonic clock. expected_s: at most."""

    name: str
    expected_s: float
    began_s: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Gauges:
    """Load and generator at the last frame.

    busy_share: of a core, used by the busiest thread of the generator. lag_s: p99 of how late it was.
    """

    in_flight: int = 0
    users: int = 0
    busy_share: float = 0.0
    lag_s: float | None = None


class TrialState:
    """State of one trial from its frames so far; plain data, drawn by the views."""

    def __init__(self) -> None:
        self.phase = Phase("", 0.0)
        self.rates: deque[float] = deque(maxlen=HISTORY)
        self.outcomes: Counter[str] = Counter()
        self.quantiles: dict[str, float] = {}
        self.gauges = Gauges()
        self.notes: list[str] = []
        self.parts: list[BarPart] = []
        self.sentence = ""

    def enter(self, name: str, expected_s: float) -> None:
        """Begin a phase."""
        self.phase = Phase(name, expected_s)

    def take(self, frame: Frame) -> None:
        """Add one frame."""
        seconds = frame.len_ns / NS
        if seconds <= 0:
            return
        merged = Histogram()
        for row in frame.routes:
            if row.route_class != "service":
                continue
            self.outcomes[row.outcome] += row.count
            if row.outcome == "ok":
                merged.add(frame.histogram(Tag(row.route, row.outcome, "response")))
        self.rates.append(merged.count / seconds)
        if merged.count:
            self.quantiles = {
                name: merged.quantile_ns(q) / NS for name, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
            }
        lag = frame.histogram(LAG)
        self.gauges = Gauges(
            frame.in_flight,
            frame.users,
            max((thread.cpu_ns for thread in frame.threads), default=0) / frame.len_ns,
            lag.quantile_ns(0.99) / NS if lag.count else None,
        )

    def account(self, account: "ComponentAccount") -> None:
        """Take the account of the last seconds: where the time of a request went."""
        from loadrig.account import sentence

        self.parts, self.sentence = sentence.parts(account), sentence.sentence_of(account)

    @property
    def elapsed_s(self) -> float:
        """Time in the present phase."""
        return time.monotonic() - self.phase.began_s
