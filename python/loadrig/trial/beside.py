"""Work beside a trial's load, on a thread of its own: it begins with the load and ends with the trial."""

import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Protocol, Self

from loadrig.base.errors import RigError

LOOK_S = 0.25
"""Time between two looks whether something is due, or the load over, in seconds. A look takes 0.1 ms from the
load."""


class LoadPace(Protocol):
    """Part of trial.pace that work beside the load needs: the phase, and when measuring began."""

    @property
    def phase(self) -> str:
        """Phase of the trial: warm_up, measuring or draining."""

    from_ns: int | None


class LoadOver:
    """Event that is set when the trial leaves, and as soon as the load is not measured any more.

    Used as threading.Event.
    """

    def __init__(self, departure: threading.Event, pace: LoadPace) -> None:
        self._departure, self._pace = departure, pace

    def is_set(self) -> bool:
        """Return whether the trial leaves or drains, so that work under way comes too late."""
        return self._departure.is_set() or self._pace.phase == "draining"

    def wait(self, timeout: float) -> bool:
        """Wait until the event is set, for `timeout` seconds at most; return whether it is set."""
        until = time.monotonic() + timeout
        while not self.is_set() and (remaining_s := until - time.monotonic()) > 0:
            self._departure.wait(min(remaining_s, LOOK_S))
        return self.is_set()


class Beside(ABC):
    """Context manager around a load, for work on a thread of its own.

    It is entered before the load, told by `begin` when the load begins, and left after it. Leaving ends what
    is under way. Nothing that happens here ends a trial: a subclass does its work in `follow`, and reports a
    fault of its own in `broken`. is_wanted: whether there is any work.
    """

    def __init__(self, name: str, *, is_wanted: bool = True) -> None:
        self._name, self._is_wanted = name, is_wanted
        self._departure = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, pace: LoadPace, start_ns: int) -> None:
        """Start the work: the load begins at start_ns.

        pace: follows the frames of the load, told by somebody else.
        """
        if self._is_wanted:
            self._thread = threading.Thread(
                target=self._work, args=(pace, start_ns), name=self._name, daemon=True
            )
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._departure.set()
        if self._thread is not None:
            self._thread.join()

    @abstractmethod
    def follow(self, pace: LoadPace, start_ns: int, over: LoadOver) -> None:
        """Work until the work is done, or `over` is set."""

    @abstractmethod
    def broken(self, error: Exception) -> None:
        """Report a fault of ours; called while the fault is handled."""

    def _work(self, pace: LoadPace, start_ns: int) -> None:
        # A failure to write the recording is raised again in the trial's own thread.
        with suppress(RigError):
            try:
                self.follow(pace, start_ns, LoadOver(self._departure, pace))
            except RigError:
                raise
            except Exception as error:
                self.broken(error)
