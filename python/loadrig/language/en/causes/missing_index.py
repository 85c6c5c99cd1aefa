"""Sentences of `missing_index` in English."""


class MissingIndexTexts:
    """Sentences of `causes.missing_index`."""

    title = "an index is missing: whole tables are read for a few rows"
    request_costs = " that a request costs it"
    only_some_requests = "only some requests were slow: EXPLAIN of the slowest route would tell"
    how_many_rows = "how many of these rows were sent was not read: pg_stat_statements would tell"
    decides = "the same load with the index: its CPU time for each request falls by half or more"
    how_busy_could = "how busy it was could not be seen"

    def rows_gone_through(self, rows: str) -> str:
        return f"{rows} rows were gone through without an index for each request"

    def sent(self, sent: str) -> str:
        return f", {sent} sent"

    def rows_second_read(self, rows: str, rate: str) -> str:
        return f"{rows} rows a second are read for {rate} requests"

    def cpu_each(self, demand_s: str) -> str:
        return f", {demand_s} of its CPU each"

    def reading_them_takes(self, reading_s: str, demand_s: str) -> str:
        return f"reading them takes up to {reading_s} of the {demand_s} of CPU"

    def rows_x(self, rows: str, row_s: str) -> str:
        return f"{rows} rows x {row_s}"

    def the_statement_is(self, text: str) -> str:
        return f"the statement is {text}"

    def mend(self, word: str) -> str:
        return f"EXPLAIN the statement{word}, and CREATE INDEX on the columns that it compares"

    def used_cpu_may(self, full: str) -> str:
        return f"it used {full} of the CPU that it may use"

    def median_latency(self, demand_s: str, p50: str) -> str:
        return f", {demand_s} of a median latency of {p50}"

    def what_cores_do(self, word: str) -> str:
        return f", and {word} of what these cores do, which are full"

    def requests_flight_work(self, word: str) -> str:
        return f"{word} of the requests in flight were at work in it"

    def may_report(self, strip: str, text: str) -> str:
        return f"it may be a report ({strip}): {text}"

    def may_report_each(self, tables: str) -> str:
        return (
            f"it may be a report: each request made {tables} temporary tables; performance_schema=ON would"
            " show the statement"
        )
