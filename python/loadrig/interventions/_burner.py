"""Program that takes a part of some cores, so that others have less of them.

It is run by path with an interpreter that knows no site packages, and imports nothing of loadrig. Arguments:
the share to be taken, and the cores. On standard input one JSON object a line: {"on": true} or {"on": false}.
It answers each with a line, and writes one when it is ready.

It becomes one process for each core, which burns its share of every period. The share is measured by the CPU
time that the process had, so that a process which was kept from burning makes up for it.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time

PERIOD_S = 0.010
"""Period of burning and resting on each core, in seconds."""

BEHIND_S = 5 * PERIOD_S
"""Greatest delay that is made up for, in seconds: to make up for all of a longer one would be a stall, not
a fifth."""

PR_SET_PDEATHSIG = 1

ON, OFF = b"1", b"0"
"""Orders to the process of a core."""


def go_first() -> None:
    """Let this process run before all others, as far as it has the right to."""
    with contextlib.suppress(OSError):
        # The kernel limits real-time processes to 95 % of a core; this one takes a fifth at most.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        return
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def burn(core: int, share: float, first_s: float, orders: int) -> None:
    """Burn CPU time on a core while that is ordered; end when the orders end.

    share: share of each period that is burnt. first_s: instant of the first burst, in seconds after the
    order. orders: descriptor that orders are read from.
    """
    os.sched_setaffinity(0, [core])
    is_on, due_s, had_s = False, 0.0, 0.0
    while True:
        wait_s = max(0.0, due_s - time.monotonic()) if is_on else None
        if select.select([orders], [], [], wait_s)[0]:
            order = os.read(orders, 1)
            if not order:
                return
            is_on = order == ON
            due_s, had_s = time.monotonic() + first_s, time.thread_time()
            continue
        due_s = max(due_s + PERIOD_S, time.monotonic() - BEHIND_S)
        had_s = max(had_s + PERIOD_S * share, time.thread_time())
        while time.thread_time() < had_s:
            pass


def started(core: int, share: float, first_s: float, others: "list[int]") -> int:
    """Start the process of one core; return the descriptor by which it takes orders.

    others: descriptors of the processes that were started before.
    """
    reading, writing = os.pipe()
    leader = os.getpid()
    if os.fork():
        os.close(reading)
        return writing
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for end in (0, writing, *others):
            os.close(end)
        if os.getppid() == leader:  # the leader was still alive when prctl took effect
            burn(core, share, first_s, reading)
    finally:
        os._exit(0)


def main() -> None:
    """Start one process for each core, hand on each order, and end them at the end of standard input."""
    share, cores = float(sys.argv[1]), [int(word) for word in sys.argv[2:]]
    go_first()
    ends: list[int] = []
    for place, core in enumerate(cores):
        # The bursts are spread over the period: what is driven from one core may find another one free.
        ends.append(started(core, share, PERIOD_S * place / len(cores), ends))
    os.write(1, b'{"ready": true}\n')
    for line in sys.stdin:
        for end in ends:
            os.write(end, ON if json.loads(line)["on"] else OFF)
        os.write(1, b'{"done": true}\n')
    for end in ends:
        os.close(end)
    for _ in ends:
        os.wait()


if __name__ == "__main__":
    main()
