"""Sentences of `row_lock` in English, and the sections of its page.

## Signature

Most of the sessions at work in the database wait for a lock, and its CPU is not used up.

## Data

Time waited for rows and sessions that wait (MariaDB), sessions by what they wait for (PostgreSQL), the
database's CPU time.

## Deciding test

Spread the writes over more keys (a counter in shards), or shorten the transaction: throughput rises while
nothing else has changed. `--prove` can clear its rivals (the database's CPU, the pool), and changes no
statement.

## Guard

Slow commits to a disk keep locks long: then the disk is the cause. A full CPU does the same. A few short
waits are in every database that is written to.

## Fix

Shorter transactions (nothing slow between the lock and the commit) that lock the hot row last, sharded
counters, an atomic `UPDATE … SET n = n + 1` instead of `SELECT … FOR UPDATE`.
"""


class RowLockTexts:
    title = "statements wait for each other's locks"
    no_proof = (
        "the program chooses its rows; spread the writes over more rows in a copy, and run the two in turn"
    )
    decides = "the same load over many rows instead of one: throughput rises with nothing else changed"
    locks_not_read = "its locks were not read"

    def sessions_work_waited(self, waiting: str, among: str) -> str:
        return f"{waiting} of {among} sessions at work waited for a lock, on average"

    def used_meanwhile(self, mean: str, cores: str) -> str:
        return f"it used {mean} of {cores} meanwhile"

    def sessions_waited_lock(self, waiting: str) -> str:
        return f"{waiting} sessions waited for a lock at a time"

    def each_request(self, waiting: str) -> str:
        return f": {waiting} of the time of each request"

    def whose_median(self, p50: str) -> str:
        return f", whose median was {p50}"

    def requests_database_waited(self, waiting: str, in_database: str) -> str:
        return f"{waiting} of {in_database} requests in the database waited for a lock"

    def used(self, mean: str, cores: str) -> str:
        return f"it used {mean} of {cores}"

    def idle_too(self, used: str, name: str) -> str:
        return f"{used}, and {name} was idle too"

    def effect(self, waiting: str) -> str:
        return f"{waiting} requests may wait in the database while no CPU is busy"

    def let_probe_read(self, name: str) -> str:
        return f"let the probe read what sessions of {name} wait for"

    def look_at(self, top: str) -> str:
        return f" (look at {top})"

    def held_by(self, holder: str) -> str:
        return f"; sessions of {holder} held it"

    def waited_behind(self, holder: str) -> str:
        return f"most of them stood behind a transaction of {holder}"

    def mend_holder(self, holder: str) -> str:
        return (
            f"let {holder} commit sooner: fewer rows in a transaction, and nothing slow while it is open; or"
            " let it run when nobody asks"
        )

    def make_transaction_shorter(self, which: str) -> str:
        return (
            f"make the transaction shorter or spread the hot row over many{which}: commit right after the"
            " write"
        )
