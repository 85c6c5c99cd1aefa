"""Ctrl-C, SIGTERM and a closed terminal while load runs: noted, so that what was measured is kept whole."""

import signal
import threading
from types import FrameType
from typing import Self

from loadrig.base import hangups


class Interruption:
    """Context in which the first SIGINT, SIGTERM or SIGHUP sets `happened`.

    A second raises KeyboardInterrupt.

    An exception in the middle of reading a frame could lose it; a flag cannot. A SIGHUP is never the second
    one, see base.hangups. Outside the main thread, where Python forbids handlers, it only stands still.
    signal: the first one; None as long as there was none.
    """

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._before: dict[signal.Signals, object] = {}
        self._hangup_before: object = None

    @property
    def happened(self) -> bool:
        """Whether a signal has come."""
        return self.signal is not None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
            self._hangup_before = hangups.listen(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as signal.signal returned it
        if self._before:
            hangups.put_back(self._hangup_before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.happened and number != signal.SIGHUP:
            raise KeyboardInterrupt
        self.signal = self.signal or signal.Signals(number)
