"""Work beside a trial's load, on a thread of its own: it begins with the load and ends with the trial."""

import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self

from loadrig.base.errors import RigError

LOOK_S = 0.25
"""How often it is looked whether something is due, or the load over. Each look takes a tenth of a millisecond
from the load."""


class Paced(Protocol):
    """What is asked of trial.pace: the phase, and when measuring began."""

    @property
    def phase(self) -> str:
        """One of warm_up, measuring and draining."""

    from_ns: int | None


class Ended:
    """Set when the trial leaves, and as soon as the load is not measured any more. As threading.Event."""

    def __init__(self, left: threading.Event, pace: Paced) -> None:
        self._left, self._pace = left, pace

    def is_set(self) -> bool:
        """Whether what is under way comes too late."""
        return self._left.is_set() or self._pace.phase == "draining"

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, at most so long. Returns whether it is."""
        until = time.monotonic() + timeout
        while not self.is_set() and (left := until - time.monotonic()) > 0:
            self._left.wait(min(left, LOOK_S))
        return self.is_set()


class Beside(ABC):
    """A context manager around a load: entered before it, told by `begin` when it begins, left after it.

    Leaving ends what is under way. Nothing that happens here ends a trial: a class of this kind does its work
    in `follow`, and says in `broken` what a fault of its own was. is_wanted: whether there is any work.
    """

    def __init__(self, name: str, *, is_wanted: bool = True) -> None:
        self._name, self._is_wanted = name, is_wanted
        self._left = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, pace: Paced, start_ns: int) -> None:
        """The load begins at start_ns; pace: told of its frames by somebody else."""
        if self._is_wanted:
            self._thread = threading.Thread(
                target=self._work, args=(pace, start_ns), name=self._name, daemon=True
            )
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        if self._thread is not None:
            self._thread.join()

    @abstractmethod
    def follow(self, pace: Paced, start_ns: int, over: Ended) -> None:
        """Work until it is done, or over."""

    @abstractmethod
    def broken(self, error: Exception) -> None:
        """Tell of a fault of ours; called while it is handled."""

    def _work(self, pace: Paced, start_ns: int) -> None:
        # Who cannot write the recording any more says so in the trial's own thread.
        with suppress(RigError):
            try:
                self.follow(pace, start_ns, Ended(self._left, pace))
            except RigError:
                raise
            except Exception as error:
                self.broken(error)
