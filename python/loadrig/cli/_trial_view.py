"""View of a trial while it runs: phase, rate, latency, outcomes, the generator's health."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from loadrig.base.printable import in_one_line
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.cli._trial_state import PHASES, TrialState
from loadrig.language.choice import texts_of
from loadrig.language.en.terminal import TerminalTexts

if TYPE_CHECKING:
    from loadrig.account.sentence import BarPart

TEXTS = texts_of(TerminalTexts)

BARS = "▁▂▃▄▅▆▇█"

BAR_WIDE = 40
"""Width of the bar of a request's parts, in columns."""

PARTS = (("█", "cyan"), ("▓", "magenta"), ("▒", "yellow"), ("░", "green"), ("#", "blue"))
"""Marks and colours of the parts of a request, the longest first."""

REST_MARK = "·"


def spark(values: deque[float]) -> str:
    """Return recent rates as a row of bars, from zero to the highest."""
    top = max(values, default=0.0)
    if top <= 0:
        return ""
    return "".join(BARS[min(len(BARS) - 1, int(value / top * (len(BARS) - 1) + 0.5))] for value in values)


def draw_trial(state: TrialState) -> RenderableType:
    """Return the lines of one trial: phase, rate, latency, outcomes, the generator's own health."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right")
    table.add_column()
    phase, gauges = state.phase, state.gauges
    table.add_row(TEXTS.now, _progress(PHASES.get(phase.name, phase.name), state.elapsed_s, phase.expected_s))
    if state.rates:
        users = TEXTS.users(f"{gauges.users:,}") if gauges.users else ""
        rate = Text.assemble((f"{show_number(state.rates[-1])}/s ", "bold"), (spark(state.rates), "cyan"))
        table.add_row(TEXTS.answered, rate)
        table.add_row(TEXTS.in_flight, f"{gauges.in_flight:,}{users}")
    if state.quantiles:
        table.add_row(
            TEXTS.latency, "   ".join(f"{k} {show_duration(v)}" for k, v in state.quantiles.items())
        )
    if state.sentence:
        table.add_row(TEXTS.a_request, _bar(state.parts))
        table.add_row("", Text(in_one_line(state.sentence)))
    if state.outcomes:
        parts = [
            Text(f"{name} {count:,}", style="" if name == "ok" else "bold red")
            for name, count in state.outcomes.most_common(6)
        ]
        table.add_row(TEXTS.outcomes, Text("   ").join(parts))
    if state.rates:
        lag = TEXTS.lag(show_duration(gauges.lag_s)) if gauges.lag_s is not None else ""
        table.add_row(TEXTS.generator, TEXTS.share_of_a_core(show_share(gauges.busy_share), lag))
    for note in state.notes[-3:]:
        table.add_row(TEXTS.note, Text(note, style="yellow"))
    return table


def _bar(parts: "Sequence[BarPart]") -> Text:
    """Return the parts of a request as one bar, the longest first.

    Each has its own mark beside its colour.
    """
    bar = Text()
    shown = [part for part in parts if part.share > 0]
    total, at, end = sum(part.share for part in shown), 0.0, 0
    for place, part in enumerate(shown):
        at += part.share / total
        mark, style = (REST_MARK, "dim") if not part.state else PARTS[place % len(PARTS)]
        bar.append(mark * (round(at * BAR_WIDE) - end), style)
        end = round(at * BAR_WIDE)
    return bar


def _progress(label: str, elapsed_s: float, expected_s: float) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    expected = max(expected_s, 0.1)
    text = label
    if expected_s >= 2:
        text = TEXTS.phase_progress(label, f"{elapsed_s:.1f}", show_duration(expected_s))
    row.add_row(ProgressBar(total=expected, completed=min(elapsed_s, expected), width=20), text)
    return row
