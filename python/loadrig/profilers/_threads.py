"""A profile by thread: which threads used the CPU time, and in which function each was most."""

from dataclasses import dataclass

from loadrig.profilers._stacks import Profile, StackFrame

MOST_THREADS = 5
"""Threads that are reported, at most; threads of a pool look alike, so the first few tell what they do."""


@dataclass(frozen=True, slots=True)
class ThreadShare:
    """A thread's part of the CPU time that was seen, 0 to 1, and the function in which it was most."""

    thread: str
    pid: int
    share: float
    function: StackFrame


def threads_of(profile: Profile) -> tuple[ThreadShare, ...]:
    """Return the threads of a profile, most time first; empty where the profiler does not know threads."""
    spent: dict[tuple[str, int], dict[StackFrame, int]] = {}
    for stack, weight in profile.stacks.items():
        if stack.thread:
            innermost = stack.frames[-1]
            # Lines of a function are added up: a function has a single place.
            place = StackFrame(innermost.function, innermost.file, 0, innermost.module)
            functions = spent.setdefault((stack.thread, stack.pid), {})
            functions[place] = functions.get(place, 0) + weight.time_ns
    whole = max(1, profile.time_ns)
    threads = [
        ThreadShare(
            thread, pid, sum(functions.values()) / whole, max(functions, key=lambda frame: functions[frame])
        )
        for (thread, pid), functions in spent.items()
    ]
    return tuple(sorted(threads, key=lambda share: (-share.share, share.thread, share.pid))[:MOST_THREADS])
