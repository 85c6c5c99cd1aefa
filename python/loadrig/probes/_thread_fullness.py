"""Whether a program's threads or its cores are nearly full: then a burst of looks tells most."""

from loadrig._native import ThreadCounts

FULL_SHARE = 0.9
"""Share of a core from which on a thread counts as nearly full, and share of its cores for a program.
A burst below that share shows the program with room, a burst above it without."""

THREAD_FULL, CORES_FULL, CORES_WAITED_FOR = (
    "a thread fills a core", "the cores are full", "threads wait for cores",
)  # fmt: skip
"""Reasons for a burst, as its event gives them."""

WAITING_SHARE = 0.5
"""Time waited for a core over time run from which on threads count as waiting for cores: a third of the time
that they wanted one."""

SOME_CORES = 0.2
"""Cores that a program must use before its waits for cores matter: bursts of other programs make the waits
of an idle program as long as its work."""


class ThreadFullness:
    """Cores and threads of a program that are nearly full, from count to count. cores: its own at most."""

    def __init__(self, cores: float) -> None:
        self._cores = cores
        self._last: tuple[int, float, float] | None = None
        self._full: frozenset[str] = frozenset()

    def take(self, t_ns: int, counts: ThreadCounts) -> str:
        """Take a count of the threads. Return what has become nearly full since the last one, in words."""
        cpu_s = sum(cpu_s for _, cpu_s, _ in counts.groups.values())
        delay_s = sum(delay_s for _, _, delay_s in counts.groups.values())
        last, self._last = self._last, (t_ns, cpu_s, delay_s)
        if last is None or t_ns <= last[0]:
            return ""
        seconds = (t_ns - last[0]) / 1e9
        before, self._full = (
            self._full,
            filled(
                counts.most_share, (cpu_s - last[1]) / seconds, (delay_s - last[2]) / seconds, self._cores
            ),
        )
        return min(self._full - before, default="")


def filled(most_share: float, ran: float, delayed: float, cores: float) -> frozenset[str]:
    """Return what of a program is nearly full, in words.

    most_share: of a core, what the busiest thread ran. ran, delayed: seconds a second that all threads ran
    and waited for a core. cores: how many the program may use.
    """
    full = set()
    if most_share >= FULL_SHARE:
        full.add(THREAD_FULL)
    if ran >= FULL_SHARE * cores:
        full.add(CORES_FULL)
    if ran >= SOME_CORES and delayed >= WAITING_SHARE * ran:
        full.add(CORES_WAITED_FOR)
    return frozenset(full)
