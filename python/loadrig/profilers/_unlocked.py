"""CPU time of CPython with and without its lock: two looks at once, corrected by the kernel's counters.

Who holds the lock runs: that look is exact. A look at threads that the kernel calls runnable sees C code that
has let the lock go, too, but counts what waits for a core or for the lock as well. So what the first has not
seen of the CPU time that was used is divided by the second: kernel time among system calls, the rest among
other C code.
"""

from collections.abc import Mapping

from loadrig.profilers._classes import Folder
from loadrig.profilers._origin import Own
from loadrig.profilers._stacks import Profile, Stack, Weight

IN_KERNEL = frozenset({"kernel_net", "kernel_file"})
"""Classes whose C code is system calls alone: they have no user time without the lock."""

IN_USER_CODE = frozenset({"own", "compress", "serialise", "regex"})
"""Classes whose C code computes: they have no kernel time. Others have both, as opening a connection
has: its system calls are in the kernel, the handshake of its TLS computes."""


def joined(locked: Profile, runnable: Profile, user_s: float, system_s: float) -> Profile:
    """Return one profile of all CPU time that was used.

    locked: stacks that held the lock. runnable: stacks of runnable threads over the same time.
    user_s, system_s: CPU seconds used meanwhile.
    """
    whole = Profile("cpu", locked.period_ns, locked.began_ns, locked.duration_ns, dict(locked.stacks))
    hidden_ns = max(0, round((user_s + system_s) * 1e9) - locked.time_ns)
    beyond = _beyond(locked, runnable)
    if not hidden_ns or not beyond:
        return whole
    folder = Folder(Own("cpython"))
    work = {stack: folder.work_of(stack).work for stack in beyond}
    calls = {stack: weight for stack, weight in beyond.items() if work[stack] not in IN_USER_CODE}
    code = {stack: weight for stack, weight in beyond.items() if work[stack] not in IN_KERNEL}
    in_kernel_ns = min(hidden_ns, round(system_s * 1e9)) if calls else 0
    if calls and not code:
        in_kernel_ns = hidden_ns
    for part, time_ns in ((calls, in_kernel_ns), (code, hidden_ns - in_kernel_ns)):
        seen_ns = sum(weight.time_ns for weight in part.values())
        for stack, weight in part.items():
            share = weight.time_ns / seen_ns if seen_ns else 0.0
            # Samples are counted by the time that they stand for, so that those that only waited count for
            # none.
            spent_ns = round(time_ns * share)
            whole.add(
                stack, round(spent_ns / locked.period_ns) if locked.period_ns else weight.count, spent_ns
            )
    return whole


def _beyond(locked: Profile, runnable: Profile) -> Mapping[Stack, Weight]:
    """Return the runnable stacks, by as much as their innermost function was seen beyond the lock.

    A function that was seen as often with the lock has no part.
    """
    with_lock: dict[tuple[str, str], int] = {}
    for stack, weight in locked.stacks.items():
        with_lock[_place(stack)] = with_lock.get(_place(stack), 0) + weight.time_ns
    runnable_ns: dict[tuple[str, str], int] = {}
    for stack, weight in runnable.stacks.items():
        runnable_ns[_place(stack)] = runnable_ns.get(_place(stack), 0) + weight.time_ns
    weights = {}
    for stack, weight in runnable.stacks.items():
        place = _place(stack)
        part = max(0.0, 1 - with_lock.get(place, 0) / runnable_ns[place]) if runnable_ns[place] else 0.0
        if part > 0:
            weights[stack] = Weight(weight.count, round(weight.time_ns * part))
    return weights


def _place(stack: Stack) -> tuple[str, str]:
    innermost = stack.frames[-1]
    return innermost.function, innermost.file
