"""Ctrl-C and SIGTERM while load runs: noted, so that what was measured is kept whole."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """While open, the first SIGINT or SIGTERM sets `happened`; a second one raises KeyboardInterrupt.

    An exception in the middle of reading a frame could lose it; a flag cannot. Outside the main
    thread, where Python forbids handlers, it only stands still.
    """

    def __init__(self) -> None:
        self.happened = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as signal.signal returned it

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.happened:
            raise KeyboardInterrupt
        self.happened = True
