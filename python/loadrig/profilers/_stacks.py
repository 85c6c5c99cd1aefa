"""A profile as stacks with weights: what every profiler's output becomes, and what all summaries read."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["cpu", "wall"]
"""Kind of a profile's time: CPU time, or time on the clock, running or waiting."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A function in a stack. Equal frames are a single place.

    file: path of its source, "" where it is not known. line: of the call or of the statement that ran, 0
    where it is not known. module: program or library of native code ("libc.so.6"), else "".
    """

    function: str
    file: str = ""
    line: int = 0
    module: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """Calls from the outermost to the innermost. thread: a name or a number; pid: 0 where not known."""

    frames: tuple[StackFrame, ...]
    thread: str = ""
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Weight:
    """Number of samples of a stack, and the time that they stand for; or sums of these."""

    count: int = 0
    time_ns: int = 0


@dataclass(slots=True)
class Profile:
    """Stacks and their weights over a stretch of time.

    kind: kind of the time. period_ns: between two looks at a thread. began_ns: on the wall clock.
    """

    kind: Kind = "cpu"
    period_ns: int = 0
    began_ns: int = 0
    duration_ns: int = 0
    stacks: dict[Stack, Weight] = field(default_factory=dict)

    def add(self, stack: Stack, count: int, time_ns: int) -> None:
        """Count a stack; a stack without frames is left out."""
        if not stack.frames or (count <= 0 and time_ns <= 0):
            return
        before = self.stacks.get(stack, Weight())
        self.stacks[stack] = Weight(before.count + count, before.time_ns + time_ns)

    def take_in(self, profiles: "Iterable[Profile]") -> "Profile":
        """Add profiles of the same time, as of several processes, to this one. Return this one."""
        for profile in profiles:
            for stack, weight in profile.stacks.items():
                self.add(stack, weight.count, weight.time_ns)
        return self

    @property
    def time_ns(self) -> int:
        """All time that was seen, in ns."""
        return sum(weight.time_ns for weight in self.stacks.values())

    @property
    def count(self) -> int:
        """Number of samples that were seen."""
        return sum(weight.count for weight in self.stacks.values())
