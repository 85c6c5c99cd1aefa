"""Garbage collections of a JVM: every pause with its cause and length, and what was done beside the threads.

## What it reads

The unified log of JDK 9 and later, of all collectors. If the JVM's command line, or whatever else told it,
has it log `gc*` to a file, that file is followed and nothing in the JVM is changed; -Xlog:gc alone is enough
but for ZGC. Otherwise the JVM is told over its attach socket (as `jcmd PID VM.log` does) to log `gc*` and
`safepoint` to a file in the trial's folder, and to end that when the probe leaves; its own logs stay as they
are. JDK 8 cannot be told that: start it with -Xloggc:FILE -XX:+PrintGCDetails -XX:+PrintGCDateStamps.

## How to read it

Each pause is an event `gc_pause`: all threads stood still for `duration_s` from then on, for `cause`. Work
beside the threads is an event `gc_concurrent`: G1's mark cycles and ZGC's collections as a whole, of others
the phases of a millisecond and more. `pause_s` grows by the share of time that was lost to pauses: below
0.01 a second, collection explains no loss of throughput, and no slow request but those that met a pause.
`heap_after_bytes` is what was alive after the last collection: its floor that rises over minutes is a leak,
and near `heap_committed_bytes` at its maximum the JVM collects again and again. `allocated_bytes` is what the
program asks for between collections; a rate of gigabytes a second is the cause of frequent young pauses.
`safepoint_s` counts all stops, for collections and for other reasons; `safepoint_reach_s` is the part that
went by until the last thread stood still. ZGC's own pauses leave that out, so look there for its stops.
`stall_s`: threads waited for memory because ZGC could not keep up.

A pause begins at the date of its line less its length: right to the microsecond where the log bears
`timenanos` (the one we switch on does), to a millisecond by `time`, and to some 10 ms by `uptime` alone,
which is counted from the start of the process. Sizes are as fine as the log says them, mostly mebibytes.

## Cost

0.03 ms of one core for a sample in which the log has gained nothing, 8 µs for a line, of which a collection
writes ten to thirty. To switch the log on takes 15 ms, once, and to switch it off 1 ms.
Measured on Linux 6.18, Python 3.11, OpenJDK 17.
"""

from collections.abc import Mapping

from loadrig.base.component import Component
from loadrig.base.effects import EFFECT_EVENTS, ServerEffect
from loadrig.base.series import Metric
from loadrig.probes._jvm.access import is_jvm
from loadrig.probes._session import Place, Session
from loadrig.probes._watch import Options as Options

ONLY = {"runtime": ("jvm",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "changes a setting",
        "A log of collections is switched on in the JVM, and off again at the end.",
        "permit: [jvm-attach]",
    ),
    ServerEffect(
        "sends a signal",
        "SIGQUIT, at which a JVM opens a socket of its own user's in /tmp; it stays.",
        "permit: [jvm-attach]",
    ),
    ServerEffect(
        "writes a file",
        "That log, in the trial's folder or in a folder of ours in /tmp.",
        "permit: [jvm-attach]",
    ),
)

METRICS: Mapping[str, Metric] = {
    "pause_s": Metric(
        "s", "counter", "Time in which all threads stood still for a collection.", "jvm.gc.duration"
    ),
    "pauses": Metric("1", "counter", "Such pauses, by kind."),
    "concurrent_s": Metric("s", "counter", "Time in which collection went on beside the threads."),
    "heap_after_bytes": Metric(
        "B", "gauge", "Heap in use after the last collection.", "jvm.memory.used_after_last_gc"
    ),
    "heap_committed_bytes": Metric(
        "B", "gauge", "Heap that the JVM has from the system.", "jvm.memory.committed"
    ),
    "allocated_bytes": Metric("B", "counter", "Heap that was filled between collections; not of ZGC."),
    "promoted_bytes": Metric("B", "counter", "What young collections moved into the old generation."),
    "safepoint_s": Metric("s", "counter", "Time in which all threads stood still, for whatever reason."),
    "safepoint_reach_s": Metric("s", "counter", "Part of it until the last thread stood still."),
    "safepoints": Metric("1", "counter", "Stops of all threads."),
    "stall_s": Metric("s", "counter", "Time that threads waited for memory, summed over threads; of ZGC."),
}  # fmt: skip

EVENTS: Mapping[str, str] = {
    **EFFECT_EVENTS,
    "gc_pause": "All threads of a JVM stood still for a garbage collection.",
    "gc_concurrent": "A JVM collected garbage beside its threads.",
    "safepoint": "All threads of a JVM stood still, not for a collection, for 10 ms or more.",
}


fits = is_jvm


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable if the JVM writes no log that can be read, and the rig may not switch one on.
    """
    from loadrig.probes._jvm import gc_watch  # imported here, as only a JVM needs it

    del options
    return gc_watch.begin(component, place)
