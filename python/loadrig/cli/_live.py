"""The terminal while a run goes on: what runs now, what is done, how long is left.

On a terminal one block is redrawn in place; elsewhere a line is printed at each step, so that a log
stays readable. All of it goes to standard error.
"""

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from loadrig.base.setting import show_setting
from loadrig.base.units import show, show_duration
from loadrig.cli._trial_view import PHASES, TrialState, draw_trial
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick
from loadrig.trial.spec import TrialSpec

MARKS = {"valid": "", "suspect": "?", "void": "void", "failed": "failed"}
SETTINGS_SHOWN = 16
NOTES_SHOWN = 3


class LiveRun:
    """Watches a run of one trial or of many: a Watcher of trials and of studies, a context manager.

    title: the first line. by: the measure that decides, shown for each setting.
    quiet: say nothing at all (for `--json` where standard error is no terminal).
    """

    def __init__(
        self, title: str, by: Yardstick, *, quiet: bool = False, console: Console | None = None
    ) -> None:
        self._title = title
        self._by = by
        self._console = console or Console(stderr=True, quiet=quiet)
        self._state = TrialState()
        self._current: TrialSpec | None = None
        self._done: dict[str, list[DoneTrial]] = {}
        self._count = self._total = 0
        self._left_s = 0.0
        self._left_at = time.monotonic()
        self._notes: list[str] = []
        self._live: Live | None = None
        if self._console.is_terminal and not quiet:
            self._live = Live(
                get_renderable=self.draw, console=self._console, refresh_per_second=8, transient=True
            )

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        else:
            self._say(self._title)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()
            for note in self._notes:
                self._say(f"note: {note}")

    # What a trial tells.

    def phase(self, name: str, expected_s: float) -> None:
        """A phase of the present trial begins."""
        self._state.enter(name, expected_s)
        if not self._live and self._total <= 1 and name in PHASES:
            longest = f", at most {show_duration(expected_s)}" if expected_s >= 2 else ""
            self._say(f"  {PHASES[name]}{longest}")

    def frame(self, frame: dict[str, object]) -> None:
        """A frame of the generator; drawn only where somebody looks."""
        if self._live:
            self._state.take(frame)

    def note(self, text: str) -> None:
        """A sentence for the person who runs this; the same one is said once."""
        if text in self._notes:
            return
        self._notes.append(text)
        if not self._live:
            self._say(f"note: {text}")

    # What a study tells.

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        """How much there is to do."""
        self._total, self._count = total, done
        self._expect(left_s)
        if total > 1 and not self._live:
            before = f", {done} done before" if done else ""
            self._say(f"  {total} trials{before}, about {show_duration(left_s)}")

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        """What runs now."""
        self._current, self._count, self._total = spec, done, total
        self._state = TrialState()
        self._expect(left_s)

    def trial_ends(self, trial: DoneTrial) -> None:
        """One more trial is over."""
        self._count += 1
        self._done.setdefault(show_setting(trial.setting), []).append(trial)
        if not self._live and self._total > 1:
            value = trial.measures.get(self._by.name)
            said = f"{self._by.name} {show(value.value, self._by.unit)}" if value else MARKS[trial.verdict]
            left = show_duration(self._seconds_left())
            self._say(
                f"  {self._count} of {self._total}  {show_setting(trial.setting)}: {said}  ({left} left)"
            )

    def _expect(self, left_s: float) -> None:
        self._left_s, self._left_at = left_s, time.monotonic()

    def _seconds_left(self) -> float:
        return max(0.0, self._left_s - (time.monotonic() - self._left_at))

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def draw(self) -> RenderableType:
        """The whole block, as it stands now."""
        parts: list[RenderableType] = [Text(self._title, style="bold")]
        if self._total > 1:
            parts += [self._overall(), self._settings(), Text()]
            if self._current:
                parts.append(Text(show_setting(self._current.setting), style="bold"))
        parts.append(draw_trial(self._state))
        parts += [Text(f"note: {note}", style="yellow") for note in self._notes[-NOTES_SHOWN:]]
        return Group(*parts)

    def _overall(self) -> RenderableType:
        row = Table.grid(padding=(0, 1))
        now = min(self._count + 1, self._total)
        text = f"trial {now} of {self._total}, about {show_duration(self._seconds_left())} left"
        row.add_row(ProgressBar(total=max(1, self._total), completed=self._count, width=30), text)
        return row

    def _settings(self) -> RenderableType:
        """A row for each setting that has run or runs: how often, and what it did in each trial."""
        table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
        table.add_column("")
        table.add_column("setting")
        table.add_column("trials", justify="right")
        table.add_column(self._by.name)
        running = show_setting(self._current.setting) if self._current else ""
        rows = list(dict.fromkeys([*self._done, *([running] if running else [])]))
        for label in rows[-SETTINGS_SHOWN:]:
            trials = self._done.get(label, [])
            table.add_row("▶" if label == running else "", label, str(len(trials)), self._values(trials))
        if len(rows) > SETTINGS_SHOWN:
            table.add_row("", f"and {len(rows) - SETTINGS_SHOWN} more above", "", "")
        return table

    def _values(self, trials: list[DoneTrial]) -> str:
        said = []
        for trial in trials:
            value = trial.measures.get(self._by.name)
            text = show(value.value, self._by.unit) if value else ""
            said.append(f"{text} {MARKS[trial.verdict]}".strip())
        return "  ".join(said)
