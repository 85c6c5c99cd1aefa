"""A JVM from inside: its heap and other memory by pool, threads by state, collectors, classes, compiler.

## What it reads

Each time, what the JVM publishes for `jstat` in a file of its own: number of threads, classes, compiler,
collections, stops, heap in use. That asks nothing of the JVM, and goes on while it hangs or lets nobody in.

Every ten seconds (option `details_every`), and each time for option `mbeans`, the platform's MBeans, by a
small Java program of ours that enters the JVM as `jcmd` does and has it open its local connector
(`ManagementAgent.start_local`): no agent and no option is needed in the server. Where the JVM lets nobody in,
its remote JMX is used: the port that its command line names, or option `at`. A user of the remote JMX who may
only read attributes sees no threads by state.

## How to read it

`memory_used_bytes` of `heap` climbs and falls with each collection; the floor is `memory_after_gc_bytes` of
the old generation's pool. Metaspace that never stops growing is a leak of classes. Of the threads look at
`BLOCKED`: they wait for a lock that another thread holds; many of them with idle CPUs are a contended lock.
`TIMED_WAITING` and `WAITING` are mostly idle threads of pools. `compilation_s` that still grows says that
the JVM is still warming up. `gc_s` by collector counts what the collector says of itself: for those that work
beside the threads it is no pause (the probe `gc_log` has the pauses). `safepoint_s` is the time in which all
threads stood still, for collections and else.

## Cost

0.9 ms of one core a second here, 1.5 to 3 ms in the reader, and in the JVM 4 ms in the first minutes, while
it compiles what it has run for nobody before, 1.5 ms later; 44 MB for the reader. Once: 0.3 s of CPU in the
JVM and as much in the reader, and 1.5 s to compile the reader on a machine that never had it. The JVM keeps
its local connector: one socket on loopback and its idle threads.
Measured on Linux 6.18, Python 3.11, OpenJDK 17, at one reading a second.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.effects import EFFECT_EVENTS
from loadrig.base.series import Metric
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.probes._jvm.access import ENTERED, MBeanAccess, is_jvm
from loadrig.probes._session import Place, Session

EVENTS = EFFECT_EVENTS
ONLY = {"runtime": ("jvm",)}

EFFECTS = ENTERED

METRICS: Mapping[str, Metric] = {
    "memory_used_bytes": Metric(
        "B", "gauge", "Memory in use: heap, nonheap, and by pool.", "jvm.memory.used"
    ),
    "memory_committed_bytes": Metric(
        "B", "gauge", "Memory that the JVM has from the system: heap and nonheap.", "jvm.memory.committed"
    ),
    "memory_limit_bytes": Metric(
        "B", "gauge", "Most it may take: heap, and pools with a limit.", "jvm.memory.limit"
    ),
    "memory_after_gc_bytes": Metric(
        "B", "gauge", "In use right after the pool was last collected.", "jvm.memory.used_after_last_gc"
    ),
    "heap_published_bytes": Metric(
        "B", "gauge", "Heap in use as last published: after a collection at least, of some as it fills."
    ),
    "buffer_used_bytes": Metric(
        "B", "gauge", "Memory of buffers outside the heap.", "jvm.buffer.memory.used"
    ),
    "buffers": Metric("1", "gauge", "Buffers outside the heap.", "jvm.buffer.count"),
    "threads": Metric("1", "gauge", "Threads, in all and by state.", "jvm.thread.count"),
    "threads_started": Metric("1", "counter", "Threads ever started."),
    "classes": Metric("1", "gauge", "Classes loaded now.", "jvm.class.count"),
    "classes_loaded": Metric("1", "counter", "Classes ever loaded.", "jvm.class.loaded"),
    "classes_unloaded": Metric("1", "counter", "Classes ever unloaded.", "jvm.class.unloaded"),
    "compilation_s": Metric("s", "counter", "Time spent compiling, summed over the compiler's threads."),
    "cpu_s": Metric("s", "counter", "CPU time of the process.", "jvm.cpu.time"),
    "cpus": Metric("cores", "gauge", "Processors that the JVM believes it has.", "jvm.cpu.count"),
    "gc_s": Metric("s", "counter", "Time of collections, by collector."),
    "collections": Metric("1", "counter", "Collections, by collector."),
    "safepoint_s": Metric("s", "counter", "Time in which all threads stood still, for whatever reason."),
    "safepoint_reach_s": Metric("s", "counter", "Time until the last thread stood still."),
    "safepoints": Metric("1", "counter", "Stops of all threads."),
    "monitors_contended": Metric(
        "1", "counter", "Times that a thread had to wait to enter `synchronized`, where the JVM publishes it."
    ),
    "fds": Metric("1", "gauge", "Open descriptors.", "jvm.file_descriptor.count"),
    "fds_limit": Metric("1", "gauge", "Most descriptors allowed.", "jvm.file_descriptor.limit"),
    "uptime_s": Metric("s", "gauge", "Time since the JVM started."),
    "mbean": Metric("1", "gauge", "A number that option `mbeans` names, in its own unit."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options(MBeanAccess):
    """Options of the probe: how the JVM is reached, and what else to read of it."""

    details_every: Seconds = option(
        "Time between two readings of what has to be asked: all MBeans but those of `mbeans`.",
        default=Seconds(10.0),
        low=0.0,
    )
    mbeans: tuple[str, ...] = option(
        "More numbers to read, each as MBEAN/ATTRIBUTE, or MBEAN/ATTRIBUTE/KEY of a composite attribute.",
        default=(),
        example="java.lang:type=Threading/PeakThreadCount",
    )


fits = is_jvm


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable if the JVM publishes nothing, lets nobody in and exposes no JMX.
    """
    from loadrig.probes._jvm import jvm_watch  # imported here, as only a JVM needs it

    return jvm_watch.begin(options, component, place)
