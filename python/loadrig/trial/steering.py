"""Orders of a person to the load of a trial: carried out between two frames, or refused with the reason.

After each change of the level the trial begins its warm-up anew, so that the figures are of one load: that
since the last change. Orders that would make a study's trials unlike each other, or that cross a search or an
experiment which steers the load itself, are refused; ending early and marking an event always work.
"""

import time
from collections.abc import Callable, Sequence
from typing import assert_never

from loadrig.base.series import Event
from loadrig.base.units import show_number
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.steering import TrialSteeringErrors
from loadrig.language.en.trial.running import TrialSteeringTexts
from loadrig.plan.model import Plan
from loadrig.recording.orders import TakenOrder
from loadrig.recording.steering import End, HandMark, Order, Pause, Resume, SetLevel
from loadrig.trial.levels import most_level
from loadrig.trial.pace import Pace
from loadrig.trial.spec import Watcher

TEXTS, ERRORS = texts_of(TrialSteeringTexts), texts_of(TrialSteeringErrors)

ENDED = TEXTS.ended


class _RefusedError(Exception):
    """An order that is not carried out; its text says why."""


class Steering:
    """Orders to one trial.

    level: gives the load another level and returns the instant from which on it has it. event: keeps what was
    done. is_steered: whether an experiment steers the load.
    """

    def __init__(
        self,
        watch: Watcher,
        plan: Plan,
        pace: Pace,
        level: Callable[[float], int],
        event: Callable[[Event], None],
        *,
        is_steered: bool,
    ) -> None:
        self._watch, self._plan, self._pace = watch, plan, pace
        self._level, self._event = level, event
        self._is_steered = is_steered
        self._now_at = plan.workload.arrivals.level
        self._is_paused = False

    @property
    def is_paused(self) -> bool:
        """Whether no load is made now, by order."""
        return self._is_paused

    def obey(self, orders: Sequence[TakenOrder]) -> None:
        """Carry out orders, or refuse them, and answer each."""
        for order in orders:
            try:
                if order.order is None:
                    raise _RefusedError(order.why)
                text = self._carry_out(order.order)
            except _RefusedError as refused:
                self._watch.answer(order.id, "refused", str(refused))
            else:
                self._watch.answer(order.id, "done", text)

    def _carry_out(self, order: Order) -> str:
        match order:
            case HandMark():
                self._event(Event(time.monotonic_ns(), "mark", TEXTS.by_hand, order.text))
                return TEXTS.marked(order.text)
            case End():
                return self._end()
            case Pause():
                return self._pause()
            case Resume():
                return self._resume()
            case SetLevel():
                return self._set(order.to)
            case _:
                assert_never(order)

    def _end(self) -> str:
        if self._pace.to_ns is not None:
            raise _RefusedError(ERRORS.over)
        self._note(time.monotonic_ns(), "end", ENDED)
        self._pace.close(ENDED)
        self._watch.end_early()
        return TEXTS.load_ends_what

    def _pause(self) -> str:
        self._check_may_change()
        if self._is_paused:
            raise _RefusedError(ERRORS.paused)
        self._is_paused = True
        self._note(self._level(0.0), "pause", TEXTS.load_paused_hand(self._show(self._now_at)))
        return TEXTS.load_paused

    def _resume(self) -> str:
        self._check_may_change()
        if not self._is_paused:
            raise _RefusedError(ERRORS.not_paused)
        return self._turn(self._now_at or 0.0, "resume", TEXTS.load_went(self._show(self._now_at)))

    def _set(self, to: float) -> str:
        self._check_may_change()
        most = most_level(self._plan)
        if to > most:
            raise _RefusedError(ERRORS.too_much(self._show(to), self._show(most)))
        if self._plan.workload.arrivals.is_closed and to != int(to):
            raise _RefusedError(ERRORS.no_whole_number(show_number(to)))
        before = self._now_at
        return self._turn(to, "level", TEXTS.load_changed_hand(self._show(before), self._show(to)))

    def _turn(self, to: float, order: str, text: str) -> str:
        at_ns = self._level(to)
        self._now_at, self._is_paused = to, False
        self._pace.begin_anew(at_ns)
        self._note(at_ns, order, text)
        return text

    def _note(self, at_ns: int, order: str, text: str) -> None:
        self._event(Event(at_ns, "steered", "load", text, {"order": order}))

    def _check_may_change(self) -> None:
        """Raise where the level of this load may not be changed by hand."""
        if self._pace.to_ns is not None:
            raise _RefusedError(ERRORS.over)
        if self._is_steered:
            raise _RefusedError(ERRORS.steered)
        if not self._watch.is_alone:
            raise _RefusedError(ERRORS.of_a_study)
        if self._now_at is None or self._plan.workload.arrivals.is_unpaced:
            raise _RefusedError(ERRORS.no_one_level)

    def _show(self, level: float | None) -> str:
        show = TEXTS.users if self._plan.workload.arrivals.is_closed else TEXTS.rate
        return show(show_number(level or 0.0))
