"""Figures that a HotSpot JVM publishes in a file in shared memory, as the JDK's `jstat` reads them.

Reading it costs the JVM nothing, and works while it hangs or lets nobody in; it is not there with
-XX:-UsePerfData or -XX:+PerfDisableSharedMem.
Source of the format: PerfDataPrologue and PerfDataEntry in HotSpot's perfMemory.hpp.
"""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from loadrig.base import user_files
from loadrig.probes._jvm.attach import Jvm

_MAGIC = b"\xca\xfe\xc0\xc0"
_HEAD = 32
_MOST_BYTES = 16 << 20
"""Bytes of a JVM's file, at most; it has 32 kB unless -XX:PerfDataMemorySize changes that."""

Value = int | str


def parse(data: bytes) -> dict[str, Value]:
    """Return numbers and texts by name, without what is cut short; empty if this is no such file."""
    values: dict[str, Value] = {}
    if len(data) < _HEAD or not data.startswith(_MAGIC):
        return values
    order = "<" if data[4] else ">"
    position, entries = struct.unpack_from(f"{order}II", data, 24)
    for _ in range(entries):
        if position + 20 > len(data):
            break
        length, name_at, elements, kind, *_, value_at = struct.unpack_from(f"{order}III4BI", data, position)
        name = _text(data[position + name_at : position + value_at])
        value = data[position + value_at : position + length]
        if kind == ord("J") and elements == 0 and len(value) >= 8:
            values[name] = struct.unpack_from(f"{order}q", value)[0]
        elif kind == ord("B"):
            values[name] = _text(value)
        if length <= 0:
            break
        position += length
    return values


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("utf-8", "replace")


def figures(values: Mapping[str, Value]) -> Iterator[tuple[str, str, float]]:
    """Yield metric, subject and value, by the names of the probe `jvm`."""

    def number(name: str) -> int | None:
        value = values.get(name)
        return value if isinstance(value, int) else None

    for metric, key in (("threads", "java.threads.live"), ("threads_started", "java.threads.started"),
                         ("safepoints", "sun.rt.safepoints"),
                         ("monitors_contended", "sun.rt._sync_ContendedLockAttempts")):  # fmt: skip
        if (value := number(key)) is not None:
            yield metric, "", float(value)
    ticks_s = number("sun.os.hrt.frequency") or 1_000_000_000
    for metric, key in (("compilation_s", "java.ci.totalTime"), ("safepoint_s", "sun.rt.safepointTime"),
                         ("safepoint_reach_s", "sun.rt.safepointSyncTime")):  # fmt: skip
        if (value := number(key)) is not None:
            yield metric, "", value / ticks_s
    loaded, unloaded = (
        (number(f"java.cls.{word}Classes") or 0) + (number(f"java.cls.shared{word.capitalize()}Classes") or 0)
        for word in ("loaded", "unloaded")
    )
    if loaded:
        yield "classes_loaded", "", float(loaded)
        yield "classes_unloaded", "", float(unloaded)
        yield "classes", "", float(loaded - unloaded)
    heap = [
        used
        for key, used in values.items()
        if key.startswith("sun.gc.generation.") and key.endswith(".used") and isinstance(used, int)
    ]
    if heap:
        yield "heap_published_bytes", "", float(sum(heap))
    for n in range(3):
        name, count = values.get(f"sun.gc.collector.{n}.name"), number(f"sun.gc.collector.{n}.invocations")
        if isinstance(name, str) and count is not None:
            yield "collections", name, float(count)
            yield "gc_s", name, (number(f"sun.gc.collector.{n}.time") or 0) / ticks_s


class PerfData:
    """Published figures of a JVM."""

    def __init__(self, jvm: Jvm) -> None:
        self._jvm = jvm
        self._path: Path | None = None

    def read(self) -> dict[tuple[str, str], float]:
        """Return the figures by metric and subject; empty if none are published.

        Raises Lost without the JVM.
        """
        self._jvm.still_there()
        if self._path is None:
            self._path = self._find()
        if self._path is None:
            return {}
        try:
            data = user_files.read_bytes(self._path, _MOST_BYTES)
        except OSError:
            self._path = None
            return {}
        return {(metric, subject): value for metric, subject, value in figures(parse(data))}

    def _find(self) -> Path | None:
        name = str(self._jvm.own_pid())
        top = self._jvm.root() / "tmp"
        try:
            folders = [folder for folder in top.iterdir() if folder.name.startswith("hsperfdata_")]
            return next((folder / name for folder in folders if (folder / name).is_file()), None)
        except OSError:  # its root may be looked at by its own user only
            return None
