"""What Go programs print of themselves: the text forms of pprof, expvar's memstats, the GC's trace.

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
"""So many pauses a Go program remembers."""

UNKNOWN = "(unknown)"
"""A goroutine that is just being made or ended has no function yet, or none any more."""

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
        """How long the world stood still for the number-th collection, from 1, and its Unix end, both ns."""
        at = (number + RING - 1) % RING
        return self.pauses[at], self.ends[at]


def parse_heap(text: str) -> MemStats | None:
    """MemStats at the end of /debug/pprof/heap?debug=1; None where there is none, or not the whole."""
    found = dict(_STAT.findall(text))
    if not text.startswith("heap profile:") or "NumGC" not in found:
        return None
    stack = _STACK_BYTES.fullmatch(found.get("Stack", ""))
    numbers = {name: float(value) for name, value in found.items() if _is_number(value)}
    if stack:
        numbers["StackInuse"] = float(stack[1])
    pauses, ends = (_ring(found.get(name, "")) for name in ("PauseNs", "PauseEnd"))
    return MemStats(numbers, pauses, ends) if len(pauses) == len(ends) == RING else None


def _ring(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.strip("[]").split())


def parse_vars(text: str) -> MemStats | None:
    """The memstats of expvar's page /debug/vars; None where it holds none."""
    try:
        found = json.loads(text)["memstats"]
        pauses, ends = tuple(found["PauseNs"]), tuple(found["PauseEnd"])
        numbers = {name: float(value) for name, value in found.items() if isinstance(value, int | float)}
        total = int(found["PauseTotalNs"])
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
    """All of them. by_start: by the function that `go` called; by_place: by the function they are in."""

    total: int
    by_start: Mapping[str, int]
    by_place: Mapping[str, int]


def parse_goroutines(text: str) -> Goroutines | None:
    """/debug/pprof/goroutine?debug=1: stacks with counts; None where it is no such page.

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
    """Waits that the mutex or the block profile counted since the program began, and how long they took.

    one_in: share of events that is taken, as its inverse; 0: the profile is off; None: not told.
    """

    waits: int
    seconds: float
    one_in: int | None


def parse_contention(text: str) -> Contention | None:
    """/debug/pprof/mutex?debug=1 or block?debug=1; None where it is no such page. Go has scaled it up."""
    head = text.partition("@")[0]
    per_s = re.search(r"^cycles/second=(\d+)$", head, re.MULTILINE)
    if not text.startswith("--- ") or per_s is None:
        return None
    one_in = re.search(r"^sampling period=(-?\d+)$", head, re.MULTILINE)
    events = [(int(cycles), int(count)) for cycles, count in _CONTENDED.findall(text)]
    return Contention(
        sum(count for _, count in events),
        sum(cycles for cycles, _ in events) / int(per_s[1]),
        int(one_in[1]) if one_in else None,
    )


@dataclass(frozen=True, slots=True)
class Trace:
    """One collection as GODEBUG=gctrace=1 prints it. began_s: since the program's start, to the millisecond.

    sweep_s, end_s: the two pauses, in the beginning and in the end; mark_s: what ran beside the program
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
        """How long the world stood still, in both pauses."""
        return self.sweep_s + self.end_s


def parse_trace(line: str) -> Trace | None:
    """A line of the GC's trace; None where the line is none."""
    found = _TRACE.match(line)
    if not found:
        return None
    sweep, mark, end = (float(found[name]) / 1e3 for name in ("sweep", "mark", "end"))
    before, after, goal = (int(found[name]) << 20 for name in ("before", "after", "goal"))
    return Trace(
        int(found["number"]), float(found["at"]), sweep, mark, end, before, after, goal,
        int(found["procs"]) if found["procs"] else None, bool(found["forced"]),
    )  # fmt: skip
