"""Texts of Go programs: the text forms of pprof, expvar's memstats, the GC's trace.

Source: runtime/pprof/pprof.go (writeHeapInternal, writeProfileInternal, printCountProfile) and
runtime/mgc.go of Go 1.26; the trace is described in the documentation of the package runtime. pprof's
text begins with lines for machines, and says what follows a "#" for people; both have not changed since
Go 1.5 except by additions.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

RING = 256
"""Pauses that a Go program remembers."""

UNKNOWN = "(unknown)"
"""Name for a goroutine without a function: it is just being made or ended."""

_STAT = re.compile(r"^# (\w+) = (.+)$", re.MULTILINE)
_STACK_BYTES = re.compile(r"(\d+) / (\d+)")
_GROUP = re.compile(r"^(\d+) @", re.MULTILINE)
_FRAME = re.compile(r"^#\t0x[0-9a-f]+\t(\S+?)(?:\+0x[0-9a-f]+)?(?:\t|$)", re.MULTILINE)
_CONTENDED = re.compile(r"^(\d+) (\d+) @", re.MULTILINE)
_TRACE = re.compile(
    r"^gc (?P<number>\d+) @(?P<at>[\d.]+)s (?P<share>\d+)%.*?: "
    r"(?P<sweep>[\d.]+)\+(?P<mark>[\d.]+)\+(?P<end>[\d.]+) ms clock, .*? ms cpu, "
    r"(?P<before>\d+)->(?P<after>\d+)->(?P<live>\d+) MB, (?P<goal>\d+) MB goal"
    r"(?:.*, (?P<procs>\d+) P)?(?P<forced>.*\(forced\))?"
)


@dataclass(frozen=True, slots=True)
class MemStats:
    """runtime.MemStats. numbers: by Go's names, bytes and counts; pauses, ends: the rings, ns and Unix ns.

    pause_total_ns: of all collections, where it is told (expvar does, pprof does not).
    """

    numbers: Mapping[str, float]
    pauses: tuple[int, ...]
    ends: tuple[int, ...]
    pause_total_ns: int | None = None

    @property
    def cycles(self) -> int:
        """Garbage collections since the program began."""
        return int(self.numbers["NumGC"])

    def pause(self, number: int) -> tuple[int, int]:
        """Return the pause of the number-th collection, from 1, and its end in Unix time, both in ns."""
        place = (number + RING - 1) % RING
        return self.pauses[place], self.ends[place]


def parse_heap(text: str) -> MemStats | None:
    """Return the MemStats at the end of /debug/pprof/heap?debug=1.

    Returns None where they are missing or cut short.
    """
    stats = dict(_STAT.findall(text))
    if not text.startswith("heap profile:") or "NumGC" not in stats:
        return None
    stack = _STACK_BYTES.fullmatch(stats.get("Stack", ""))
    numbers = {name: float(value) for name, value in stats.items() if _is_number(value)}
    if stack:
        numbers["StackInuse"] = float(stack[1])
    pauses, ends = (
        tuple(map(int, stats.get(name, "").strip("[]").split())) for name in ("PauseNs", "PauseEnd")
    )
    return MemStats(numbers, pauses, ends) if len(pauses) == len(ends) == RING else None


def parse_vars(text: str) -> MemStats | None:
    """Return the memstats of expvar's page /debug/vars; None where the page has none."""
    try:
        stats = json.loads(text)["memstats"]
        pauses, ends = tuple(stats["PauseNs"]), tuple(stats["PauseEnd"])
        numbers = {name: float(value) for name, value in stats.items() if isinstance(value, int | float)}
        total = int(stats["PauseTotalNs"])
    except (ValueError, KeyError, TypeError):
        return None
    if "NumGC" not in numbers or not len(pauses) == len(ends) == RING:
        return None
    return MemStats(numbers, pauses, ends, total)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Goroutines:
    """All goroutines. by_start: by the function that `go` called; by_place: by the function they are in."""

    total: int
    by_start: Mapping[str, int]
    by_place: Mapping[str, int]


def parse_goroutines(text: str) -> Goroutines | None:
    """Return the counts in /debug/pprof/goroutine?debug=1, a page of stacks; None for another page.

    The page names no creator, so a stack's last function, which is what `go` called, stands for it.
    """
    head, _, rest = text.partition("\n")
    if not head.startswith("goroutine profile: total "):
        return None
    by_start: Counter[str] = Counter()
    by_place: Counter[str] = Counter()
    for block in rest.split("\n\n"):
        count = _GROUP.match(block)
        frames = _FRAME.findall(block)
        if count:
            by_start[frames[-1] if frames else UNKNOWN] += int(count[1])
            by_place[frames[0] if frames else UNKNOWN] += int(count[1])
    return Goroutines(int(head.rpartition(" ")[2]), by_start, by_place)


@dataclass(frozen=True, slots=True)
class Contention:
    """Waits that the mutex or the block profile counted since the program began, and their time in s.

    sampled_every: one of so many events is sampled; 0: the profile is off; None: not known.
    """

    waits: int
    seconds: float
    sampled_every: int | None


def parse_contention(text: str) -> Contention | None:
    """Return the waits in /debug/pprof/mutex?debug=1 or block?debug=1, scaled up by Go.

    Returns None for another page.
    """
    head = text.partition("@")[0]
    per_s = re.search(r"^cycles/second=(\d+)$", head, re.MULTILINE)
    if not text.startswith("--- ") or per_s is None:
        return None
    sampled_every = re.search(r"^sampling period=(-?\d+)$", head, re.MULTILINE)
    events = [(int(cycles), int(count)) for cycles, count in _CONTENDED.findall(text)]
    return Contention(
        sum(count for _, count in events),
        sum(cycles for cycles, _ in events) / int(per_s[1]),
        int(sampled_every[1]) if sampled_every else None,
    )


@dataclass(frozen=True, slots=True)
class Trace:
    """A collection as GODEBUG=gctrace=1 prints it. began_s: since the program's start, to the millisecond.

    sweep_s, end_s: the two pauses, in the beginning and in the end; mark_s: the work beside the program
    between them. Heap sizes in bytes, to the MiB. procs: GOMAXPROCS.
    """

    number: int
    began_s: float
    sweep_s: float
    mark_s: float
    end_s: float
    before_bytes: int
    after_bytes: int
    goal_bytes: int
    procs: int | None
    is_forced: bool

    @property
    def pause_s(self) -> float:
        """Time for which the program stood still, in both pauses."""
        return self.sweep_s + self.end_s


def parse_trace(line: str) -> Trace | None:
    """Return the collection in a line of the GC's trace; None where the line has none."""
    match = _TRACE.match(line)
    if not match:
        return None
    sweep, mark, end = (float(match[name]) / 1e3 for name in ("sweep", "mark", "end"))
    before, after, goal = (int(match[name]) << 20 for name in ("before", "after", "goal"))
    return Trace(
        int(match["number"]), float(match["at"]), sweep, mark, end, before, after, goal,
        int(match["procs"]) if match["procs"] else None, bool(match["forced"]),
    )  # fmt: skip
