"""Sentences of `missing_index` in English, and the sections of its page.

## Signature

For each request the database reads thousands of rows without an index, and sends next to none of them;
reading them is what its CPU time goes into.

## Data

Rows read by going through tables or along an index, rows sent (MariaDB: Handler_read_rnd_next, _next, _prev;
PostgreSQL: tup_returned less tup_fetched, and tup_fetched where a statement fetches thousands); by statement
where performance_schema or pg_stat_statements is there.

## Deciding test

`--prove` adds the index, in turns, where that is a knob of the plan: the database's CPU time for each request
falls more than twofold. That its CPU moves throughput is needed, and proves no index. By hand: EXPLAIN of the
statement, and the index in a copy.

## Guard

A report reads many rows by right: it makes temporary tables or returns sums. A statement that computes from
all rows, or from those that an index led to, needs them all: no index spares any. Going through a small table
is what an optimiser should do. Rows that cost the CPU nothing next to what is computed from them are no
cause.

## Fix

CREATE INDEX on the columns of the WHERE or JOIN; EXPLAIN shows whether it is used.
"""


class MissingIndexTexts:
    """Sentences about statements that go through whole tables for a few rows."""

    title = "an index is missing: whole tables are read for a few rows"
    some_slow = "only some requests were slow: EXPLAIN of the statements of the slowest route would tell"
    sent_unread = "how many of these rows were returned was not read: pg_stat_statements would tell"
    mend = (
        "find the statement (performance_schema=ON, or the slow query log with"
        " log_queries_not_using_indexes=ON), EXPLAIN it, and CREATE INDEX on the columns that it compares"
    )
    mend_postgresql = (
        "find the statement (CREATE EXTENSION pg_stat_statements, then the next run names it), EXPLAIN it,"
        " and CREATE INDEX on the columns that it compares"
    )
    decides = "the same load with the index: its CPU time for each request falls by half or more"
    busy_unseen = "how busy it was could not be observed"

    def read(self, rows: str) -> str:
        return f"{rows} rows were read for each request without a fitting index"

    def read_and_sent(self, rows: str, sent: str) -> str:
        return f"{rows} rows were read for each request without a fitting index, {sent} were returned"

    def rows_a_second(self, rows: str, requests: str) -> str:
        return f"{rows} rows a second are read for {requests} requests"

    def cpu_each(self, cpu: str) -> str:
        return f", {cpu} of the database's CPU time each"

    def reading_takes(self, reading: str, demand: str) -> str:
        return (
            f"reading these rows takes up to {reading} of the {demand} of CPU time that a request costs"
            " the database"
        )

    def formula_of_reading(self, rows: str, a_row: str) -> str:
        return f"{rows} rows x {a_row}"

    def statement_is(self, statement: str) -> str:
        return f"the statement is {statement}"

    def mend_statement(self, statement: str) -> str:
        return f"EXPLAIN the statement {statement}, and CREATE INDEX on the columns that it compares"

    def used_cpu(self, share: str) -> str:
        return f"it used {share} of the CPU that it may use"

    def of_median(self, demand: str, median: str) -> str:
        return f", {demand} of a median latency of {median}"

    def of_full_cores(self, share: str) -> str:
        return f", and {share} of the time of these cores, which are full"

    def at_work(self, share: str) -> str:
        return f"{share} of the requests in flight were at work in the database"

    def may_be_report(self, mark: str, statement: str) -> str:
        return f"it may be a report ({mark}): {statement}"

    def needs_all(self, mark: str, statement: str) -> str:
        return f"it computes from all the rows that it reads ({mark}), so no index spares any: {statement}"

    def made_tables(self, number: str) -> str:
        return (
            f"it may be a report: each request made {number} temporary tables; performance_schema=ON"
            " would show the statement"
        )
