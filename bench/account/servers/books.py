"""The book of a server: how long its requests truly spent in each stage, as it has timed them itself.

Sums of nanoseconds over requests, in buckets of a quarter of a second by the monotonic clock at the end of
each request, so that whoever reads it can cut out any window. All servers write these fields:

  requests      that ended
  accept_queue  from the arrival of a request in the kernel to the accept of its connection
  unread        from then, or from the arrival, to the reading of the request
  hand          from the reading to the answer's last write
  slot, pool    of these, waiting for a slot or for a connection of the pool
  lock          of these, waiting for the lock and holding it asleep
  cpu           of these, CPU time of the programmed stage
  delay         of these, waiting for a core outside of calls: run delay by the scheduler's own account
  call          of these, from the call of the dependency to the reading of its answer
  disk          of these, in fsync, less CPU time and run delay of its thread, and without the wait of a
                goroutine for its turn after it
  process_cpu   CPU time of the whole process so far, the last value of a bucket

`has_arrivals` says whether the kernel's stamps of arrivals were read (SO_TIMESTAMPNS); without them
`accept_queue` and `unread` are 0.
"""

import json
import os
import socket
import struct
import threading
import time
from typing import Any

BUCKET_NS = 250_000_000
FIELDS = (
    "requests", "accept_queue", "unread", "hand", "slot", "pool", "lock", "cpu", "delay", "call", "disk",
)  # fmt: skip

SO_TIMESTAMPNS = 35
"""Not in Python's `socket`; asm-generic/socket.h has it."""
_STAMP = struct.Struct("qq")
ANCILLARY_BYTES = socket.CMSG_SPACE(_STAMP.size)
STAMPS_AFTER_S = 0.05
"""The kernel switches its stamps on in the background when the first socket wants them."""

CHECK_EVERY = 200
"""Turns of an empty loop, about 5 µs, between two looks at the thread's CPU time."""


class Spent:
    """Times that one request has spent so far, in nanoseconds."""

    __slots__ = ("arrived_ns", "fields")

    def __init__(self) -> None:
        self.fields = dict.fromkeys(FIELDS, 0)
        self.fields["requests"] = 1

    def add(self, field: str, since_ns: int) -> None:
        """Add the time since an instant of the monotonic clock."""
        self.fields[field] += time.monotonic_ns() - since_ns


class Book:
    """All requests of a server; threads may write at the same time."""

    def __init__(self, has_arrivals: bool) -> None:
        self._has_arrivals = has_arrivals
        self._buckets: dict[int, dict[str, int]] = {}
        self._lock = threading.Lock()

    def add(self, spent: Spent) -> None:
        """Enter a request that has ended now."""
        number = time.monotonic_ns() // BUCKET_NS
        with self._lock:
            bucket = self._buckets.setdefault(number, dict.fromkeys(FIELDS, 0))
            for field, value in spent.fields.items():
                bucket[field] += value
            bucket["process_cpu"] = time.process_time_ns()

    def to_json(self) -> str:
        """Return the book as one line of JSON."""
        buckets = [{"number": number, **bucket} for number, bucket in sorted(self._buckets.items())]
        head: dict[str, Any] = {"has_arrivals": self._has_arrivals, "bucket_ns": BUCKET_NS}
        return json.dumps({**head, "buckets": buckets})


def stamped(listener: socket.socket) -> None:
    """Ask the kernel to stamp what arrives, and wait until it does; accepted connections inherit it."""
    listener.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    time.sleep(STAMPS_AFTER_S)


def waited_ns(ancillary: list[tuple[int, int, bytes]], read_wall_ns: int) -> int:
    """Return how long data had been in the kernel when it was read, by the wall clock; 0 without a stamp."""
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS and len(data) >= _STAMP.size:
            seconds, nanoseconds = _STAMP.unpack(data[: _STAMP.size])
            arrived_ns = int(seconds) * 1_000_000_000 + int(nanoseconds)
            return max(0, read_wall_ns - arrived_ns)
    return 0


def before(spent: Spent, waited: int, accepted_ns: int, read_ns: int) -> None:
    """Enter what passed before a request was read. accepted_ns: 0 where its connection was used before."""
    not_accepted = max(0, accepted_ns - (read_ns - waited)) if accepted_ns else 0
    spent.fields["accept_queue"] = min(waited, not_accepted)
    spent.fields["unread"] = waited - spent.fields["accept_queue"]


def burn(spent: Spent, cpu_ms: float) -> None:
    """Run until the thread has used so much CPU time."""
    began = time.thread_time_ns()
    end = began + int(cpu_ms * 1e6)
    while (now := time.thread_time_ns()) < end:
        for _ in range(CHECK_EVERY):
            pass
    spent.fields["cpu"] += now - began


def schedstat() -> int:
    """Return a descriptor of the calling thread's own schedstat, for `delay_ns`."""
    return os.open("/proc/thread-self/schedstat", os.O_RDONLY)


def delay_ns(descriptor: int) -> int:
    """Return how long a thread has waited for a core so far."""
    return int(os.pread(descriptor, 80, 0).split()[1])


def synced(spent: Spent, path: str, data: bytes, own_schedstat: int) -> None:
    """Write data over a file and sync it; what the sync waits for is the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, data, 0)
        began, cpu_ns, delayed = time.monotonic_ns(), time.thread_time_ns(), delay_ns(own_schedstat)
        os.fsync(descriptor)
        delayed = delay_ns(own_schedstat) - delayed
        waited_ns = time.monotonic_ns() - began - (time.thread_time_ns() - cpu_ns) - delayed
        spent.fields["disk"] += max(0, waited_ns)
    finally:
        os.close(descriptor)


def answer(parts: int, closes: bool) -> list[bytes]:
    """Return the answer in so many writes."""
    connection = b"close" if closes else b"keep-alive"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: " + connection + b"\r\n\r\n"
    return [head + b"ok"] if parts == 1 else [head, b"ok"]


def call(port: int) -> bytes:
    """Return the request to the dependency."""
    return b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
