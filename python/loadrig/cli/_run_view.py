"""View of a run on a terminal while it goes on: one block, redrawn in place."""

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from loadrig.base.printable import in_one_line
from loadrig.base.setting import show_setting
from loadrig.base.units import show, show_duration
from loadrig.cli._live import MARKS, RunState
from loadrig.cli._trial_view import draw_trial
from loadrig.language.choice import texts_of
from loadrig.language.en.terminal import TerminalTexts
from loadrig.study.trials import DoneTrial

TEXTS = texts_of(TerminalTexts)

SETTINGS_SHOWN = 16
NOTES_SHOWN = 3


def live(state: RunState) -> Live:
    """Return the block on standard error, not yet begun; gone from the screen when it is stopped."""
    return Live(
        get_renderable=lambda: draw(state),
        console=Console(stderr=True),
        refresh_per_second=8,
        transient=True,
    )


def draw(state: RunState) -> RenderableType:
    """Return the whole block, as it stands now."""
    parts: list[RenderableType] = [Text(state.title, style="bold")]
    if state.total > 1:
        parts += [_overall(state), _settings(state), Text()]
        if state.current:
            parts.append(Text(in_one_line(show_setting(state.current.setting)), style="bold"))
    parts.append(draw_trial(state.trial))
    parts += [Text(TEXTS.noted(note), style="yellow") for note in state.notes[-NOTES_SHOWN:]]
    return Group(*parts)


def _overall(state: RunState) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    now = min(state.count + 1, state.total)
    text = TEXTS.trial_of_with_time_left(str(now), str(state.total), show_duration(state.seconds_left))
    row.add_row(ProgressBar(total=max(1, state.total), completed=state.count, width=30), text)
    return row


def _settings(state: RunState) -> RenderableType:
    """Return a row for each setting that has run or runs: how often, and what it did in each trial."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("")
    table.add_column(TEXTS.setting)
    table.add_column(TEXTS.trials, justify="right")
    table.add_column(state.by.name)
    running = show_setting(state.current.setting) if state.current else ""
    rows = list(dict.fromkeys([*state.done, *([running] if running else [])]))
    for label in rows[-SETTINGS_SHOWN:]:
        trials = state.done.get(label, [])
        table.add_row(
            "▶" if label == running else "",
            Text(in_one_line(label)),
            str(len(trials)),
            _values(trials, state),
        )
    if len(rows) > SETTINGS_SHOWN:
        table.add_row("", TEXTS.more_above(str(len(rows) - SETTINGS_SHOWN)), "", "")
    return table


def _values(trials: list[DoneTrial], state: RunState) -> str:
    texts = []
    for trial in trials:
        value = trial.measures.get(state.by.name)
        text = show(value.value, state.by.unit) if value else ""
        texts.append(f"{text} {MARKS[trial.validity]}".strip())
    return "  ".join(texts)
