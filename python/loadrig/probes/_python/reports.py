"""Reports that processes of a Python server write from inside (see _inside/inside.py), read as they come."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from loadrig.base import processes
from loadrig.base.series import Event, Sample
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._tail import Tail

TOP = 10
"""Allocation sites that are reported, at most: those that grow most."""


SiteGrowth = tuple[str, int, int, int, int]
"""Allocation site: its place, bytes and blocks there, and by how many of both it has grown."""


class InsideLine(msgspec.Struct, frozen=True):
    """Line of a report, which holds one of pid, gc, counts and sites.

    gc: when a pause began and how long it took, in nanoseconds; its generation; objects that were collected
    and that could not be. t: instant of the counts, in nanoseconds. counts: collections of each generation.
    paused: nanoseconds of all pauses. collected, uncollectable: objects.
    """

    pid: int = 0
    gc: tuple[int, int, int, int, int] | None = None
    t: int = 0
    counts: tuple[int, int, int] | None = None
    paused: int = 0
    collected: int = 0
    uncollectable: int = 0
    sites: list[SiteGrowth] | None = None


LINES = msgspec.json.Decoder(InsideLine)


@dataclass(slots=True)
class _Teller:
    """A process and its last counts and sites."""

    tail: Tail
    pid: int = 0
    counts: InsideLine = field(default_factory=InsideLine)
    sites: list[SiteGrowth] = field(default_factory=list)
    is_alive: bool = True


class InsideReader:
    """Reader of all files of a folder; `read` returns what is new.

    probe: name of the probe, for its samples.
    """

    def __init__(self, folder: Path, probe: str) -> None:
        self._folder, self._probe = folder, probe
        self._tellers: dict[str, _Teller] = {}

    @property
    def is_silent(self) -> bool:
        """Whether no process has written anything yet."""
        return not self._tellers

    def read(self, t_ns: int) -> tuple[list[Sample], list[Event]]:
        """Return counters and allocation sites as of now, and the events since the last call."""
        events: list[Event] = []
        has_new_sites = False
        for teller in self._all():
            for line in teller.tail.lines() if teller.is_alive else ():
                has_new_sites |= self._take(line, teller, events)
            if teller.is_alive and teller.pid and processes.start_of(teller.pid) is None:
                # Its last lines may have come after the look: one more look, then its file is closed.
                for line in teller.tail.lines():
                    has_new_sites |= self._take(line, teller, events)
                teller.tail.close()
                teller.is_alive = False
        sites = self._sites()
        if has_new_sites and sites:
            events.append(_site_event(t_ns, sites))
        samples = [Sample(t_ns, self._probe, *values) for values in (*self._counts(), *_site_values(sites))]
        return samples, events

    def _all(self) -> Iterable[_Teller]:
        try:
            names = sorted(path.name for path in self._folder.iterdir() if path.suffix == ".jsonl")
        except OSError:
            names = []
        for name in names:
            if name not in self._tellers:
                self._tellers[name] = _Teller(Tail(self._folder / name, from_start=True))
        return self._tellers.values()

    def _take(self, line: str, teller: _Teller, events: list[Event]) -> bool:
        """Take in a line. Return whether it was of allocation sites."""
        try:
            report = LINES.decode(line)
        except msgspec.MsgspecError:  # a disk that was full in the middle of a line
            return False
        if report.pid:
            teller.pid = report.pid
        elif report.gc is not None:
            events.append(_pause(teller.pid, report.gc))
        elif report.counts is not None:
            # Two threads may write at once: counts that were read first can come last, and counters do not go
            # back.
            if report.t >= teller.counts.t:
                teller.counts = report
        elif report.sites is not None:
            teller.sites = report.sites
            return True
        return False

    def _counts(self) -> Iterable[tuple[str, str, float]]:
        """Yield sums over all processes, dead ones too: metric, subject, value."""
        totals = [teller.counts for teller in self._tellers.values()]
        by_generation = [total.counts for total in totals if total.counts is not None]
        if not by_generation:
            return
        for generation, collections in enumerate(zip(*by_generation, strict=True)):
            yield "collections", f"generation:{generation}", float(sum(collections))
        yield "gc_pause_s", "", sum(total.paused for total in totals) / 1e9
        yield "collected", "", float(sum(total.collected for total in totals))
        yield "uncollectable", "", float(sum(total.uncollectable for total in totals))

    def _sites(self) -> list[SiteGrowth]:
        """Return the places whose memory grew most, summed over the living processes.

        Where no process lives any more, as after the server's stop, sums over all.
        """
        tellers = [writer for writer in self._tellers.values() if writer.sites]
        alive = [writer for writer in tellers if writer.is_alive] or tellers
        summed: dict[str, list[int]] = {}
        for teller in alive:
            for place, *numbers in teller.sites:
                before = summed.get(place, [0, 0, 0, 0])
                summed[place] = [a + b for a, b in zip(before, numbers, strict=True)]
        ranked = sorted(summed.items(), key=lambda item: -item[1][2])[:TOP]
        return [(place, size, count, growth, more) for place, (size, count, growth, more) in ranked]

    def close(self) -> None:
        """Close all files."""
        for teller in self._tellers.values():
            teller.tail.close()


def _pause(pid: int, pause: tuple[int, int, int, int, int]) -> Event:
    began_ns, paused_ns, generation, collected, uncollectable = pause
    facts: Mapping[str, Any] = {
        "duration_s": paused_ns / 1e9, "pid": pid, "collector": "cpython",
        "kind": f"generation {generation}", "collected": collected, "uncollectable": uncollectable,
        "is_pause": True,
    }  # fmt: skip
    text = event_words(SENTENCES.python_stopped, str(pid), f"{paused_ns / 1e6:.1f} ms", str(generation))
    return Event.of(began_ns, "gc_pause", f"pid:{pid}", text, facts)


def _site_values(sites: list[SiteGrowth]) -> Iterable[tuple[str, str, float]]:
    for place, size, _, growth, _ in sites:
        yield "site_bytes", place, float(size)
        yield "site_growth_bytes", place, float(growth)


def _site_event(t_ns: int, sites: list[SiteGrowth]) -> Event:
    top = [
        {"place": place, "bytes": size, "blocks": count, "growth_bytes": growth, "growth_blocks": more}
        for place, size, count, growth, more in sites
    ]
    place, _, _, growth, more = sites[0]
    text = event_words(SENTENCES.memory_grows, place, f"{growth / 2**20:.1f} MiB", str(more))
    return Event.of(t_ns, "memory_sites", place, text, {"sites": top})
