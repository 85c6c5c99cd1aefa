"""Garbage collections of a Go program, summed from its MemStats, or from the trace of its collector."""

from loadrig.base import clock, processes
from loadrig.base.series import Event
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._counting import Counters
from loadrig.probes._go.text import RING, MemStats, Trace, parse_trace
from loadrig.probes._tail import Tail

_GAUGES = {
    "HeapAlloc": "heap_alloc_bytes", "HeapInuse": "heap_in_use_bytes", "HeapSys": "heap_sys_bytes",
    "NextGC": "heap_goal_bytes", "StackInuse": "stack_bytes", "Sys": "sys_bytes",
    "GCCPUFraction": "gc_cpu_share",
}  # fmt: skip
_COUNTERS = {"TotalAlloc": "allocated_bytes", "Mallocs": "allocations", "NumGC": "gc_cycles"}

LEAST_PAUSE_S = 0.001
"""Pauses from this many seconds on are events.

Shorter ones only add to the sum: there may be hundreds a second.
"""

MOST_TRACES = 1024


class Collections:
    """Sums over the collections so far.

    tail: of what the program prints, where its collector is traced. start: of the process, in ticks since
    boot. counters: go on where those of a program that was started again have ended.
    """

    def __init__(self, tail: Tail | None, start: int | None) -> None:
        self._tail, self._start = tail, start
        self.counters: Counters[str] = Counters()
        self._traces: dict[int, Trace] = {}
        self._before: MemStats | None = None
        self._pause_s = 0.0

    @property
    def is_traced(self) -> bool:
        """Whether the collector's trace is read."""
        return self._tail is not None

    def close(self) -> None:
        """Close what the program prints."""
        if self._tail is not None:
            self._tail.close()

    def read_traces(self) -> list[Trace]:
        """Return what the trace has gained."""
        parsed = [parse_trace(line) for line in (self._tail.lines() if self._tail else ())]
        traces = [trace for trace in parsed if trace is not None]
        for trace in traces:
            self._traces[trace.number] = trace
        while len(self._traces) > MOST_TRACES:
            del self._traces[next(iter(self._traces))]
        return traces

    def of_stats(self, stats: MemStats, events: list[Event]) -> dict[str, float]:
        """Return the figures of memory and pauses since the last reading; long pauses become events."""
        before, self._before = self._before, stats
        if before is not None and stats.numbers["TotalAlloc"] < before.numbers["TotalAlloc"]:
            self.counters.begin_anew()
            before = None
        values = {metric: stats.numbers[name] for name, metric in _GAUGES.items() if name in stats.numbers}
        for name, metric in _COUNTERS.items():
            values[metric] = self.counters.go_on(metric, stats.numbers[name])
        collections = stats.cycles - before.cycles if before is not None else 0
        remembered = range(stats.cycles - min(collections, RING) + 1, stats.cycles + 1)
        pauses = [stats.pause(number) for number in remembered]
        for number, (pause_ns, end_ns) in zip(remembered, pauses, strict=True):
            if pause_ns > LEAST_PAUSE_S * 1e9:
                began_ns = clock.from_wall(end_ns) - pause_ns
                events.append(_pause_event(began_ns, pause_ns / 1e9, self._traces.get(number)))
        if pauses and before is not None:
            sum_ns = float(sum(pause_ns for pause_ns, _ in pauses))
            if stats.pause_total_ns is not None and before.pause_total_ns is not None:
                sum_ns = stats.pause_total_ns - before.pause_total_ns
            # Collections that the program has forgotten count with the mean of those that it remembers.
            self._pause_s += (
                sum_ns / 1e9 * (collections / len(pauses) if stats.pause_total_ns is None else 1.0)
            )
            values["gc_longest_pause_s"] = max(pause_ns for pause_ns, _ in pauses) / 1e9
        values["gc_pause_s"] = self._pause_s
        return values

    def of_traces(self, traces: list[Trace], events: list[Event]) -> dict[str, float]:
        """Return the figures of pauses from the trace alone.

        Their dates are right to some 20 ms, as the process's start is.
        """
        for trace in traces:
            self._pause_s += trace.pause_s
            if self._start is not None and trace.pause_s > LEAST_PAUSE_S:
                began_s = self._start / processes.TICKS_PER_S + trace.began_s
                events.append(_pause_event(clock.from_boot(began_s), trace.pause_s, trace))
        values = {"gc_pause_s": self._pause_s}
        if traces:
            values["gc_cycles"] = self.counters.go_on("gc_cycles", traces[-1].number)
            values["gc_longest_pause_s"] = max(trace.pause_s for trace in traces)
            values["heap_goal_bytes"] = traces[-1].goal_bytes
        return values


def _pause_event(began_ns: int, seconds: float, trace: Trace | None) -> Event:
    facts: dict[str, object] = {"duration_s": seconds, "collector": "go", "kind": "stop", "is_pause": True}
    took = f"{seconds * 1e3:.3g} ms"
    text = event_words(SENTENCES.go_stopped, took)
    if trace is not None:
        facts |= {
            "cause": "asked for by the program" if trace.is_forced else "heap goal",
            "before_bytes": trace.before_bytes,
            "after_bytes": trace.after_bytes,
            "marked_s": trace.mark_s,
        }
        before, after = f"{trace.before_bytes >> 20} MiB", f"{trace.after_bytes >> 20} MiB"
        text = event_words(SENTENCES.go_stopped_with_heap, took, before, after)
    return Event.of(began_ns, "gc_pause", "go", text, facts)
