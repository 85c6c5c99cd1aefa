"""The terminal while a run goes on: what runs now, what is done, how long remains.

On a terminal one block is redrawn in place; elsewhere a line is printed at each step, so that a log
stays readable. All of it goes to standard error.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from loadrig.base.printable import in_one_line
from loadrig.base.setting import show_setting
from loadrig.base.units import show, show_duration
from loadrig.cli._trial_state import PHASES, TrialState
from loadrig.language.choice import texts_of
from loadrig.language.en.terminal import TerminalTexts
from loadrig.recording.frame import Frame
from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.recording.orders import OrderInbox, TakenOrder
from loadrig.study.trials import DoneTrial
from loadrig.study.watch import StudyWatcher
from loadrig.study.yardstick import Yardstick
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:  # it takes as long to import as the first request may take
    from rich.live import Live

    from loadrig.account.trial_account import ComponentAccount

TEXTS = texts_of(TerminalTexts)

MARKS = {"valid": "", "disturbed": "?", "void": TEXTS.trial_void, "failed": TEXTS.trial_failed}


@dataclass(slots=True)
class RunState:
    """State of a run so far; plain data, drawn by cli._run_view.

    by: the measure that decides, shown for each setting. left_s: remaining seconds, as expected at left_at.
    """

    title: str
    by: Yardstick
    trial: TrialState = field(default_factory=TrialState)
    current: TrialSpec | None = None
    done: dict[str, list[DoneTrial]] = field(default_factory=dict)
    count: int = 0
    total: int = 0
    left_s: float = 0.0
    left_at: float = 0.0
    notes: list[str] = field(default_factory=list)

    def expect(self, left_s: float) -> None:
        """Set the time that remains now."""
        self.left_s, self.left_at = left_s, time.monotonic()

    @property
    def seconds_left(self) -> float:
        """Seconds that remain of the expected time."""
        return max(0.0, self.left_s - (time.monotonic() - self.left_at))


class LiveRun(StudyWatcher):
    """Watcher of a run of one trial or of many, and a context manager.

    title: the first line. by: the measure that decides, shown for each setting.
    run: folder in which others see what runs now, and from which orders come.
    quiet: say nothing at all (for `--json` where standard error is no terminal).
    draws: whether to redraw a block in place; by default where standard error is a terminal.
    at_once: draw from the start, for a server that must be started first. Else the block comes when
    the load has begun: what draws it takes half as long to import as all that comes before the load.
    """

    def __init__(
        self,
        title: str,
        by: Yardstick,
        run: RunFolder,
        *,
        quiet: bool = False,
        draws: bool | None = None,
        at_once: bool,
    ) -> None:
        self._state = RunState(in_one_line(title), by)
        self._quiet = quiet
        self._draws = not quiet and (sys.stderr.isatty() if draws is None else draws)
        self._at_once = at_once
        self._live: Live | None = None
        self._now = NowNote(run, self._state.title)
        self._inbox = OrderInbox(run)
        self._is_ended_early = False

    def __enter__(self) -> Self:
        if self._at_once:
            self._draw()
        if not self._draws:
            self._say(self._state.title)
        return self

    def __exit__(self, *_: object) -> None:
        for order in self._inbox.take():
            self._inbox.answer(order.id, "refused", TEXTS.run_over)
        self._now.close()
        if self._live:
            self._live.stop()
        if self._draws:
            for note in self._state.notes:
                self._say(TEXTS.noted(note))

    # What a trial tells.

    def phase(self, name: str, expected_s: float) -> None:
        """Begin a phase of the present trial."""
        self._state.trial.enter(name, expected_s)
        self._now.phase(name, expected_s)
        if name not in ("starting", "reaching"):
            self._draw()
        if not self._draws and self._state.total <= 1 and name in PHASES:
            longest = TEXTS.at_most(show_duration(expected_s)) if expected_s >= 2 else ""
            self._say(f"  {PHASES[name]}{longest}")

    def frame(self, frame: Frame) -> None:
        """Take a frame of the generator; drawn only where somebody looks."""
        if self._draws:
            self._state.trial.take(frame)

    @property
    def shows_account(self) -> bool:
        """Whether the account of the last seconds is drawn: only where somebody looks."""
        return self._draws

    def account(self, account: "ComponentAccount") -> None:
        """Take the account of the loaded server in the last seconds."""
        self._state.trial.account(account)

    def note(self, text: str) -> None:
        """Show a sentence for the person who runs this; the same sentence is shown once."""
        text = in_one_line(text)  # a server's log may be quoted in it
        if text in self._state.notes:
            return
        self._state.notes.append(text)
        self._now.note(text)
        if not self._draws:
            self._say(TEXTS.noted(text))

    # What a person orders.

    @property
    def is_alone(self) -> bool:
        """Whether the run has one trial only."""
        return self._state.total <= 1

    @property
    def is_ended_early(self) -> bool:
        """Whether a person has ordered that no further trial is run."""
        return self._is_ended_early

    def orders(self) -> Sequence[TakenOrder]:
        """Return the orders that were given since the last call."""
        return self._inbox.take()

    def answer(self, order_id: str, outcome: Literal["done", "refused"], text: str) -> None:
        """Keep what came of an order, and show what was done."""
        self._inbox.answer(order_id, outcome, text)
        if outcome == "done":
            self.note(text)

    def end_early(self) -> None:
        """Take that no further trial shall be run."""
        self._is_ended_early = True

    # What a study tells.

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        """Take how much there is to do."""
        self._state.total, self._state.count = total, done
        self._state.expect(left_s)
        self._now.change(total=total, done=done, left_s=left_s)
        if total > 1 and not self._draws:
            before = TEXTS.done_before(str(done)) if done else ""
            self._say(TEXTS.study_begins(str(total), before, show_duration(left_s)))

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        """Show what runs now."""
        self._state.current, self._state.count, self._state.total = spec, done, total
        self._state.trial = TrialState()
        self._state.expect(left_s)
        self._now.change(
            trial=spec.index, setting=show_setting(spec.setting), done=done, total=total, left_s=left_s
        )

    def proof_trial_begins(self, spec: TrialSpec) -> Self:
        """Note that a trial of the run's proof runs now, and return the watcher for it."""
        self._state.trial = TrialState()
        self._now.change(trial=spec.index, is_of_proof=True, setting=show_setting(spec.setting))
        return self

    def trial_ends(self, trial: DoneTrial) -> None:
        """Add a trial that is over."""
        state = self._state
        state.count += 1
        self._now.change(trial=None, phase="", done=state.count, left_s=state.seconds_left)
        state.done.setdefault(show_setting(trial.setting), []).append(trial)
        if not self._draws and state.total > 1:
            value = trial.measures.get(state.by.name)
            outcome = (
                f"{state.by.name} {show(value.value, state.by.unit)}" if value else MARKS[trial.validity]
            )
            rest = show_duration(state.seconds_left)
            setting = show_setting(trial.setting)
            self._say(TEXTS.trial_done(str(state.count), str(state.total), setting, outcome, rest))

    def _draw(self) -> None:
        """Begin to draw the block, where one is drawn and has not yet begun."""
        if self._draws and self._live is None:
            from loadrig.cli._run_view import live

            self._live = live(self._state)
            self._live.start()

    def _say(self, text: str) -> None:
        if not self._quiet:
            print(in_one_line(text), file=sys.stderr, flush=True)
