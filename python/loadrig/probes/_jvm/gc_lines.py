"""Garbage collections from the lines of a JVM's log. Pure: text in, entries out.

Read are the unified log of JDK 9 and later with any of its decorations (JEP 158 and 271), of the
collectors Serial, Parallel, CMS, G1, ZGC, Shenandoah; and the common lines of JDK 8 (-Xloggc,
-XX:+PrintGCDetails, -XX:+PrintGCDateStamps). All else is passed over.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from loadrig.base import clock
from loadrig.base.clock import NS

_EPOCH_MS = 10**11
"""Milliseconds below this are an uptime (three years), above it a date (since 1973)."""

_UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = r"(\d+(?:\.\d+)?)([BKMGT])"
_CHANGE = re.compile(rf"{_SIZE}(?:\(\d+%\))?->{_SIZE}(?:\((?:\d+%|{_SIZE})\))?")
_TIMED = re.compile(r"^(.*?) (\d+[.,]\d+)(ms|s)$")
_OF_CYCLE = re.compile(r"^GC\((\d+)\)\s+(?:([yYO]): )?(.*)$")
_TURN = re.compile(r"^(Garbage|Minor|Major) Collection \((.*?\)?)\)(?: (.*))?$")
_SAFEPOINT = re.compile(r'^Safepoint "(\w+)".* Reaching safepoint: (\d+) ns,.* Total: (\d+) ns')
_STOPPED = re.compile(
    r"threads were stopped: (\d+[.,]\d+) seconds, Stopping threads took: (\d+[.,]\d+) seconds"
)
_STALL = re.compile(r"^(?:Allocation|Relocation) Stall \((.*)\) (\d+[.,]\d+)ms$")
_USING = re.compile(
    r"^(?:Using|Initializing) (?:The )?(Serial|Parallel|G1|Z |Shenandoah|Concurrent Mark Sweep|Epsilon)"
)
_REGION = re.compile(r"^Heap [Rr]egion [Ss]ize: (\d+)([KM])")
_OLD = re.compile(r"^(?:Tenured|ParOldGen|CMS): (\d+)K(?:\(\d+K\))?->(\d+)K")
_OLD_REGIONS = re.compile(r"^Old regions: (\d+)->(\d+)")
_PROMOTED = re.compile(r"^\s*Promoted:.*\s(\d+)([BKMGT]) \(\d+%\)\s*$")

_NAMES = {"Z ": "ZGC", "Concurrent Mark Sweep": "CMS"}
_SIGNS = (
    ("G1 ", "G1"), ("Concurrent Mark Cycle", "G1"), ("Young (Normal)", "G1"), ("(Concurrent Start)", "G1"),
    ("Minor Collection", "ZGC"), ("Major Collection", "ZGC"), ("Garbage Collection (", "ZGC"),
    ("Relocate Start", "ZGC"), ("Pause Init Mark", "Shenandoah"), ("Concurrent reset", "Shenandoah"),
    ("DefNew:", "Serial"), ("PSYoungGen:", "Parallel"), ("ParNew:", "CMS"),
)  # fmt: skip
_G1_YOUNG = {"Normal": "Young", "Mixed": "Mixed", "Prepare Mixed": "Prepare Mixed",
             "Concurrent Start": "Concurrent Start"}  # fmt: skip
_PROMOTING = {"Young", "Concurrent Start", "Prepare Mixed"}
_GENERATIONS = {"y": "young", "Y": "young", "O": "old"}
_REMARKS = ("unload classes", "Major")
"""Texts in brackets behind a phase's name that are no cause."""

_SHENANDOAH_STOPS = ("Full", "Degenerated GC")
"""Phases in which Shenandoah could not keep up, with the cause in brackets.

Brackets of all other phases name the part of the heap on which they work.
"""

# G1 logs the parts of a cycle too; their sum is the cycle.
_G1_CYCLES = ("Concurrent Mark Cycle", "Concurrent Cycle", "Concurrent Undo Cycle")

# JDK 8: the date and the uptime at which it began, then "[GC (Cause) … 12K->3K(40K), 0.01 secs]".
_JDK8 = re.compile(r"^(?:(\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4}): )?(?:(\d+[.,]\d+): )?\[(Full GC|GC)\b(.*)$")
_JDK8_SECS = re.compile(r", (\d+[.,]\d+) secs\]")
_JDK8_HEAP = re.compile(rf"Heap: {_SIZE}\({_SIZE}\)->{_SIZE}\({_SIZE}\)\]")
_INNER = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class GcLogEntry:
    """An entry of a log.

    what: "pause": all threads stood still for a collection; "concurrent": work beside them; "turn": a whole
    collection that is not one pause; "safepoint": all threads stood still, for whatever reason; "stall": one
    thread waited for memory; "heap": the heap before and after, logged apart from the pause.
    start_ns: on this machine's monotonic clock. kind: Young, Mixed, Full, Remark … or a safepoint's name.
    reach_s: of a safepoint, seconds until the last thread stood still.
    is_gc: of a safepoint, whether a collection's pause was in it.
    """

    what: Literal["pause", "concurrent", "turn", "safepoint", "stall", "heap"]
    start_ns: int
    duration_s: float
    kind: str = ""
    cause: str = ""
    gc_id: int | None = None
    before_bytes: int | None = None
    after_bytes: int | None = None
    committed_bytes: int | None = None
    promoted_bytes: int = 0
    evacuation_failed: bool = False
    reach_s: float = 0.0
    is_gc: bool = False


@dataclass(slots=True)
class Decorations:
    """Time and level of a line, from the brackets before its message."""

    wall_ns: int | None = None
    uptime_ns: int | None = None
    nanos: list[int] = field(default_factory=list)
    level: str = ""


def split(line: str) -> tuple[Decorations, str]:
    """Return the decorations of a line of the unified log, and its message."""
    decorations, position = Decorations(), 0
    while line.startswith("[", position) and (end := line.find("]", position)) > 0:
        _decorate(decorations, line[position + 1 : end].strip())
        position = end + 1
    return decorations, line[position:].rstrip()[1:] if line.startswith(" ", position) else line[
        position:
    ].rstrip()


def _decorate(decorations: Decorations, text: str) -> None:
    if not text[:1].isdigit():
        if text in ("trace", "debug", "info", "warning", "error"):
            decorations.level = text
    elif "T" in text:
        try:
            decorations.wall_ns = (
                round(datetime.fromisoformat(text.replace(",", ".")).timestamp() * 1000) * 1_000_000
            )
        except ValueError:  # it is a host's name that begins with a digit
            return
    elif text.endswith("ns") and text[:-2].isdecimal():
        decorations.nanos.append(int(text[:-2]))
    elif text.endswith("ms") and text[:-2].isdecimal():
        value = int(text[:-2])
        if value > _EPOCH_MS:
            decorations.wall_ns = decorations.wall_ns or value * 1_000_000
        else:
            decorations.uptime_ns = value * 1_000_000
    elif text.endswith("s") and text[:-1].replace(",", ".").replace(".", "", 1).isdecimal():
        decorations.uptime_ns = round(_number(text[:-1]) * NS)


class GcLogReader:
    """Reader of a log, line by line. It keeps what earlier lines tell of the collection under way.

    started_ns: when the JVM began, on the monotonic clock: uptimes count from there.
    collector: "G1", "ZGC" …; found from the lines where it is not known.
    """

    def __init__(self, started_ns: int, collector: str = "", region_bytes: int = 0) -> None:
        self.collector, self.region_bytes = collector, region_bytes
        self.is_dated = True
        self._started_ns = started_ns
        self._turns: dict[int, tuple[int, str]] = {}
        self._promoted: dict[int, int] = {}
        self._paused = False

    def learn(self, head: Iterable[str]) -> None:
        """Take from the first lines of a log the JVM's collector and the size of its regions."""
        for line in head:
            message = split(line)[1]
            if not self.collector and (match := _USING.match(message)):
                self.collector = _NAMES.get(match[1], match[1])
            elif match := _REGION.match(message):
                self.region_bytes = _bytes(match[1], match[2])

    def take(self, line: str, now_ns: int) -> Iterator[GcLogEntry]:
        """Yield the entries of a line. now_ns: when it was read, for lines without a date."""
        if jdk8_line := _JDK8.match(line):
            yield from self._jdk8_entries(jdk8_line, now_ns)
            return
        decorations, message = split(line)
        if decorations.level in ("debug", "trace"):
            return
        if not self.collector:
            self.collector = next((name for sign, name in _SIGNS if sign in message), "")
        if match := _OF_CYCLE.match(message):
            gc_id, generation, body = int(match[1]), match[2] or "", match[3]
            yield from self._collection_entries(gc_id, generation, body, decorations, now_ns)
        else:
            yield from self._other_entries(message, decorations, now_ns)

    def _collection_entries(
        self, gc_id: int, generation: str, body: str, decorations: Decorations, now_ns: int
    ) -> Iterator[GcLogEntry]:
        if turn := _TURN.match(body):
            yield from self._turn_entries(gc_id, turn, self._at(decorations, now_ns))
        elif body.startswith(("Pause ", "Concurrent ")):
            timed = _TIMED.match(body)
            # A Full pause of Shenandoah or G1 may also be logged in parts, which begin otherwise.
            if timed and timed[3] == "ms":
                duration_s = round(_number(timed[2]) / 1000, 9)
                start_ns = self._at(decorations, now_ns) - round(duration_s * NS)
                entry = self._phase(gc_id, generation, timed[1], start_ns, duration_s)
                if entry is not None:
                    yield entry
        elif match := _OLD.match(body):
            self._promoted[gc_id] = (int(match[2]) - int(match[1])) * 1024
        elif match := _OLD_REGIONS.match(body):
            self._promoted[gc_id] = (int(match[2]) - int(match[1])) * self.region_bytes
        elif generation in ("y", "Y") and (match := _PROMOTED.match(body)):
            self._promoted[gc_id] = _bytes(match[1], match[2])

    def _turn_entries(self, gc_id: int, turn: re.Match[str], at_ns: int) -> Iterator[GcLogEntry]:
        """Yield ZGC's collection when it is over: its begin has a line too, which has the cause."""
        change = _CHANGE.search(turn[3] or "")
        if change is None:
            self._turns[gc_id] = (at_ns, turn[2])
            for stale in [turn_id for turn_id in self._turns if turn_id < gc_id - 8]:
                del self._turns[stale]
            return
        start_ns = self._turns.pop(gc_id, (at_ns, ""))[0]
        kind = "Collection" if turn[1] == "Garbage" else turn[1]
        before, after, _ = _sizes(change)
        yield GcLogEntry(
            "turn", start_ns, (at_ns - start_ns) / NS, kind, turn[2], gc_id, before, after,
            promoted_bytes=self._promoted.pop(gc_id, 0),
        )  # fmt: skip

    def _phase(
        self, gc_id: int, generation: str, text: str, start_ns: int, duration_s: float
    ) -> GcLogEntry | None:
        change = _CHANGE.search(text)
        before, after, committed = _sizes(change) if change else (None, None, None)
        name, groups = _groups(text[: change.start()] if change else text)
        what, _, kind = name.partition(" ")
        if what == "Concurrent" and self.collector == "G1" and name not in _G1_CYCLES:
            return None
        cause = self._turns.get(gc_id, (0, ""))[1]
        if kind == "Young" and groups and groups[0] in _G1_YOUNG:
            kind = _G1_YOUNG[groups.pop(0)]
        failed = any(group.startswith("Evacuation Failure") for group in groups)
        causes = [text_in_brackets for text_in_brackets in groups if text_in_brackets not in _REMARKS]
        if causes and self.collector != "Shenandoah":
            cause = causes[0]
        elif causes and kind in _SHENANDOAH_STOPS:
            cause = causes[-1]
        if generation:
            kind = f"{kind} ({_GENERATIONS[generation]})"
        promoted = 0
        if what == "Pause" and change:
            growth = self._promoted.pop(gc_id, 0)
            promoted = max(0, growth) if kind in _PROMOTING else 0
        self._paused |= what == "Pause"
        return GcLogEntry(
            "pause" if what == "Pause" else "concurrent", start_ns, duration_s, kind, cause, gc_id,
            before, after, committed, promoted, failed,
        )  # fmt: skip

    def _other_entries(self, message: str, decorations: Decorations, now_ns: int) -> Iterator[GcLogEntry]:
        if match := _SAFEPOINT.match(message):
            yield self._safepoint(decorations, now_ns, int(match[3]) / NS, int(match[2]) / NS, match[1])
        elif match := _STOPPED.search(message):
            yield self._safepoint(decorations, now_ns, _number(match[1]), _number(match[2]), "")
        elif match := _STALL.match(message):
            duration_s = round(_number(match[2]) / 1000, 9)
            start_ns = self._at(decorations, now_ns) - round(duration_s * NS)
            yield GcLogEntry("stall", start_ns, duration_s, match[1])
        elif match := _JDK8_HEAP.search(message):
            before, after = _bytes(match[1], match[2]), _bytes(match[5], match[6])
            yield GcLogEntry(
                "heap", now_ns, 0.0, before_bytes=before, after_bytes=after,
                committed_bytes=_bytes(match[7], match[8]),
            )  # fmt: skip

    def _safepoint(
        self, decorations: Decorations, now_ns: int, duration_s: float, reach_s: float, name: str
    ) -> GcLogEntry:
        start_ns = self._at(decorations, now_ns) - round(duration_s * NS)
        is_gc, self._paused = self._paused, False
        return GcLogEntry("safepoint", start_ns, duration_s, name, reach_s=reach_s, is_gc=is_gc)

    def _at(self, decorations: Decorations, now_ns: int) -> int:
        """Return the instant of a line: by its own monotonic clock, else by the date, else by the uptime."""
        nanos = decorations.nanos
        if nanos:
            # `timenanos` is the monotonic clock itself and stands first; `uptimenanos` counts from the start.
            # A single number is `uptimenanos`, unless that would lie in the future.
            uptime_ns = self._started_ns + nanos[-1]
            return nanos[0] if len(nanos) > 1 or uptime_ns > now_ns + NS else uptime_ns
        if decorations.wall_ns is not None:
            return clock.from_wall(decorations.wall_ns)
        if decorations.uptime_ns is not None:
            return self._started_ns + decorations.uptime_ns
        self.is_dated = False
        return now_ns

    def _jdk8_entries(self, match: re.Match[str], now_ns: int) -> Iterator[GcLogEntry]:
        date, uptime, what, rest = match.groups()
        text = f"[{rest}"
        while (shorter := _INNER.sub("", text[1:])) != text[1:]:  # the parts of the heap, and the times
            if not _JDK8_SECS.search(shorter):
                break
            text = f"[{shorter}"
        secs = _JDK8_SECS.search(text)
        if secs is None:
            return
        decorations = Decorations(uptime_ns=round(_number(uptime) * NS) if uptime else None)
        if date:
            _decorate(decorations, date)
        duration_s = _number(secs[1])
        start_ns = self._at(decorations, now_ns)  # JDK 8 dates a line with the beginning
        head, groups = _groups(text[1 : secs.start()])
        if "concurrent-" in head:
            if head.strip().endswith("-end"):
                phase = head.strip().removeprefix("concurrent-").removesuffix("-end")
                yield GcLogEntry("concurrent", start_ns - round(duration_s * NS), duration_s, phase)
            return
        change = _CHANGE.search(text[: secs.start()])
        before, after, committed = _sizes(change) if change else (None, None, None)
        self._paused = True
        kind, cause = _kind_and_cause(what, head, groups)
        yield GcLogEntry("pause", start_ns, duration_s, kind, cause, None, before, after, committed)


def _kind_and_cause(what: str, head: str, groups: list[str]) -> tuple[str, str]:
    """Return the kind and the cause of a pause of JDK 8, as a later JDK would call them."""
    words = head.split()
    if what == "Full GC":
        return "Full", groups[0] if groups else ""
    for phase in ("remark", "cleanup"):
        if phase in words:
            return phase.capitalize(), ""
    for phase, kind in (("CMS Initial Mark", "Initial Mark"), ("CMS Final Remark", "Remark")):
        if phase in groups:
            return kind, ""
    kind = "Mixed" if "mixed" in groups else "Concurrent Start" if "initial-mark" in groups else "Young"
    return kind, groups[0] if groups else ""


def _groups(text: str) -> tuple[str, list[str]]:
    """Return the text before the first bracket, and the text in each pair of outer brackets."""
    name, groups, depth, began = "", [], 0, 0
    for position, letter in enumerate(text):
        if letter == "(":
            if depth == 0:
                name, began = name or text[:position], position + 1
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
            if depth == 0:
                groups.append(text[began:position])
    return (name or text).strip(), groups


def _sizes(change: re.Match[str]) -> tuple[int, int, int | None]:
    before, after = _bytes(change[1], change[2]), _bytes(change[3], change[4])
    return before, after, _bytes(change[5], change[6]) if change[5] else None


def _bytes(number: str, unit: str) -> int:
    return round(float(number) * _UNITS[unit])


def _number(text: str) -> float:
    """Return a number of the log: in some locales its decimals follow a comma."""
    return float(text.replace(",", "."))
