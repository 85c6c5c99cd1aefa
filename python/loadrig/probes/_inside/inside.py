"""Facts that a Python server tells: pauses of its garbage collector, and where its memory grows.

Runs in the server's own processes, on every CPython since 3.8, with the standard library only. It prints
nothing, keeps no file open, and gives up for good, in silence, at the first thing that goes wrong. Each
process appends lines of JSON to a file of its own in the folder that LOADRIG_INSIDE names:

    {"pid": …, "t": …}                                            first
    {"gc": [t, duration, generation, collected, uncollectable]}   a pause worth telling, ns
    {"counts": [n0, n1, n2], "paused": ns, "collected": …, "uncollectable": …, "t": …}   since it began
    {"sites": [[place, bytes, blocks, growth in bytes, in blocks], …], "t": …, "since": …}

Times are nanoseconds of the monotonic clock. The collector's part has no thread: it writes at the end of
a collection, at most once a second. Memory has a thread, which ends before each fork and begins again
after it, so that a server that forks is never a process of several threads because of us.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import time
from _thread import allocate_lock, get_native_id, start_new_thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Where something was allocated: file and line of each frame, the innermost first.
    Place = tuple[tuple[str, int], ...]

# Kept as they are now: gevent and eventlet later replace some of these functions by their own.
_now = time.monotonic_ns
_sleep = time.sleep
_exists = os.path.exists
_NS = 1_000_000_000

PAUSE_NS = 1_000_000
"""Nanoseconds of a pause from which on it is written; shorter pauses are only summed."""

FLUSH_NS = _NS
MOST_PAUSES = 200
"""Pauses written in a second, at most; all others are only summed."""

MOST_BYTES = 8 << 20
"""Bytes of a file, at most: a quarter of a million pauses."""

LEAVE_S = 5.0
"""Seconds that a fork waits for a look at the memory that is under way, and for the thread's end."""

GONE_EVERY_S = 0.0002
"""Seconds between two looks whether the thread has ended: about as long as its end takes."""

SITES = 25
"""Allocation sites written at each look: the ten that grow most are wanted, of several processes."""


class File:
    """File of a process's lines.

    Opened for each write: the server may close descriptors that it does not know.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.is_over = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Begin a file of its own for a process that is new, or has just been forked."""
        self._began = _now()
        self._path = os.path.join(self._folder, f"{os.getpid()}-{self._began}.jsonl")
        self._first: list[dict[str, Any]] = [{"pid": os.getpid(), "t": self._began}]

    def write(self, lines: list[dict[str, Any]]) -> None:
        """Append lines; after the first fault nothing is written any more."""
        if self.is_over:
            return
        try:
            lines, self._first = self._first + lines, []
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                self.is_over = os.fstat(file).st_size + len(text) > MOST_BYTES
                if not self.is_over:
                    os.write(file, text)
            finally:
                os.close(file)
        except Exception:
            self.is_over = True


class Collector:
    """Listener to the garbage collector of this process."""

    def __init__(self, file: File) -> None:
        self._file = file
        self.begin_anew()

    def begin_anew(self) -> None:
        """Begin at zero in a process that is new, or has just been forked: nothing was collected in it."""
        self._began = self._flushed = 0
        self._counts = [0, 0, 0]
        self._paused = self._collected = self._uncollectable = 0
        self._pauses: list[dict[str, Any]] = []

    def listen(self, phase: str, info: dict[str, int]) -> None:
        """Count a collection: the interpreter calls this at the start and the end of each."""
        try:
            if phase == "start":
                self._began = _now()
            elif self._began:
                self._ended(_now(), info)
        except Exception:
            self._file.is_over = True

    def _ended(self, now: int, info: dict[str, int]) -> None:
        began, self._began = self._began, 0
        paused = now - began
        generation = info["generation"]
        self._counts[generation] += 1
        self._paused += paused
        self._collected += info["collected"]
        self._uncollectable += info["uncollectable"]
        if paused >= PAUSE_NS and len(self._pauses) < MOST_PAUSES:
            pause = [began, paused, generation, info["collected"], info["uncollectable"]]
            self._pauses.append({"gc": pause})
        if now - self._flushed >= FLUSH_NS:
            self.flush()

    def flush(self) -> None:
        """Write the pauses since the last call, and the sums."""
        now = self._flushed = _now()
        pauses, self._pauses = self._pauses, []
        counts = {
            "counts": self._counts, "paused": self._paused, "collected": self._collected,
            "uncollectable": self._uncollectable, "t": now,
        }  # fmt: skip
        self._file.write([*pauses, counts])


class Sites:
    """Places at which the memory of this process grows, by tracemalloc.

    Tracing begins `after_s` seconds after the process: what the application loads is not looked at. The
    first look is what all later looks are compared with. depth: frames of each place, the innermost first.
    """

    def __init__(self, file: File, after_s: float, every_s: float, depth: int) -> None:
        import tracemalloc

        self._tracer = tracemalloc
        self._file = file
        self._after_s, self._every_s, self._depth = after_s, every_s, depth
        # A lock that asks the thread to leave, one that tells that it has left, and its number in the
        # kernel once it runs; None without a thread.
        self._thread: tuple[Any, Any, list[int]] | None = None
        self.start_anew()

    def start_anew(self) -> None:
        """Begin anew in a process that is new, or has just been forked: nothing has been seen of it."""
        self._tracer.stop()
        self._first: dict[Place, tuple[int, int]] | None = None
        self._first_ns = 0
        self._due_ns = _now() + int(self._after_s * _NS)
        self._thread = None
        self.start()

    def start(self) -> None:
        """Begin to look, in a thread that nobody waits for."""
        if self._thread is not None or self._file.is_over:
            return
        leave, has_left, number = allocate_lock(), allocate_lock(), []  # type: Any, Any, list[int]
        leave.acquire()
        has_left.acquire()
        self._thread = (leave, has_left, number)
        try:
            start_new_thread(self._follow, (leave, has_left, number))
        except RuntimeError:  # Python is about to end, or the system has no thread left
            self._thread = None

    def stop(self) -> None:
        """End the thread; called before a fork. It waits LEAVE_S at most for a look under way.

        It also waits until the kernel has no such thread any more. The first thread of a process that ends
        loads a library (libgcc_s), and a child that is forked meanwhile dies when it loads one itself.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        leave, has_left, number = thread
        leave.release()
        if not has_left.acquire(True, LEAVE_S) or not number:
            return
        until = _now() + int(LEAVE_S * _NS)
        while _exists(f"/proc/self/task/{number[0]}") and _now() < until:
            _sleep(GONE_EVERY_S)

    def last(self) -> None:
        """Look once more: the process is about to end."""
        self.stop()
        if self._first is not None:
            self._look()

    def _follow(self, leave: Any, has_left: Any, number: list[int]) -> None:
        try:
            number.append(get_native_id())
            while not leave.acquire(True, max(0.0, (self._due_ns - _now()) / _NS)):
                if self._tracer.is_tracing():
                    self._look()
                else:
                    self._tracer.start(self._depth)
                self._due_ns = _now() + int(self._every_s * _NS)
        except Exception:
            self._file.is_over = True
        finally:
            has_left.release()

    def _look(self) -> None:
        """Write the places whose memory has grown since the first look."""
        now, held = _now(), self._held()
        if self._first is None:
            self._first, self._first_ns = held, now
            return
        grown = []
        for place, (size, count) in held.items():
            size_before, count_before = self._first.get(place, (0, 0))
            if size > size_before:
                grown.append((size - size_before, count - count_before, size, count, place))
        grown.sort(reverse=True)
        roots = {os.path.join(os.path.abspath(path), "") for path in sys.path}
        longest_first = sorted(roots, key=len, reverse=True)
        sites = [
            [_named(place, longest_first), size, count, growth, more]
            for growth, more, size, count, place in grown[:SITES]
        ]
        self._file.write([{"sites": sites, "t": now, "since": self._first_ns}])

    def _held(self) -> dict[Place, tuple[int, int]]:
        """Return bytes and blocks by place, without those of this file and of tracemalloc."""
        own_files = (__file__, self._tracer.__file__)
        held: dict[Place, tuple[int, int]] = {}
        for statistic in self._tracer.take_snapshot().statistics("traceback"):
            place = tuple((frame.filename, frame.lineno) for frame in reversed(statistic.traceback))
            if place[0][0] not in own_files:
                held[place] = (statistic.size, statistic.count)
        return held


def _named(place: Place, roots: list[str]) -> str:
    """Return a place in words, "shop/cart.py:16 < shop/web.py:5": files as they are imported."""
    words = []
    for name, line in place:
        root = next((root for root in roots if name.startswith(root)), "")
        words.append(f"{name[len(root) :]}:{line}")
    return " < ".join(words)


def start() -> None:
    """Begin to write, as LOADRIG_INSIDE asks: JSON with folder, and sites (after_s, every_s, depth)."""
    options = json.loads(os.environ["LOADRIG_INSIDE"])
    file = File(options["folder"])
    file.write([])  # so that the rig sees that this process writes
    collector = Collector(file)
    gc.callbacks.append(collector.listen)
    os.register_at_fork(after_in_child=file.begin_anew)
    os.register_at_fork(after_in_child=collector.begin_anew)
    atexit.register(collector.flush)
    if options.get("sites"):
        sites = Sites(file, **options["sites"])
        os.register_at_fork(before=sites.stop, after_in_parent=sites.start, after_in_child=sites.start_anew)
        atexit.register(sites.last)
