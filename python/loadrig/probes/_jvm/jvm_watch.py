"""The session of the probe `jvm`: what the JVM publishes, and what its MBeans hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loadrig.base.component import Component
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmWatchErrors
from loadrig.probes._aside import Reading
from loadrig.probes._counting import Counters
from loadrig.probes._jvm import attach as way_in
from loadrig.probes._jvm import beans as beans_of
from loadrig.probes._jvm import reader, session
from loadrig.probes._jvm.beans import Beans, Question, keys, number
from loadrig.probes._jvm.perfdata import PerfData
from loadrig.probes._session import Lost, Place, Unavailable
from loadrig.probes.jvm import METRICS, Options

ERRORS = texts_of(ProbesJvmWatchErrors)

# Each MBean is a call that the JVM answers, in code that the JVM has no reason to compile but for the rig.
_DETAILS = (
    ("java.lang:type=Memory", "HeapMemoryUsage,NonHeapMemoryUsage"),
    ("java.lang:type=Threading", "#states"),
    ("java.lang:type=MemoryPool,*", "Usage,CollectionUsage"),
    (
        "java.lang:type=OperatingSystem",
        "ProcessCpuTime,AvailableProcessors,OpenFileDescriptorCount,MaxFileDescriptorCount",
    ),
    ("java.lang:type=Runtime", "Uptime"),
    ("java.nio:type=BufferPool,*", "Count,MemoryUsed"),
)

# MBeans for what the JVM's file publishes, where there is no such file.
_UNPUBLISHED = (
    ("java.lang:type=Threading", "ThreadCount,TotalStartedThreadCount"),
    ("java.lang:type=GarbageCollector,*", "CollectionCount,CollectionTime"),
    ("java.lang:type=ClassLoading", "LoadedClassCount,TotalLoadedClassCount,UnloadedClassCount"),
    ("java.lang:type=Compilation", "TotalCompilationTime"),
)

_PLAIN = {
    "Threading": (("threads", "ThreadCount", 1.0), ("threads_started", "TotalStartedThreadCount", 1.0)),
    "ClassLoading": (
        ("classes", "LoadedClassCount", 1.0),
        ("classes_loaded", "TotalLoadedClassCount", 1.0),
        ("classes_unloaded", "UnloadedClassCount", 1.0),
    ),
    "Compilation": (("compilation_s", "TotalCompilationTime", 1e-3),),
    "OperatingSystem": (
        ("cpu_s", "ProcessCpuTime", 1e-9),
        ("cpus", "AvailableProcessors", 1.0),
        ("fds", "OpenFileDescriptorCount", 1.0),
        ("fds_limit", "MaxFileDescriptorCount", 1.0),
    ),
    "Runtime": (("uptime_s", "Uptime", 1e-3),),
    "GarbageCollector": (("gc_s", "CollectionTime", 1e-3), ("collections", "CollectionCount", 1.0)),
    "BufferPool": (("buffer_used_bytes", "MemoryUsed", 1.0), ("buffers", "Count", 1.0)),
}
"""Metric, attribute and factor to the metric's unit, by the MBean's type."""


def figures(beans: Beans) -> Iterator[tuple[str, str, float]]:
    """Yield metric, subject and value of all MBeans of the platform."""
    for name, values in beans.items():
        properties = keys(name)
        kind = properties.get("type", "")
        if kind == "Memory":
            for subject, attribute in (("heap", "HeapMemoryUsage"), ("nonheap", "NonHeapMemoryUsage")):
                yield from _memory(subject, values, attribute, is_pool=False)
        elif kind == "MemoryPool":
            subject = f"pool:{properties.get('name', '')}"
            yield from _memory(subject, values, "Usage", is_pool=True)
            after = number(values, "CollectionUsage", "used")
            if after is not None:
                yield "memory_after_gc_bytes", subject, after
        else:
            yield from beans_of.figures(values, properties.get("name", ""), _PLAIN.get(kind, ()))
        for state in values.get("#states", {}):
            yield "threads", state, float(values["#states"][state])


def _memory(
    subject: str, values: Mapping[str, Any], attribute: str, *, is_pool: bool
) -> Iterator[tuple[str, str, float]]:
    used, committed, limit = (number(values, attribute, key) for key in ("used", "committed", "max"))
    if used is not None:
        yield "memory_used_bytes", subject, used
    if committed is not None and not is_pool:
        yield "memory_committed_bytes", subject, committed
    if limit is not None and limit > 0:  # -1: none is set
        yield "memory_limit_bytes", subject, limit


@dataclass(frozen=True, slots=True)
class Wanted:
    """A number of any MBean. text: as the plan writes it."""

    text: str
    name: str
    path: tuple[str, ...]


def wanted(text: str) -> Wanted:
    """Return the number that MBEAN/ATTRIBUTE[/KEY] names. Raises Unavailable for another text."""
    name, *path = text.split("/")
    if ":" not in name or "=" not in name or not path or not all(path):
        raise Unavailable.of(ERRORS.not_a_number(repr(text)), code="probe.not-that")
    return Wanted(text, name, tuple(path))


class JvmWatch(session.MBeanWatch):
    """Session of a JVM. Made by attach.

    refused: why the MBeans cannot be read, where `source` is None.
    """

    def __init__(
        self,
        source: reader.Where | None,
        refused: Lost | None,
        published: PerfData,
        options: Options,
    ) -> None:
        self._published, self._extra = published, tuple(wanted(text) for text in options.mbeans)
        self._details_ns, self._details_due_ns = int(options.details_every * 1e9), 0
        self._refused, self._has_noted = refused, False
        self._counters: Counters[tuple[str, str]] = Counters()
        super().__init__(source, (), lambda *_: Reading())

    def read(self, t_ns: int) -> Reading:
        """Take a reading of what is published, and of the MBeans that are due."""
        try:
            values = self._published.read()
        except Lost:
            self.let_go()
            raise
        is_published = bool(values)
        question: Question = [(wanted_number.name, wanted_number.path[0]) for wanted_number in self._extra]
        is_due = t_ns >= self._details_due_ns
        if is_due:
            question = [*question, *_DETAILS, *(() if is_published else _UNPUBLISHED)]
        lost = self._refused
        if question and lost is None:
            try:
                values |= self._ask_beans(question)
                self._details_due_ns = t_ns + self._details_ns if is_due else self._details_due_ns
            except reader.NotYet:
                pass
            except Lost as missed:
                lost = missed
        if lost is not None and not is_published:
            raise lost
        values = self._counters.continued(values, METRICS)
        return Reading(
            [Sample(t_ns, "jvm", *key, value) for key, value in values.items()],
            self._note_refusal(t_ns, lost),
        )

    def _ask_beans(self, question: Question) -> dict[tuple[str, str], float]:
        beans = self.ask(question)
        figure_values = {(metric, subject): value for metric, subject, value in figures(beans)}
        for wanted_number in self._extra:
            for name, values in beans.items():
                value = (
                    number(values, *wanted_number.path) if _is_same_bean(wanted_number.name, name) else None
                )
                if value is not None:
                    figure_values["mbean", wanted_number.text] = value
        return figure_values

    def _note_refusal(self, t_ns: int, lost: Lost | None) -> list[Event]:
        """Return a note, once, if only the published figures are read."""
        if lost is None or self._has_noted:
            return []
        self._has_noted = True
        text = ERRORS.only_published(lost.reason, lost.mend)
        return [Event(t_ns, "note", "jvm", text, {"code": lost.code, "mend": lost.mend})]


def _is_same_bean(written: str, canonical: str) -> bool:
    """Return whether a name that a person wrote is that of an MBean: its keys may be in another order."""
    return written.partition(":")[0] == canonical.partition(":")[0] and keys(written) == keys(canonical)


def begin(options: Options, component: Component, place: Place) -> JvmWatch:
    """Watch a JVM. Raises Unavailable if it publishes nothing, lets nobody in and exposes no JMX."""
    for text in options.mbeans:
        wanted(text)
    published = PerfData(way_in.of(component))
    source, refused = None, None
    try:
        source = session.where("jvm", options, component, place)
    except Lost as lost:
        if not published.read():
            raise
        refused = lost
    return JvmWatch(source, refused, published, options)
