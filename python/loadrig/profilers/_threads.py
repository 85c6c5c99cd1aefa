"""A profile by thread: who of a program used its CPU time, and where that thread was most."""

from dataclasses import dataclass

from loadrig.profilers._stacks import Frame, Profile

MOST_THREADS = 5
"""Threads that are told; threads of one pool look alike, and the first few tell what they do."""


@dataclass(frozen=True, slots=True)
class ThreadShare:
    """A thread's part of the CPU time that was seen, 0 to 1, and the function in which it was most."""

    thread: str
    pid: int
    share: float
    function: Frame


def threads_of(profile: Profile) -> tuple[ThreadShare, ...]:
    """Return the threads of a profile, most time first; empty where the profiler does not tell them apart."""
    spent: dict[tuple[str, int], dict[Frame, int]] = {}
    for stack, weight in profile.stacks.items():
        if stack.thread:
            innermost = stack.frames[-1]
            # One place for each function, whichever of its lines ran.
            place = Frame(innermost.function, innermost.file, 0, innermost.module)
            functions = spent.setdefault((stack.thread, stack.pid), {})
            functions[place] = functions.get(place, 0) + weight.time_ns
    whole = max(1, profile.time_ns)
    found = [
        ThreadShare(
            thread, pid, sum(functions.values()) / whole, max(functions, key=lambda one: functions[one])
        )
        for (thread, pid), functions in spent.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.thread, one.pid))[:MOST_THREADS])
