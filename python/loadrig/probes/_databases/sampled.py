"""A server that is both read once a sample and looked at in between, over one connection."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from loadrig.base.series import Event
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._databases.looks import DatabaseLook, Looks
from loadrig.probes._line import CONNECT_S, ServerConnection

Connection = TypeVar("Connection")
Answer = TypeVar("Answer")


class Sampled(ABC, Generic[Connection]):
    """Connection that readings and looks use, one at a time, and that `close` ends.

    line: the connection; `looks` begin with the first `take`.
    """

    def __init__(self, line: ServerConnection[Connection]) -> None:
        self.line = line
        self.looks = Looks(self.look)
        self._one_at_a_time = threading.Lock()

    @abstractmethod
    def look(self) -> DatabaseLook | None:
        """Look once, on the thread of the looks; None where nothing may be seen. Raises Lost."""

    def ask(self, question: Callable[[Connection], Answer]) -> Answer:
        """Return the answer to a question, asked over the connection once it is free. Raises Lost."""
        with self._one_at_a_time:
            return self.line.ask(question)

    def close(self) -> None:
        """End the looks, and close the connection."""
        self.looks.close(CONNECT_S)
        # A look that waits for a server which stands still ends by itself, as its connection is closed under
        # it.
        has_lock = self._one_at_a_time.acquire(timeout=CONNECT_S / 10)
        self.line.drop()
        if has_lock:
            self._one_at_a_time.release()

    def cpu_beside_s(self) -> float:
        """Return the CPU seconds of the looks."""
        return self.looks.cpu_s


def restarted(program: str, now_ns: int, up_s: float) -> Event:
    """Return the event of a server that was started anew, which has run for so long now."""
    text = event_words(SENTENCES.restarted_before, program, f"{up_s:.0f} s")
    return Event.of(now_ns - int(up_s * 1e9), "restarted", "", text, {"uptime_s": up_s})
