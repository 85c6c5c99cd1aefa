"""Texts of events in English: what probes, profilers and members saw, by name and values.

A recording keeps the name and the values beside the text, so names and holes stay as they are.
"""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.log_facts import LogFactTexts


def _with(size: str) -> str:
    return f" with {size}" if size else ""


class EventTexts:
    """Texts of the events of recordings."""

    reasons: ClassVar[Mapping[str, str]] = {
        "recycled": "recycled",
        "timed_out": "timed out",
        "killed": "killed",
        "out_of_memory": "out of memory",
    }
    checkpoint_causes: ClassVar[Mapping[str, str]] = {"requested": "requested", "timed": "timed"}
    go_sources: ClassVar[Mapping[str, str]] = {
        source: source
        for source in (
            "the environment variable GOMAXPROCS", "the affinity mask", "the quota of its group",
        )
    }  # fmt: skip
    log_facts: ClassVar[Mapping[str, str]] = LogFactTexts.sentences

    # --- components and processes -------------------------------------------------------------------

    def component_found(self, name: str, kind: str, version: str, pid: str) -> str:
        what = kind if kind == name else f"{name} is {kind}"
        return what + (f" {version}" if version else "") + (f", process {pid}" if pid else "")

    def process_started(self, pid: str, name: str) -> str:
        return f"process {pid} ({name}) was started"

    def process_ended(self, pid: str, name: str) -> str:
        return f"process {pid} ({name}) ended"

    def restarted(self, program: str) -> str:
        return f"{program} was restarted"

    def restarted_before(self, program: str, ago: str) -> str:
        return f"{program} was restarted {ago} ago"

    def worker_started(self, pid: str, memory: str) -> str:
        return f"worker {pid} was started{_with(memory)}"

    def worker_replaced(self, pid: str, memory: str, before: str, memory_before: str) -> str:
        return f"worker {pid} was started{_with(memory)} in place of {before}{_with(memory_before)}"

    def worker_ended(self, pid: str, reason: str, how: str, lived: str, memory: str) -> str:
        why = self.reasons.get(reason, "" if reason in ("unknown", "exited") else reason)
        ended = f"worker {pid} ended" + (f": {why}" if why else "") + (f" ({how})" if how else "")
        return f"{ended}, after {lived}{_with(memory)}"

    def group_killed(self, count: int, group: str) -> str:
        return (
            f"the kernel killed {count} process{'es' if count > 1 else ''} of the group {group}: memory limit"
        )

    def memory_killed(self, count: int) -> str:
        return f"the kernel killed {count} process{'es' if count > 1 else ''} because memory ran out"

    # --- collectors of garbage, threads and memory --------------------------------------------------

    def go_stopped(self, took: str) -> str:
        return f"a garbage collection stopped the program for {took}"

    def go_stopped_with_heap(self, took: str, before: str, after: str) -> str:
        return f"a garbage collection stopped the program for {took}; heap {before} before, {after} after"

    def go_runtime(self, version: str, threads: str, source: str, cores: str) -> str:
        threads_text = (
            f" runs on {threads} threads at once (GOMAXPROCS, from {self.go_sources.get(source, source)})"
            if threads
            else ""
        )
        limit = f"its group may use {cores}" if cores else "no quota limits it"
        return f"Go {version or 'of an unknown version'}{threads_text}; {limit}"

    def python_stopped(self, pid: str, took: str, generation: str) -> str:
        return f"process {pid} was stopped for {took}: garbage collection of generation {generation}"

    def node_stopped(self, kind: str, pid: str, took: str) -> str:
        return f"a garbage collection ({kind}) stopped the event loop of process {pid} for {took}"

    def jvm_stopped(self, operation: str, took: str) -> str:
        return f"all threads stopped for {operation or 'no collection'}: {took}"

    def lock_held(self, pid: str, share: str, frame: str) -> str:
        return f"process {pid} held the interpreter lock {share} of the time, most in {frame}"

    def busiest_thread(self, tid: str, name: str, share: str) -> str:
        return f"thread {tid} ({name}) ran {share} of the time, and no other thread ran much"

    def busiest_of_threads(self, tid: str, name: str, share: str, count: int) -> str:
        return f"thread {tid} ({name}) ran {share} of the time, most of {count} busy threads"

    def memory_grows(self, place: str, size: str, blocks: str) -> str:
        return f"memory grows most at {place}: {size} in {blocks} blocks since the first snapshot"

    # --- databases and logs -------------------------------------------------------------------------

    def checkpoint(self, cause: str) -> str:
        return f"a checkpoint, {self.checkpoint_causes.get(cause, cause)}"

    def checkpoint_written(self, cause: str, took: str) -> str:
        return f"a checkpoint, {self.checkpoint_causes.get(cause, cause)}, {took} of writing"

    def slow_command(self, command: str, took: str) -> str:
        return f"{command} took {took}; no other command was served meanwhile"

    def latency(self, event: str, took: str) -> str:
        return f"redis noted a latency of {took} in {event}"

    def server_fact(self, system: str, fact: str) -> str:
        return f"{system}: {self.log_facts.get(fact, fact)}"

    def log_begun_anew(self, log: str) -> str:
        return f"the log {log} was rotated or truncated"

    def access_log_moved(self, log: str) -> str:
        return f"the access log {log} was rotated"

    def access_log_cut(self, log: str) -> str:
        return f"the access log {log} was truncated"

    # --- effects on servers -------------------------------------------------------------------------

    def inspector_opened(self, pid: str, port: str, host: str) -> str:
        return f"the inspector of process {pid} is opened at port {port} of {host}"

    def inspector_closed(self, pid: str) -> str:
        return f"the inspector of process {pid} is closed again"

    def node_watch_begun(self, pid: str) -> str:
        return f"a timer and an observer of garbage collections run in process {pid}"

    def node_watch_ended(self, pid: str) -> str:
        return f"the timer and the observer in process {pid} are ended"

    def jvm_attached(self, pid: str) -> str:
        return f"the JVM {pid} is attached to; the local connector that this opens stays until the JVM ends"

    def jvm_log_begun(self, pid: str, file: str) -> str:
        return f"the JVM {pid} logs its garbage collections to {file}"

    def jvm_log_ended(self, pid: str) -> str:
        return f"the JVM {pid} no longer logs its garbage collections"

    def async_profiler_loaded(self, pid: str) -> str:
        return f"async-profiler is loaded into the JVM {pid}, where its library stays until the JVM ends"

    def async_profiler_stopped(self, pid: str) -> str:
        return f"async-profiler is stopped in the JVM {pid}"

    def level_judged(self, level: str, verdict: str) -> str:
        words = {"meets": "meets the goals", "fails": "misses a goal", "open": "is not decided"}
        return f"level {level} {words.get(verdict, verdict)}"
