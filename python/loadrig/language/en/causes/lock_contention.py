"""Sentences of `lock_contention` in English, and the sections of its page.

## Signature

Many requests in flight and CPU idle; the threads (or goroutines) that serve them stand in a lock; throughput
is that of one request at a time, whatever the number of threads.

## Data

Go: goroutines by where they stand, the mutex profile where it is on. JVM: threads in the state BLOCKED.
Python: threads that wait for neither the interpreter lock nor another program. Everywhere: throughput × the
time of a request alone, which is one for a lock that all requests take.

## Deciding test

More threads: throughput stays, or falls. The lock narrowed, or split, in a copy: it rises. `--prove` can
clear its rivals by their knobs, and does not change the program.

## Guard

Threads that wait for work are idle, not contended. Waits within a dependency (row locks, a full pool) are
its own. The interpreter lock of CPython is `gil`.

## Fix

Hold the lock for a shorter time: no I/O while it is held; split it by key; use a structure without locks.
"""


class LockContentionTexts:
    """Sentences about threads that wait for a lock in the application."""

    title = "requests wait for their turn at a lock, a limit or a queue inside the application"
    no_proof = (
        "the lock is in the program; hold it for a shorter time or split it in a copy, and run the"
        " two in turn"
    )
    decides = "more threads: throughput stays if this is the cause; the lock split in a copy: it rises"
    mend_deadlock = "look where its threads wait; take locks always in the same order, and release each"
    decides_deadlock = "stacks of its threads while it stands still"
    mend_tasks = (
        "find what lets so few tasks through at a time: a limiter or a semaphore (raise it as far as what"
        " lies behind bears it), a lock that is held across an await, or a queue with one consumer (start"
        " more)"
    )
    go_shows = 'import _ "net/http/pprof" shows it'
    go_names = "runtime.SetMutexProfileFraction(5), then /debug/pprof/mutex, names it"
    jvm_shows = "jstack, or the probe jvm, shows it"
    jvm_names = "jstack PID names it and who holds it"
    python_shows = "py-spy dump shows it"
    python_names = "py-spy dump --pid PID names who waits where"
    stacks_show = "a stack of each thread (gdb -p) shows it"
    stacks_name = "stacks of its threads name it"

    def loop_is_free(self, share: str) -> str:
        return f"its event loop asked for events {share} of the time: no call holds it up, tasks take turns"

    def stood_idle(self, waiting: str) -> str:
        return f"{waiting} requests waited inside it while it used no core and waited for no other program"

    def deadlock_unseen(self, how: str) -> str:
        return f"the lock, queue or pool was not observed: {how}"

    def wait_for_each_other(self, waiting: str, duration: str) -> str:
        return (
            f"{waiting} requests wait for each other, or for something that is never released, in the"
            f" last {duration}"
        )

    def in_flight(self, number: str) -> str:
        return f"{number} requests in flight"

    def at_cores(self, shown: str, rate: str, cores: str) -> str:
        return f"{shown}, {rate}/s at {cores} cores in use"

    def at_unknown_cores(self, shown: str, rate: str) -> str:
        return f"{shown}, {rate}/s at an unknown number of cores in use"

    def mend_file(self, file: str) -> str:
        return (
            f"hold the lock of {file} for less time: no call to another program while a transaction or a"
            " session is open; SQLite: PRAGMA journal_mode=WAL, and for many writers a database server"
        )

    def mend(self, way: str) -> str:
        return f"find the lock ({way}), hold it for a shorter time or split it"

    def waits_share(self, share: str) -> str:
        return f"a request waits {share} of its time for the lock"

    def waits_unseen(self, how: str) -> str:
        return f"what its threads wait for was not observed: {how}"
