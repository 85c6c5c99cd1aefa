"""Sentences of `disk_io` in English, and the sections of its page.

## Signature

Threads of the program stand in uninterruptible sleep (state D), or a database says that its sessions wait
for I/O; somebody waits for a disk for a good part of the time (PSI); and its CPU is not what is used up.

## Data

States of threads, PSI of io, what each disk did (time busy, flushes and the time they took), waits of a
database's sessions, bytes that the program itself wrote and read.

## Deciding test

The data on tmpfs, or durability relaxed in a copy (innodb_flush_log_at_trx_commit=2, synchronous_commit=off,
appendfsync everysec): throughput rises. `--prove` does not touch anybody's data.

## Guard

Written data goes to the disk in bursts, later and in the background: a busy disk for which nobody waits
accuses nobody. Waits for memory that was thrown out look the same, with major faults. Where one request at a
time writes, the others wait for its turn to end, not for the disk: with a flush for each request, or for
each of the route that writes, that queue is the disk's, and a shorter turn is what its mend brings.

## Fix

Commit in groups, write less, a faster disk or one of its own; relaxed durability where a lost second does
no harm.
"""


class DiskIoTexts:
    """Sentences about a program that waits for a disk."""

    title = "the disk is the bottleneck"
    no_proof = "loadrig does not move data; repeat the run with a copy on tmpfs, or with durability relaxed"
    decides = "the same load with its data on tmpfs, or with durability relaxed: throughput rises"
    unknown_number = "an unknown number"
    states_unread = "the states of its threads were not read: run loadrig as root, or as its user"
    stalls_unread = "the time that tasks waited for a disk was not read: boot with psi=1"
    mend_mariadb = (
        "innodb_flush_log_at_trx_commit=2 where a lost second does no harm; one transaction for many"
        " writes; a faster disk"
    )
    mend_postgresql = (
        "synchronous_commit=off where a lost half second does no harm; commit_delay; one"
        " transaction for many writes; a faster disk"
    )
    mend_redis = "appendfsync everysec instead of always; a faster disk"
    mend = "write less often and more at a time, call fsync in another thread, or use a faster disk"

    mend_reads = (
        "keep in memory what is read again and again (more memory, a bigger cache), read less for a request,"
        " or use a faster disk"
    )

    def waited_for_turn(self, number: str) -> str:
        return (
            f"{number} requests at a time waited for their turn to make data durable (fsync): one request"
            " writes at a time"
        )

    def waited(self, number: str) -> str:
        return f"{number} of its threads or sessions waited for a disk on average"

    def somebody_waited(self, share: str) -> str:
        return f"some task waited for a disk {share} of the time"

    def request_makes_durable(self, share: str) -> str:
        return f"making data durable (fsync) takes {share} of a request, waiting for other fsyncs left out"

    def made_durable_each(self, number: str) -> str:
        return f"{number} fsyncs for each request that writes"

    def wait_for_lock(self, locked: str, number: str) -> str:
        together = "those that write at the same time are made durable together"
        return f"{locked} sessions waited for a lock, and {number} for the disk: {together}"

    def cpu_used(self, share: str) -> str:
        return f"it used {share} of the CPU that it may use"

    def made_durable(self, disk: str, rate: str, each: str) -> str:
        return f"{disk} completed {rate} fsyncs a second, {each} each"

    def was_busy(self, disk: str, share: str) -> str:
        return f"{disk} was busy {share} of the time"

    def waited_until_durable(self, rate: str) -> str:
        return f"it waited {rate} times a second until data was on the disk (fsync)"

    def wrote_little_of(self, total: str, own: str) -> str:
        return f"; it wrote only {own}/s of the {total}/s that were written"

    def read(self, own: str) -> str:
        return f"; it read {own}/s"

    def wrote(self, own: str) -> str:
        return f"; it wrote {own}/s"
