"""What a trial looks like while it runs: phase, rate, latency, outcomes, the generator's health."""

import time
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from loadrig._native import Histogram
from loadrig.base.units import show_duration, show_number, show_share

NS = 1_000_000_000
BARS = "▁▂▃▄▅▆▇█"
HISTORY = 40
PHASES = {
    "starting": "starting the target",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last answers",
    "stopping": "stopping the target",
}


class TrialState:
    """What the frames of one trial have said so far; plain data, drawn by the views."""

    def __init__(self) -> None:
        self.phase_name = ""
        self.phase_began = time.monotonic()
        self.phase_expected_s = 0.0
        self.rates: deque[float] = deque(maxlen=HISTORY)
        self.outcomes: Counter[str] = Counter()
        self.quantiles: dict[str, float] = {}
        self.lag_s: float | None = None
        self.busy_share = 0.0
        self.in_flight = 0
        self.users = 0
        self.notes: list[str] = []

    def enter(self, name: str, expected_s: float) -> None:
        """A phase begins."""
        self.phase_name, self.phase_expected_s = name, expected_s
        self.phase_began = time.monotonic()

    def take(self, frame: Mapping[str, Any]) -> None:
        """One more frame."""
        seconds = frame["len_ns"] / NS
        if seconds <= 0:
            return
        merged = Histogram()
        for row in frame["routes"]:
            if row["class"] != "service":
                continue
            self.outcomes[row["outcome"]] += row["count"]
            if row["outcome"] == "ok":
                merged.add(Histogram.decode(row["response"]))
        self.rates.append(merged.count / seconds)
        if merged.count:
            self.quantiles = {
                name: merged.quantile_ns(q) / NS for name, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
            }
        lag = Histogram.decode(frame["lag"]) if frame.get("lag") else Histogram()
        self.lag_s = lag.quantile_ns(0.99) / NS if lag.count else None
        self.busy_share = max((thread["cpu_ns"] for thread in frame["threads"]), default=0) / frame["len_ns"]
        self.in_flight, self.users = frame["in_flight"], frame["users"]

    @property
    def elapsed_s(self) -> float:
        """Time in the present phase."""
        return time.monotonic() - self.phase_began


def spark(values: deque[float]) -> str:
    """Recent rates as a row of bars, from zero to the highest."""
    top = max(values, default=0.0)
    if top <= 0:
        return ""
    return "".join(BARS[min(len(BARS) - 1, int(value / top * (len(BARS) - 1) + 0.5))] for value in values)


def draw_trial(state: TrialState) -> RenderableType:
    """The lines of one trial: phase, rate, latency, outcomes, the generator's own health."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right")
    table.add_column()
    phase = PHASES.get(state.phase_name, state.phase_name)
    table.add_row("now", _progress(phase, state.elapsed_s, state.phase_expected_s))
    if state.rates:
        users = f"   {state.users:,} users" if state.users else ""
        rate = Text.assemble((f"{show_number(state.rates[-1])}/s ", "bold"), (spark(state.rates), "cyan"))
        table.add_row("answered", rate)
        table.add_row("in flight", f"{state.in_flight:,}{users}")
    if state.quantiles:
        table.add_row("latency", "   ".join(f"{k} {show_duration(v)}" for k, v in state.quantiles.items()))
    if state.outcomes:
        parts = [
            Text(f"{name} {count:,}", style="" if name == "ok" else "bold red")
            for name, count in state.outcomes.most_common(6)
        ]
        table.add_row("outcomes", Text("   ").join(parts))
    if state.rates:
        lag = f", {show_duration(state.lag_s)} late (p99)" if state.lag_s is not None else ""
        table.add_row("generator", f"{show_share(state.busy_share)} of a core{lag}")
    for note in state.notes[-3:]:
        table.add_row("note", Text(note, style="yellow"))
    return table


def _progress(label: str, elapsed_s: float, expected_s: float) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    expected = max(expected_s, 0.1)
    text = f"{label}  {elapsed_s:.1f} s of at most {show_duration(expected_s)}" if expected_s >= 2 else label
    row.add_row(ProgressBar(total=expected, completed=min(elapsed_s, expected), width=20), text)
    return row
